package solvers_test

import (
	"context"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// What exact refuses it names; each of these it once solved, with a false optimum, or refused without a word.
func TestExactNamesWhatItRefuses(t *testing.T) {
	job := func(change func(*model.JobSpec)) model.JobSpec {
		j := model.JobSpec{ID: "a", Processors: model.Rigid(2), Work: new(5.0), Deadline: new(9.0)}
		change(&j)
		return j
	}
	loaded := solvecases.Machines("c", 4, 1)
	loaded.Machines[0].Background = &model.Background{Load: 0.1, Mean: 2}
	plain, second := solvecases.Machines("c", 4, 1), solvecases.Machines("d", 4, 1)
	for _, c := range []struct {
		want, metric string
		clusters     []model.ClusterSpec
		job          model.JobSpec
	}{
		{"hard deadlines", "makespan", []model.ClusterSpec{plain}, job(func(j *model.JobSpec) { j.DeadlineHard = true })},
		{"moldable jobs", "makespan", []model.ClusterSpec{plain}, job(func(j *model.JobSpec) { j.Processors = model.ProcessorRange{Min: 1, Max: 2} })},
		{"job a of 3 tasks on 2 processors", "makespan", []model.ClusterSpec{plain}, job(func(j *model.JobSpec) { j.Tasks = 3 })},
		{"spread over the grid", "makespan", []model.ClusterSpec{plain, second}, job(func(j *model.JobSpec) { j.Span = "grid" })},
		{"idle_time with background load", "idle_time", []model.ClusterSpec{loaded}, job(func(*model.JobSpec) {})},
		{"bounded_slowdown with background load", "bounded_slowdown", []model.ClusterSpec{loaded}, job(func(*model.JobSpec) {})},
		{"mcp with background load", "mcp", []model.ClusterSpec{loaded}, job(func(*model.JobSpec) {})},
		{"the metric balance", "balance", []model.ClusterSpec{plain}, job(func(*model.JobSpec) {})},
		{"jobs that take no time", "mean_slowdown", []model.ClusterSpec{plain}, job(func(j *model.JobSpec) { j.Work = new(0.0) })},
		{"too short beside times", "makespan", []model.ClusterSpec{plain}, job(func(j *model.JobSpec) { j.Work, j.Arrival = new(1e-9), 1e6 })},
	} {
		err := (&solvers.Exact{}).Supports(solvecases.Built(t, model.NewBuilder("refused").Minimise(c.metric, 1).Cluster(c.clusters...).Job(c.job)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.want, err)
		}
	}
}

// Where no job can be placed, search says of each why.
func TestSearchLeavesOutWhatCannotBePlaced(t *testing.T) {
	for _, processors := range []model.ProcessorRange{model.Rigid(3), {Min: 3, Max: 4}} {
		in := solvecases.Built(t, model.NewBuilder("nothing fits").Cluster(solvecases.Machines("c", 2, 1)).Job(model.JobSpec{ID: "a", Processors: processors, Work: new(1.0)}))
		for _, name := range []string{"search", "auto"} {
			info := mustLookup(t, name)
			result, err := solve.Run(context.Background(), info.Choice(), in, solve.Options{Seed: 1, MaxEvals: 100})
			if err != nil {
				t.Fatal(err)
			}
			if result.Solution == nil || len(result.Solution.Unscheduled) != 1 || result.Solution.Unscheduled[0].Reason != "needs 3 processors, c has 2" {
				t.Errorf("%s, %v: %+v", name, processors, result.Solution)
			}
		}
	}
}

// A deadline at which the ends of a chain of tenths come out differently by their order: late or not is rounding, and no proof.
func TestExactDoesNotProveALatenessOfRounding(t *testing.T) {
	b := model.NewBuilder("doubt").Minimise("missed", 1).Cluster(solvecases.Machines("c", 1, 1))
	due := 1.0 - 1e-11 // the checker lets a schedule of length 1 end 1e-9 earlier
	b.Job(model.JobSpec{ID: "a", Work: new(1.0), Deadline: &due})
	info := mustLookup(t, "exact")
	result, err := solve.Run(context.Background(), info.Choice(), solvecases.Built(t, b), solve.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if result.Status == model.Optimal || result.Bound.Or(0) > 0 {
		t.Errorf("%s, bound %v", result.Status, result.Bound)
	}
	early := &model.Solution{Jobs: []model.Placement{{Job: "a", Cluster: "c", Processors: model.NewProcessorSet(model.Range{}), End: due}}}
	if report := model.Check(solvecases.Built(t, b), early); !report.OK() || report.Objective != 0 {
		t.Errorf("the checker does not accept the schedule that is in time: %v, %v", report.Violations, report.Objective)
	}
}
