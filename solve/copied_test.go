package solve_test

import (
	"reflect"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// A solver that keeps what it returned and writes to it later does not change the schedule that was checked.
func TestRunKeepsWhatItChecked(t *testing.T) {
	one, soon := 1.0, 0.5
	machine := model.MachineSpec{ID: "m", Processors: 2, Queue: &model.QueueSpec{ServiceRate: 3}}
	b := model.NewBuilder("kept").Minimise("makespan", 1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{machine}}, model.ClusterSpec{ID: "d", Machines: []model.MachineSpec{machine}}).
		Job(model.JobSpec{ID: "a", Work: &one}, model.JobSpec{ID: "b", Work: &one, Processors: model.Rigid(3), Span: "grid"},
			model.JobSpec{ID: "late", Work: &one, Deadline: &soon, DeadlineHard: true})
	b.Spec().Queueing = &model.QueueingSpec{Rate: 1, Period: 2}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	returned := func() *model.Solution {
		return &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{
			{Job: "a", Cluster: "c", Processors: model.Processors(0), End: 1},
			{Job: "b", Start: 1, End: 2, Pieces: []model.Piece{{Cluster: "c", Processors: model.Processors(0, 1), Tasks: 2, Start: 1, End: 2},
				{Cluster: "d", Processors: model.Processors(1), Tasks: 1, Start: 1, End: 2}}},
		}, Unscheduled: []model.Unscheduled{{Job: "late", Reason: "too late"}}, Loads: []model.Load{{Cluster: "c", Machine: "m", Rate: 1}}}
	}
	kept := returned()
	solver := &stub{func(*model.Instance, solve.Options) solve.Result { return solve.Result{Solution: kept} }}
	result, err := solve.Run(t.Context(), solve.Choice{Info: solve.Info{Name: "stub"}, Solver: solver}, in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	kept.Jobs[0].Processors[0].Last, kept.Jobs[1].Pieces[0].Processors[0].Last = 9, 9
	kept.Jobs[1].Pieces[1].Tasks, kept.Jobs[0].Start = 9, 9
	kept.Unscheduled[0].Reason, kept.Loads[0].Rate = "", 9
	if found := solve.Bare(result.Solution); !reflect.DeepEqual(found, returned()) {
		t.Errorf("the schedule became %v", found)
	}
}
