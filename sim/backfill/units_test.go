package backfill_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// An order decides the same whatever unit of time the instance counts in.
func TestOrdersInOtherUnits(t *testing.T) {
	starts := func(order, unit string, seconds float64) (list []float64) {
		b := model.NewBuilder("units").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4}}})
		b.Spec().Units = &model.Units{Time: unit}
		for k := range 60 {
			length := 450 * float64(1+k*7%11)
			b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: (90000 + 225*float64(k)) / seconds, Processors: model.Rigid(1 + k*3%4), Work: new(length / seconds), Estimate: new(2 * length / seconds)})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := backfill.DefaultRanking()
		r.Order = order
		sol, _, err := sim.Simulate(t.Context(), in, backfill.FCFS(r), sim.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range sol.Jobs {
			list = append(list, math.Round(p.Start*seconds))
		}
		return list
	}
	for _, order := range []string{"fcfs", "sjf", "ljf", "saf", "wfp3", "f1"} {
		want := fmt.Sprint(starts(order, "s", 1))
		if order != "fcfs" && want == fmt.Sprint(starts("fcfs", "s", 1)) {
			t.Errorf("%s decides as fcfs", order)
		}
		for unit, seconds := range map[string]float64{"": 1, "min": 60, "h": 3600, "ticks": 1} {
			if got := fmt.Sprint(starts(order, unit, seconds)); got != want {
				t.Errorf("%s in %q starts jobs at\n%s, in seconds at\n%s", order, unit, got, want)
			}
		}
	}
}
