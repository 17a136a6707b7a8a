package backfill

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// TestClassesInOrders: in every order but that of arrival, a job of the class with the greatest priority that there is goes first, and in the order priority the
// others follow by the priorities of their classes. All jobs take the whole cluster and arrive at 0, so that the order shows in the starts.
func TestClassesInOrders(t *testing.T) {
	const file = `{"schema": "allot/instance/1", "user_classes": {"low": 4294901755, "high": 4294901756, "running": 1e18},
 "clusters": [{"id": "c", "machines": [{"id": "m", "count": 2}]}],
 "jobs": [{"id": "plain", "processors": 2, "estimate": 30}, {"id": "low", "processors": 2, "estimate": 10, "user_class": "low"},
  {"id": "running", "processors": 2, "estimate": 20, "user_class": "running"}, {"id": "high", "processors": 2, "estimate": 40, "user_class": "high"},
  {"id": "also", "processors": 2, "estimate": 10, "user_class": "low"}]}`
	in, err := model.ReadInstance(strings.NewReader(file), "f")
	if err != nil {
		t.Fatal(err)
	}
	for _, order := range orders {
		ranking := Ranking{Order: order, Factors: defaultFactors()}
		for name, discipline := range map[string]sim.Discipline{
			"fcfs": FCFS(ranking), "easy": EASY(0, 1, ranking), "deep": EASY(0, 3, ranking), "conservative": Conservative(0, ranking),
		} {
			sol, _, err := sim.Simulate(t.Context(), in, discipline, sim.Options{})
			if err != nil {
				t.Fatal(err)
			}
			list := slices.Clone(sol.Jobs)
			slices.SortFunc(list, func(a, b model.Placement) int { return int(a.Start - b.Start) })
			var got []string
			for _, p := range list {
				got = append(got, p.Job)
			}
			switch text := fmt.Sprint(got); {
			case ranking.isArrival():
				if text != "[plain low running high also]" {
					t.Errorf("%s: got %s", name, text)
				}
			case order == byClass && text != "[running high low also plain]":
				t.Errorf("%s, %s: got %s", name, order, text)
			case got[0] != "running":
				t.Errorf("%s, %s: got %s, but running runs already", name, order, text)
			}
		}
	}
}
