package solvers_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// A search that ends with its start is no worse than heft where jobs wait for others: of the starts only heft begins with the long chain, which
// stands last in the queue.
func TestSearchBeginsWithHEFT(t *testing.T) {
	b := model.NewBuilder("chain behind others").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}})
	for k := range 4 {
		b.Job(model.JobSpec{ID: fmt.Sprint("single", k), Work: new(2.0)})
	}
	for k := range 4 {
		link := model.JobSpec{ID: fmt.Sprint("link", k), Work: new(2.0)}
		if k > 0 {
			link.After = []string{fmt.Sprint("link", k-1)}
		}
		b.Job(link)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		evaluations int64
		want        float64
	}{{2, 12}, {3, 8}} { // fcfs-list and edd; these and heft. Min-min takes no jobs that wait
		result, err := solve.Default[solvers.Search]().Solve(t.Context(), in, solve.Options{MaxEvals: c.evaluations, Unbounded: true})
		if err != nil {
			t.Fatal(err)
		}
		if found, err := model.EvaluateObjective(in, result.Solution); err != nil || found != c.want {
			t.Errorf("after %d evaluations the makespan is %v (%v), expected %v", c.evaluations, found, err, c.want)
		}
	}
}
