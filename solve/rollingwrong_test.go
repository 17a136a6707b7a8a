package solve_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// atOnce is a solver that answers each batch by a function.
type atOnce func(in *model.Instance) (solve.Result, error)

// Supports implements [solve.Solver].
func (atOnce) Supports(*model.Instance) error { return nil }

// Solve implements [solve.Solver].
func (s atOnce) Solve(_ context.Context, in *model.Instance, _ solve.Options) (solve.Result, error) {
	return s(in)
}

// A wrong schedule of one round never ends a run: what the solver has besides takes its place, or else a list schedule. Right is a plan beside what earlier rounds hold, which
// the checker of the batch alone does not see. Strict makes it an error.
func TestOneWrongRoundEndsNoRun(t *testing.T) {
	started := func(in *model.Instance, start func(arrival float64) float64) *model.Solution { // each job at a time by its arrival
		sol := &model.Solution{}
		for _, j := range in.Jobs() {
			at := start(j.Arrival)
			sol.Jobs = append(sol.Jobs, model.Placement{Job: j.ID, Cluster: "c", Processors: model.Processors(0), Start: at, End: at + j.Work})
		}
		return sol
	}
	same := func(arrival float64) float64 { return arrival }
	later := func(arrival float64) float64 { return 10 * arrival }
	early := func(arrival float64) float64 { return arrival - 1 }
	foreign := func(in *model.Instance) *model.Solution {
		sol := started(in, later)
		sol.Jobs[0].Job = "nobody"
		return sol
	}
	for _, c := range []struct {
		name   string
		solver atOnce
		want   string // starts of the two jobs; empty: an error
		stream string // "right": nothing is wrong on line, where queues keep jobs apart
	}{
		{"what is held", func(in *model.Instance) (solve.Result, error) {
			return solve.Result{Solution: started(in, same)}, nil
		}, "0 4", "right"},
		{"what it has besides", func(in *model.Instance) (solve.Result, error) {
			return solve.Result{Solution: started(in, early), Else: &solve.Result{Solution: started(in, early), Else: &solve.Result{Solution: started(in, later), Solver: "third"}}}, nil
		}, "0 10", ""},
		{"what it has beside an error", func(in *model.Instance) (solve.Result, error) {
			return solve.Result{Else: &solve.Result{Solution: started(in, later)}}, errors.New("no path")
		}, "0 10", ""},
		{"a job of nobody", func(in *model.Instance) (solve.Result, error) { return solve.Result{Solution: foreign(in)}, nil }, "0 4", ""},
		{"a job that is forgotten", func(*model.Instance) (solve.Result, error) {
			return solve.Result{Solution: &model.Solution{}}, nil
		}, "0 4", ""},
		{"an error and nothing else", func(*model.Instance) (solve.Result, error) { return solve.Result{}, errors.New("no path") }, "", ""},
	} {
		for _, estimate := range []float64{4, 4.5} {
			stream := estimate != 4
			b := model.NewBuilder("rounds").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
			b.Job(model.JobSpec{ID: "a", Work: new(4.0), Estimate: &estimate}, model.JobSpec{ID: "b", Arrival: 1, Work: new(2.0)})
			in, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			solver, err := solve.NewRolling(solve.Choice{Info: solve.Info{Name: "liar"}, Solver: c.solver}, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			choice := solve.Choice{Info: solve.Info{Name: "liar"}, Solver: solver}
			result, err := solve.Run(t.Context(), choice, in, solve.Options{})
			if _, strict := solve.Run(t.Context(), choice, in, solve.Options{Strict: true}); strict == nil && !(stream && c.stream == "right") {
				t.Errorf("%s, stream %t: no error under strict", c.name, stream)
			}
			if c.want == "" {
				if err == nil {
					t.Errorf("%s, stream %t: no error", c.name, stream)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s, stream %t: %v", c.name, stream, err)
				continue
			}
			starts := map[string]float64{}
			for _, p := range result.Solution.Jobs {
				starts[p.Job] = p.Start
			}
			want := c.want
			if stream { // on line a job starts as soon as there is room for it
				want = "0 4"
			}
			if got := fmt.Sprint(starts["a"], starts["b"]); got != want || len(starts) != 2 {
				t.Errorf("%s, stream %t: starts %s, expected %s", c.name, stream, got, want)
			}
			if dropped := result.Dropped != nil; dropped == (stream && c.stream == "right") || dropped && (result.Dropped.Solver != "liar" || result.Warning == "") {
				t.Errorf("%s, stream %t: dropped %v", c.name, stream, result.Dropped)
			}
		}
	}
}
