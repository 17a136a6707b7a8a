package solvers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers"
)

// A job that must spread over clusters waits until enough processors are free in all of them, and what is said of it counts those.
func TestSubmitJobThatMustSpread(t *testing.T) {
	in := solvecases.Built(t, model.NewBuilder("spread").Cluster(solvecases.Machines("a", 4, 1), solvecases.Machines("b", 4, 1)).Job(
		model.JobSpec{ID: "first", Processors: model.Rigid(3), Work: new(5.0)},
		model.JobSpec{ID: "wide", Arrival: 1, Processors: model.Rigid(6), Span: "grid", Work: new(2.0)}))
	for name, policy := range map[string]solve.Policy{"spaceshare": solve.Default[solvers.SpaceShare](), "map": solve.Default[solvers.MAP]()} {
		answer, err := whatif.Submit(context.Background(), name, policy, in, "wide", 1)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Start == nil || *answer.Start != 5 || len(answer.Causes) != 1 || !strings.Contains(answer.Causes[0].Text, "it needs 6 over all clusters, 5 are free") {
			t.Errorf("%s: %+v", name, answer)
		}
		var rules []string
		for _, reason := range answer.Reasons {
			rules = append(rules, reason.Rule)
		}
		if got := strings.Join(rules, ", "); !strings.HasPrefix(got, "partition size, target, start") {
			t.Errorf("%s: the rules %s", name, got)
		}
	}
}

// The policies that take a moldable job on its rigid maximum say what it waits for and why it gets what it gets: "wide" needs 6 of the 8
// processors, of which 3 are taken until 5. "narrow" needs 4 of either cluster. b has them, but "narrow" would hold them until 7.5, and so
// waits for "wide", which takes 4 of a and 2 of b, to end at 7.
func TestSubmitJobOnItsRigidMaximum(t *testing.T) {
	in := solvecases.Built(t, model.NewBuilder("rigid").Cluster(solvecases.Machines("a", 4, 1), solvecases.Machines("b", 4, 1)).Job(
		model.JobSpec{ID: "first", Processors: model.Rigid(3), Work: new(5.0)},
		model.JobSpec{ID: "wide", Arrival: 1, Processors: model.Moldable(1, 9), Tasks: 6, Span: "grid", Work: new(2.0)},
		model.JobSpec{ID: "narrow", Arrival: 1.5, Processors: model.Moldable(1, 9), Tasks: 9, Work: new(2.0)}))
	for name, policy := range map[string]solve.Policy{"fcfs": &solvers.FCFS{}, "easy": solve.Default[solvers.EASY](), "flexible": solve.Default[solvers.Flexible]()} {
		answer, err := whatif.Submit(context.Background(), name, policy, in, "wide", 1)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Start == nil || *answer.Start != 5 || len(answer.Causes) != 1 || answer.Causes[0].Text != "too few processors are free: it needs 6 over all clusters, 5 are free that it can use" {
			t.Errorf("%s: %+v", name, answer)
		}
		var reasons []string
		for _, reason := range answer.Reasons {
			reasons = append(reasons, reason.Rule+": "+reason.Text)
		}
		if want := "rigid maximum: 6 processors: the job has 6 tasks and holds at least 1, and the empty system has 8 for it at once; " +
			"selection: no cluster has enough free processors, so those with the most come first: 4 on a, 2 on b"; strings.Join(reasons, "; ") != want {
			t.Errorf("%s: %s", name, strings.Join(reasons, "; "))
		}
		answer, err = whatif.Submit(context.Background(), name, policy, in, "narrow", 1)
		if err != nil {
			t.Fatal(err)
		}
		// It would end at 7.5, after the time at which "wide" could start. Without backfilling nobody asks.
		kind := "kept"
		if name == "fcfs" {
			kind = "behind"
		}
		if answer.Start == nil || *answer.Start != 7 || answer.Causes[0].Kind != kind || answer.Causes[0].For != "wide" ||
			len(answer.Reasons) != 1 || !strings.HasSuffix(answer.Reasons[0].Text, "4 on a, 4 on b") {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

// Each parameter changes the schedule of jobs of different sizes that come one after another.
func TestSpaceShareParameters(t *testing.T) {
	b := model.NewBuilder("parameters").Cluster(solvecases.Machines("a", 5, 1), solvecases.Machines("b", 4, 2))
	for k := range 26 {
		tasks := 1 + 7*k%9
		b.Job(model.JobSpec{ID: string(rune('a' + k)), Arrival: float64(k * k % 40), Processors: model.Moldable(1, tasks), Tasks: tasks, Span: "grid", Work: new(float64(2 + k%3))})
	}
	in := solvecases.Built(t, b)
	seen := map[string]string{}
	for _, name := range []string{"spaceshare", "spaceshare:start=wait", "spaceshare:rounding=floor", "spaceshare:alpha=0", "spaceshare:alpha=4", "map", "map:rounding=ceil"} {
		choice, err := solve.Choose(name)
		if err != nil {
			t.Fatal(err)
		}
		result, err := solve.Run(context.Background(), choice, in, solve.Options{})
		if err != nil {
			t.Fatal(err)
		}
		schedule := fmt.Sprint(result.Solution.Jobs)
		if other := seen[schedule]; other != "" {
			t.Errorf("%s and %s have the same schedule", name, other)
		}
		seen[schedule] = name
	}
}
