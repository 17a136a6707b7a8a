package prove

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/taken"
)

// Whatever an instance can ask for is drawn beside everything else.
func TestFeaturesAreDrawnTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	seen, pairs, built, tiny, epoch, priced := model.Features(0), map[model.Features]int{}, 0, 0, 0, 0
	const draws = 2000
	for range draws {
		spec, _ := scenery(rng, "together")
		in, err := model.New(spec)
		if err != nil {
			continue // fields that exclude each other
		}
		built++
		all := in.Features()
		seen |= all
		for a := all; a != 0; a &= a - 1 {
			for b := a & (a - 1); b != 0; b &= b - 1 {
				pairs[a&-a|b&-b]++
			}
		}
		if len(in.Jobs()) < enumerable {
			tiny++
		}
		if in.FirstArrival() > 1e9 {
			epoch++
		}
		if in.PowerPrices(0) != nil {
			priced++
		}
	}
	const made = model.Commitments | model.NodesBeside // what Batch makes, and what few solvers take
	for f := model.Features(1); f <= model.SleepingMachines; f <<= 1 {
		if f&made == 0 && seen&f == 0 {
			t.Errorf("no batch asks for %s", f)
		}
	}
	t.Logf("%d pairs of features, %d batches, %d tiny, %d since 1970, %d where power has a price", len(pairs), built, tiny, epoch, priced)
	if len(pairs) < 240 || built < draws/2 || tiny < draws/4 || epoch < draws/40 || priced < draws/20 {
		t.Errorf("%d pairs of features, %d batches, %d tiny, %d since 1970, %d where power has a price: too few", len(pairs), built, tiny, epoch, priced)
	}
}

// The table of what each solver takes explains every refusal of such a batch, also those of a rule that chooses among machines.
func TestTheTableExplainsRefusals(t *testing.T) {
	rows, err := taken.All()
	if err != nil {
		t.Fatal(err)
	}
	rng, refused, by := rand.New(rand.NewPCG(5, 6)), 0, map[string]bool{}
	for range race.Fewer(600, 100) {
		spec, _ := scenery(rng, "together")
		in, err := model.New(spec)
		if err != nil {
			continue
		}
		for k := range rows {
			if rows[k].Absent != "" {
				continue
			}
			choice, err := solve.Choose(rows[k].Solver)
			if err != nil {
				t.Fatal(err)
			}
			if err := choice.Solver.Supports(in); err != nil {
				refused++
				if by[err.Error()] = true; !errors.Is(err, solve.ErrUnsupported) || !rows[k].Explains(in) {
					t.Errorf("%s refuses what the table says that it takes: %v", rows[k].Solver, err)
				}
			}
		}
	}
	rule := false
	for text := range by {
		rule = rule || strings.Contains(text, "place=fgd where power counts")
	}
	if refused < 1000 || !rule && !race.Enabled && !testing.Short() {
		t.Errorf("%d refusals, one of the rule: %t", refused, rule)
	}
}

// pair is a batch of two jobs on one machine that is judged by its schedules, of which the best has a mean response of 2.
func pair(t *testing.T) *Planted {
	t.Helper()
	in, err := model.NewBuilder("pair").Minimise("mean_response", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(3.0)}, model.JobSpec{ID: "then", Work: new(0.0), After: []string{"a"}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	spec := in.Spec()
	p := &Planted{Kind: "pair", Spec: &spec, Instance: in, judged: true, MayLeave: true, objective: in.StatedObjective(), Optimum: map[string]float64{}, Least: map[string]float64{}}
	p.Schedules = enumerated(in, rand.New(rand.NewPCG(1, 2)))
	return p
}

// The enumeration finds the best schedule, and with it every kind of false claim about a batch of which nothing is known by construction.
func TestJudgedClaims(t *testing.T) {
	p := pair(t)
	best := p.Schedules[0]
	cost, err := model.Evaluate(p.Instance, best)
	if err != nil || cost.Objective != 2 || len(best.Unscheduled) > 0 {
		t.Fatalf("the enumeration found %v of %v, %v: expected 2", cost.Objective, best, err)
	}
	on := func(job string, start, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.Processors(0), Start: start, End: end}
	}
	left := func(job, reason string) model.Unscheduled { return model.Unscheduled{Job: job, Reason: reason} }
	late := &model.Solution{Jobs: []model.Placement{on("b", 0, 3), on("a", 3, 4), on("then", 4, 4)}}
	without := &model.Solution{Jobs: []model.Placement{on("a", 0, 1), on("then", 1, 1)}, Unscheduled: []model.Unscheduled{left("b", "there is no room")}} // it has less
	part := func(reason string) *model.Solution {
		return &model.Solution{Jobs: []model.Placement{on("a", 0, 1), on("b", 1, 4)}, Unscheduled: []model.Unscheduled{left("then", reason)}}
	}
	for _, c := range []struct {
		name, what string
		result     solve.Result
	}{
		{"a bound too high", "bound", solve.Result{Solution: best, Bound: model.ProvedBound(2.0001)}},
		{"a poor optimum", "optimal", solve.Result{Solution: late, Status: model.Optimal}},
		{"an optimum that owes a job", "optimal", solve.Result{Solution: without, Status: model.Optimal}},
		{"infeasible", "infeasible", solve.Result{Status: model.Infeasible}},
		{"a reason that names a job which is placed", "reason", solve.Result{Solution: part("waits for job a, which is not placed")}},
		{"a wrong candidate", "schedule", solve.Result{Solution: best, Dropped: &solve.DroppedSchedule{Solver: "other", Fault: errors.New("overlap")}}},
		{"", "", solve.Result{Solution: best, Status: model.Optimal, Bound: model.ProvedBound(2)}},
		{"", "", solve.Result{Solution: late, Bound: model.ProvedBound(2)}},
	} {
		trial := p.trial(p.objective)
		trial.run(context.Background(), solve.Info{Name: "liar", New: func() solve.Solver { return &liar{result: c.result} }}, solve.Options{}, true)
		trial.compare()
		var found []string
		for _, f := range trial.found {
			found = append(found, f.What)
		}
		if got := strings.Join(found, ","); got != c.what {
			t.Errorf("%s: found %q, expected %q", c.name, got, c.what)
		}
	}
}

