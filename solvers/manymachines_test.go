package solvers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// TestManyMachines: on 16 million machines, of which three jobs need five, no solver makes a state of each. Every one that takes the
// instance schedules it in memory that 16 million machines of 16 bytes each do not fit into twice.
func TestManyMachines(t *testing.T) {
	memory := 4.0
	jobs := []model.JobSpec{
		{ID: "a", Work: new(3.0), Memory: 3},
		{ID: "b", Work: new(5.0), Memory: 1, Processors: model.Rigid(2), Span: "machine"},
		{ID: "d", Work: new(5.0), Memory: 2, Processors: model.Rigid(2)},
	}
	in, err := model.New(model.InstanceSpec{Schema: model.InstanceSchema, Jobs: jobs, Clusters: []model.ClusterSpec{
		{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 8_000_000, Processors: 2, Memory: &memory}}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, info := range solve.Solvers() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{MaxEvals: 200})
		runtime.ReadMemStats(&after)
		if errors.Is(err, solve.ErrUnsupported) {
			continue
		}
		ran++
		allocated := (after.TotalAlloc - before.TotalAlloc) >> 20
		switch {
		case err != nil || result.Solution == nil || len(result.Solution.Jobs) != len(jobs):
			t.Errorf("%s: %v, %v", info.Name, result, err)
		case allocated > 400:
			t.Errorf("%s allocated %d MB", info.Name, allocated)
		}
		t.Logf("%s: %d MB", info.Name, allocated)
	}
	if ran < 15 {
		t.Errorf("only %d solvers take the instance", ran)
	}
}

// Where a bound that takes no memory proves the first schedule optimal, no bound is looked for that has to know how each job runs on each of many machines.
func TestNoLargeBoundWhereASmallOneProves(t *testing.T) {
	spec := model.InstanceSpec{Objective: map[string]float64{"bounded_slowdown": 1}, Clusters: []model.ClusterSpec{{ID: "c"}}}
	for k := range 200 {
		spec.Clusters[0].Machines = append(spec.Clusters[0].Machines, model.MachineSpec{ID: fmt.Sprint("m", k), Processors: 2, Cost: float64(k)})
	}
	for k := range 3000 {
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint("j", k), Arrival: float64(k), Work: new(20.0), Span: "machine", Processors: model.Rigid(2)})
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, err := solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "auto"}, Solver: new(Auto)}, in, solve.Options{MaxEvals: 200, Strict: true})
	runtime.ReadMemStats(&after)
	if err != nil || result.Status != model.Optimal || *result.Solution.Objective != 1 {
		t.Fatalf("%v, %v, expected a schedule proved optimal", result.Status, err)
	}
	if allocated := (after.TotalAlloc - before.TotalAlloc) >> 20; allocated > 60 {
		t.Errorf("%d MB", allocated)
	} else {
		t.Logf("%d MB", allocated)
	}
}
