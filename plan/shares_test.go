package plan_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// Worked values of eq. 19: in a chain of works 10, 20 and 30 the first may use 10/60 of the deadline, the second 20/50 of what is left, the
// last all of it. A task before a branch of 5 or 15 counts on the 15. A path without work gives all to each.
func TestPathShares(t *testing.T) {
	for name, c := range map[string]struct {
		work, want []float64
		next       [][]int
	}{
		"chain":   {[]float64{10, 20, 30}, []float64{1.0 / 6, 0.4, 1}, [][]int{{1}, {2}, nil}},
		"branch":  {[]float64{5, 5, 15}, []float64{0.25, 1, 1}, [][]int{{1, 2}, nil, nil}},
		"no work": {[]float64{0, 0}, []float64{1, 1}, [][]int{{1}, nil}},
	} {
		order := make([]int, len(c.work))
		for k := range order {
			order[k] = k
		}
		for k, got := range plan.PathShares(c.work, c.next, order) {
			if got != c.want[k] {
				t.Errorf("%s: share %d is %v, expected %v", name, k, got, c.want[k])
			}
		}
	}
}

// Deadlines 40 of 100 after an arrival at 10 give the first task (40 − 10)/(100 − 10) = 1/3, whatever its work; the second, with 70, gets
// (70 − 40)/(100 − 40) = 1/2. Without deadlines the shares are by work with k·cv: X = 10·(1 + 2·0.5) = 20 of 20 + 30. A job of no workflow
// has none.
func TestWorkflowShares(t *testing.T) {
	b := model.NewBuilder("shares").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Spec().Queueing = &model.QueueingSpec{K: new(2.0), Rate: 1}
	b.Spec().Workflows = []model.WorkflowSpec{{ID: "w", Deadline: new(100.0)}, {ID: "v", Deadline: new(50.0)}}
	b.Job(
		model.JobSpec{ID: "a", Arrival: 10, Work: new(1.0), Deadline: new(40.0), Workflow: "w"},
		model.JobSpec{ID: "b", Arrival: 10, Work: new(99.0), Deadline: new(70.0), Workflow: "w", After: []string{"a"}},
		model.JobSpec{ID: "c", Work: new(99.0), Estimate: new(10.0), WorkCV: 0.5, Workflow: "v"},
		model.JobSpec{ID: "d", Work: new(30.0), Workflow: "v", After: []string{"c"}},
		model.JobSpec{ID: "e", Work: new(30.0), After: []string{"d"}},
		model.JobSpec{ID: "f", Work: new(1.0), Deadline: new(20.0), Workflow: "w"},
		model.JobSpec{ID: "h", Arrival: 10, Work: new(1.0), Deadline: new(100.0), Workflow: "w"},
		model.JobSpec{ID: "g", Work: new(1.0), Deadline: new(85.0), Workflow: "w", After: []string{"b", "f"}},
		model.JobSpec{ID: "i", Work: new(1.0), Workflow: "w", After: []string{"h"}},
	)
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	got := plan.WorkflowShares(in)
	if got[6] != 1 || math.Abs(got[7]-0.5) > 1e-15 { // from the later deadline: (85 − 70)/(100 − 70)
		t.Errorf("share of a task with all of the time: %v, expected 1; of one that waits for two: %v, expected 0.5", got[6], got[7])
	}
	for k, want := range []float64{1.0 / 3, 0.5, 0.4, 1} {
		if math.Abs(got[k]-want) > 1e-15 {
			t.Errorf("share of %s: %v, expected %v", in.Jobs()[k].ID, got[k], want)
		}
	}
	if !math.IsNaN(got[4]) {
		t.Errorf("a job of no workflow has the share %v", got[4])
	}
}