// Claims about a batch of which no schedule has all jobs are judged by the schedules that owe as many as they state.
func TestJudgedClaimsBesideAJobThatDoesNotFit(t *testing.T) {
	b := model.NewBuilder("long").Minimise("mean_response", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Spec().Horizon = &model.HorizonSpec{To: 10}
	in, err := b.Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(3.0)}, model.JobSpec{ID: "long", Work: new(12.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	spec := in.Spec()
	p := &Planted{Kind: "long", Spec: &spec, Instance: in, judged: true, MayLeave: true, objective: in.StatedObjective(), Optimum: map[string]float64{}, Least: map[string]float64{}}
	p.Schedules = enumerated(in, rand.New(rand.NewPCG(1, 2)))
	schedule := func(first, second string, until float64) *model.Solution {
		return &model.Solution{Jobs: []model.Placement{{Job: first, Cluster: "c", Processors: model.Processors(0), End: until}, {Job: second, Cluster: "c", Processors: model.Processors(0), Start: until, End: 4}},
			Unscheduled: []model.Unscheduled{{Job: "long", Reason: "it does not fit"}}}
	}
	none := &model.Solution{}
	for _, job := range in.Jobs() {
		none.Unscheduled = append(none.Unscheduled, model.Unscheduled{Job: job.ID, Reason: "left out"})
	}
	for _, c := range []struct {
		name, what string
		result     solve.Result
	}{
		{"a poor optimum", "optimal", solve.Result{Solution: schedule("b", "a", 3), Status: model.Optimal, Owed: 1}},
		{"a bound too high", "bound", solve.Result{Solution: schedule("b", "a", 3), Owed: 1, Bound: model.ProvedBound(3)}},
		{"too many owed", "owed", solve.Result{Solution: none, Owed: 2}},
		{"", "", solve.Result{Solution: schedule("a", "b", 1), Status: model.Optimal, Owed: 1, Bound: model.ProvedBound(2.5)}},
	} {
		trial := p.trial(p.objective)
		trial.run(context.Background(), solve.Info{Name: "liar", New: func() solve.Solver { return &liar{result: c.result} }}, solve.Options{}, true)
		trial.compare()
		var found []string
		for _, f := range trial.found {
			found = append(found, f.What)
		}
		if got := strings.Join(found, ","); got != c.what {
			t.Errorf("%s: found %q, expected %q", c.name, got, c.what)
		}
	}
}

// Bounds speak of schedules that leave out what they do not owe, and what nothing can run or waits for that, but of no others.
func TestJudgedSchedules(t *testing.T) {
	b := model.NewBuilder("left").Minimise("unfinished", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
	b.Job(model.JobSpec{ID: "owed", Work: new(1.0)}, model.JobSpec{ID: "hard", Work: new(1.0), Deadline: new(9.0), DeadlineHard: true})
	in, err := b.Job(model.JobSpec{ID: "wide", Work: new(1.0), Processors: model.Rigid(2)}, model.JobSpec{ID: "then", Work: new(1.0), After: []string{"wide"}}).Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		left string
		want bool
	}{{"hard wide then", true}, {"wide then", true}, {"owed wide then", false}, {"owed hard wide then", false}} {
		sol, at := &model.Solution{}, 0.0
		for _, job := range in.Jobs() {
			if strings.Contains(c.left, job.ID) {
				sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: job.ID, Reason: "left"})
				continue
			}
			sol.Jobs = append(sol.Jobs, model.Placement{Job: job.ID, Cluster: "c", Processors: model.Processors(0), Start: at, End: at + 1})
			at++
		}
		cost, err := model.Evaluate(in, sol)
		if got := newJudged(in).add(sol, cost); err != nil || got != c.want {
			t.Errorf("without %s: %t, expected %t; %v", c.left, got, c.want, err)
		}
	}
}
