package schedules

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/testkit"
	"github.com/allot-opt/allot/model"
)

// Data that bind a little cost little: the counted work of as many evaluations is at most so many times that of the same jobs alone. The aim is 2, which what is counted for each machine or each
// speed does not allow everywhere.
func TestWorkOfLittleThatBinds(t *testing.T) {
	race.OneGoroutine(t)
	most := map[string]float64{"half of the machines a hundredth faster": 3.5, "one job on one machine of several processors": 6, "memory that may run short for one job": 5}
	jobs := littleJobs(t)
	alone := workOf(t, jobs)
	for _, a := range testkit.Little {
		in := testkit.With(jobs, a)
		if in == nil {
			t.Fatalf("no room for %s", a.Name)
		}
		limit, stated := most[a.Name]
		if !stated {
			limit = 2
		}
		times := workOf(t, in) / alone
		t.Logf("%s: %.2f times the work", a.Name, times)
		if times > limit {
			t.Errorf("%s: %.2f times the work, at most %v were expected", a.Name, times, limit)
		}
	}
}

// littleJobs are rigid jobs that arrive over time on 100 machines.
func littleJobs(t *testing.T) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 9))
	b := model.NewBuilder("little").Minimise("bounded_slowdown", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 100}}})
	arrival := 0.0
	for k := range 600 {
		arrival += rng.ExpFloat64() * 100
		b.Job(model.JobSpec{ID: fmt.Sprint(k), Arrival: float64(int(arrival)), Work: new(float64(1 + int(rng.ExpFloat64()*rng.ExpFloat64()*250))), Processors: model.Rigid(1 << rng.IntN(6))})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// workOf is the counted work of some evaluations of a chain.
func workOf(t *testing.T, in *model.Instance) float64 {
	t.Helper()
	e, err := New(t.Context(), in, &model.Solution{}, 1)
	if err != nil || e == nil {
		t.Fatal(e, err)
	}
	const evaluations = 400
	if made := e.Advance(0, evaluations, func() bool { return false }); made != evaluations {
		t.Fatalf("%d evaluations", made)
	}
	return float64(e.(*Engine).runs[0].decoder.resources.Work())
}
