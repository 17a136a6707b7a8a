package answers

import (
	"context"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// worked counts how often a bound of bounded_slowdown was looked for.
var worked int

// counting is a prover that proves nothing and counts.
type counting struct{}

func (counting) Improve(context.Context, int64) bool {
	worked++
	return false
}

var _ = bound.Register(bound.Method{Name: "counted", Metric: "bounded_slowdown", New: func(*bound.Relaxation, *bound.Gate) bound.Prover { return counting{} }})

// TestPoliciesLookForNoBound: no table of policies shows a bound, so none is computed; where one is shown, it is.
func TestPoliciesLookForNoBound(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "objective": {"bounded_slowdown": 1}, "clusters": [{"id": "c", "machines": [{"id": "m", "count": 2}]}],
		"jobs": [{"id": "a", "work": 10}, {"id": "b", "arrival": 1, "work": 20}, {"id": "d", "arrival": 2, "work": 5, "processors": 2}]}`), "trace")
	if err != nil {
		t.Fatal(err)
	}
	policies, err := Policies([]string{"easy", "conservative"})
	if err != nil {
		t.Fatal(err)
	}
	worked = 0
	runs := PolicyRuns{In: in, Policies: policies, Options: &lab.Options{Workers: 1}, Drawn: true, Step: func() {}, Warn: func(policy, text string) { t.Errorf("%s: %s", policy, text) }}
	made, err := runs.Run(t.Context())
	if err != nil || len(made) != 2 || made[0].Solution == nil {
		t.Fatalf("%d runs: %v", len(made), err)
	}
	if worked != 0 {
		t.Errorf("%d times a bound was looked for that nobody is shown", worked)
	}
	if bench.Measure(t.Context(), policies[0], in, bench.Settings{Options: solve.Options{Seed: 1}}); worked == 0 {
		t.Error("a comparison that shows bounds looked for none")
	}
}
