package solvers_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// stepsOf runs a solver and returns its steps with the schedule. solve.Run checks that the steps add up to it.
func stepsOf(t interface {
	Helper()
	Fatalf(string, ...any)
}, name string, in *model.Instance) ([]solve.Step, *model.Solution, bool) {
	t.Helper()
	choice, err := solve.Choose(name)
	if err != nil {
		t.Fatalf("%v", err)
	}
	var steps []solve.Step
	result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 3, Unbounded: true, Trace: func(s solve.Step) { steps = append(steps, s) }})
	switch {
	case errors.Is(err, solve.ErrUnsupported):
		return nil, nil, false
	case err != nil:
		t.Fatalf("%s: %v", name, err)
	}
	return steps, result.Solution, true
}

// In each step of a heuristic that compares clusters, the cluster that it took has the best score, by the rule of the solver, and the first of the equal
// ones where the step says so. Where the score is an end or a start, it is that of the placement.
func TestStepsTakeTheBestScore(t *testing.T) {
	compared := map[string]int{}
	names := []string{"mct", "met", "olb", "dll", "mrs", "edd", "heft", "fcfs-list", "minmin", "maxmin", "sufferage", "asjs"}
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Instance(t, model.Arrivals|model.HardDeadlines|model.ParallelJobs|model.UnrelatedTimes|model.RestrictedTimes|model.MemoryLimits|model.BandwidthNeeds)
		for _, name := range names {
			steps, _, ok := stepsOf(t, name, in)
			if !ok {
				continue
			}
			for _, s := range steps {
				compared[name] += bestIsTaken(t, name, &s)
			}
		}
	})
	for _, name := range names {
		if compared[name] < race.Enough(20) {
			t.Errorf("%s: only %d steps compare several clusters", name, compared[name])
		}
	}
}

// bestIsTaken checks the scores of a step and returns 1 where it compares several clusters.
func bestIsTaken(t *rapid.T, name string, s *solve.Step) int {
	if len(s.Placed) == 0 {
		return 0
	}
	p, chosen, rivals, best := s.Placed[0], -1, 0, math.Inf(1)
	for k, score := range s.Scores {
		if score.Chosen && chosen >= 0 || score.Chosen && score.Value == nil || (score.Value == nil) != (score.Why != "") {
			t.Fatalf("%s, step %d: scores %+v", name, s.Number, s.Scores)
		}
		if score.Chosen {
			chosen = k
		}
		if score.Value != nil {
			rivals++
			value := *score.Value
			if name == "asjs" {
				value = -value
			}
			best = min(best, value)
		}
	}
	if chosen < 0 {
		t.Fatalf("%s, step %d: no cluster is marked as taken", name, s.Number)
	}
	value := math.Abs(*s.Scores[chosen].Value)
	if value != math.Abs(best) {
		t.Fatalf("%s, step %d: the score of the taken cluster is %v, the best is %v", name, s.Number, value, best)
	}
	equal := 0
	for k, score := range s.Scores {
		if score.Value == nil || math.Abs(*score.Value) != value {
			continue
		}
		if equal++; name != "fcfs-list" && k < chosen {
			t.Fatalf("%s, step %d: an equal cluster stands before the taken one", name, s.Number)
		}
	}
	if says := strings.HasSuffix(s.Text, "of equal clusters the first"); says != (equal > 1) && name != "fcfs-list" {
		t.Fatalf("%s, step %d: %d clusters have the best score, and the text is %q", name, s.Number, equal, s.Text)
	}
	switch s.Score {
	case "end":
		if value != p.End {
			t.Fatalf("%s, step %d: the score is %v, the job ends at %v", name, s.Number, value, p.End)
		}
	case "start":
		if value != p.Start {
			t.Fatalf("%s, step %d: the score is %v, the job starts at %v", name, s.Number, value, p.Start)
		}
	}
	if rivals > 1 {
		return 1
	}
	return 0
}

// Of six jobs whose schedules were worked by hand, the scores are those of the hand calculation.
func TestStepsByHand(t *testing.T) {
	in := sixJobs(t)
	value := func(name string, step, cluster int) float64 {
		steps, _, _ := stepsOf(t, name, in)
		if v := steps[step].Scores[cluster].Value; v != nil {
			return *v
		}
		return math.NaN()
	}
	for _, c := range []struct {
		solver        string
		step, cluster int
		want          float64
	}{
		{"mct", 0, 0, 4}, {"mct", 0, 1, 2}, {"mct", 3, 0, 18}, {"mct", 3, 1, 6}, // j3: 6 on b before 18 on a
		{"met", 5, 0, 1}, {"met", 5, 1, 10}, {"olb", 4, 0, 9}, {"olb", 4, 1, 5}, {"fcfs-list", 1, 0, 0}, {"fcfs-list", 1, 1, 2},
	} {
		if got := value(c.solver, c.step, c.cluster); got != c.want {
			t.Errorf("%s, step %d, cluster %d: score %v, expected %v", c.solver, c.step+1, c.cluster, got, c.want)
		}
	}
	steps, _, _ := stepsOf(t, "mct", in)
	if s := steps[2]; s.Scores[1].Value != nil || s.Scores[1].Why != "cannot run it" {
		t.Errorf("j2 fits a only, and b has the score %+v", s.Scores[1])
	}
	steps, _, _ = stepsOf(t, "sufferage", in)
	for _, s := range steps {
		for _, term := range s.Terms {
			if term.Name == "sufferage" && math.Abs(*s.Scores[0].Value-*s.Scores[1].Value) != term.Value {
				t.Errorf("step %d: sufferage %v of the ends %v and %v", s.Number, term.Value, *s.Scores[0].Value, *s.Scores[1].Value)
			}
		}
	}
}

// WRAND's number lies in the part of the cluster that it takes: the weights of the clusters before it are at most the number, with its own more.
func TestStepsOfWRAND(t *testing.T) {
	steps, _, _ := stepsOf(t, "wrand", sixJobs(t))
	for _, s := range steps {
		below := 0.0
		for _, score := range s.Scores {
			if score.Chosen && !(below <= s.Terms[0].Value && s.Terms[0].Value < below+*score.Value) {
				t.Errorf("step %d: drawn %v, and the part of %s is %v to %v", s.Number, s.Terms[0].Value, score.Cluster, below, below+*score.Value)
			}
			if score.Value != nil {
				below += *score.Value
			}
		}
	}
}

// The steps of an on-line policy hold what [whatif.Submit] says of each job, and each start at its time.
func TestStepsOfPolicies(t *testing.T) {
	for name, file := range map[string]string{"twolevel": "twolevel", "spaceshare": "spaceshare", "map": "spaceshare", "flexible": "moldable", "dr": "ggone-workflows", "sr": "ggone-workflows"} {
		in, err := model.ReadInstanceFile("../examples/" + file + ".json")
		if err != nil {
			t.Fatal(err)
		}
		steps, sol, ok := stepsOf(t, name, in)
		if !ok {
			t.Fatalf("%s does not take %s.json", name, file)
		}
		choice, _ := solve.Choose(name)
		rules := 0
		for _, p := range sol.Jobs {
			at := slices.IndexFunc(steps, func(s solve.Step) bool { return s.Rule == "starts" && s.About(p.Job) })
			if at < 0 || steps[at].At != p.Start {
				t.Fatalf("%s: no step starts %s at %v", name, p.Job, p.Start)
			}
			answer, err := whatif.Submit(context.Background(), name, policyOf(choice.Solver), in, p.Job, 3)
			if err != nil {
				t.Fatal(err)
			}
			for _, why := range answer.Reasons {
				if !slices.ContainsFunc(steps, func(s solve.Step) bool {
					return s.Rule == why.Rule && s.Text == p.Job+": "+why.Text && slices.Equal(s.Jobs, []string{p.Job})
				}) && (why.At == p.Start || why.At == answer.Submitted) {
					t.Errorf("%s: no step of %s says %q", name, p.Job, why.Text)
				}
				rules++
			}
		}
		if rules == 0 {
			t.Errorf("%s states no rule of %s.json", name, file)
		}
	}
}
