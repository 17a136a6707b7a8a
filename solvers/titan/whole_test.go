package titan

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/solverstest"
)

// small is TITAN with a small population.
func small(coding ga.Coding) *Solver {
	return solverstest.With(newSolver(), func(x *Solver) { x.Coding, x.Population, x.Generations = coding, 12, 8 })
}

// drawInstance draws an instance of any features and objective: one of modeltest, where anything may occur but few jobs get into each other's way, or a busy one.
func drawInstance(t *rapid.T, jobs, clusters int) *model.Instance {
	if rapid.Bool().Draw(t, "busy") {
		return drawBusy(t, jobs, clusters)
	}
	return modeltest.Generator{Features: modeltest.AllFeatures, Jobs: jobs, Clusters: clusters}.Instance(t)
}

// drawBusy draws an instance on few processors, where the order of the jobs decides much. Nearly every job can run somewhere.
func drawBusy(t *rapid.T, jobs, clusters int) *model.Instance {
	number := func(label string, least, most int) float64 {
		return float64(rapid.IntRange(least, most).Draw(t, label))
	}
	some := func(label string) bool { return rapid.IntRange(0, 3).Draw(t, label) == 0 }
	b := model.NewBuilder("busy")
	for _, metric := range rapid.SampledFrom([][]string{{"missed"}, {"mean_slowdown"}, {"makespan", "mcp"}, {"cost", "mean_response"}, {"balance"}, {"unfinished", "makespan"}, {"mean_wait"}}).Draw(t, "objective") {
		b.Minimise(metric, 1)
	}
	b.Spec().Licences = map[string]int{"l": 1}
	for c := range rapid.IntRange(1, clusters).Draw(t, "clusters") {
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 1 + c, Processors: 2, Speed: 1, Cost: 1, Memory: new(4.0)}}}
		if some("mixed") {
			spec.Machines = append(spec.Machines, model.MachineSpec{ID: "fast", Speed: 2, Cost: 3, Memory: new(4.0)})
		}
		b.Cluster(spec)
	}
	for j := range rapid.IntRange(2, jobs).Draw(t, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint(j), Work: new(number("work", 0, 9)), Processors: model.Rigid(int(number("processors", 1, 2))), Memory: number("memory", 0, 2)}
		if some("arrives later") {
			job.Arrival = number("arrival", 1, 9)
		}
		if !some("no deadline") {
			job.Deadline, job.DeadlineHard = new(job.Arrival+number("deadline", 5, 20)), some("hard")
		}
		if some("moldable") {
			job.Processors, job.Tasks = model.Moldable(1, 3), 3
		}
		if some("licence") {
			job.Licences = map[string]int{"l": 1}
		}
		if some("one machine") {
			job.Span = "machine"
		}
		if some("wide") {
			job.Processors, job.Span = model.Rigid(4), "grid"
		}
		if j > 0 && some("waits") {
			job.After = []string{fmt.Sprint(rapid.IntRange(0, j-1).Draw(t, "for"))}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// wholeCase is a drawn instance that takes the general form, with a start from some solver, or none.
func wholeCase(t *rapid.T) (*model.Instance, *model.Solution) {
	in := drawInstance(t, 12, 3)
	if comesApart(in) {
		return nil, nil
	}
	from := rapid.SampledFrom([]string{"", "any order", "any order", "dll", "minmin", "search", "fcfs"}).Draw(t, "from")
	if from == "any order" {
		jobs := make([]int, len(in.Jobs()))
		for j := range jobs {
			jobs[j] = j
		}
		return in, listed(t, in, rapid.Permutation(jobs).Draw(t, "order"), rapid.IntRange(0, 2).Draw(t, "first cluster"))
	}
	choice, err := solve.Choose(from)
	if err != nil || choice.Solver.Supports(in) != nil {
		return in, nil
	}
	result, err := solve.Run(context.Background(), choice, in, solve.Options{Seed: 1, MaxEvals: 60, Unbounded: true})
	if err != nil {
		t.Fatal(err)
	}
	return in, result.Solution
}

// listed is the list schedule of an order: each job goes to the first cluster that it can run on, from the given one on.
func listed(t *rapid.T, in *model.Instance, order []int, first int) *model.Solution {
	s, err := plan.NewSchedule(in)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range plan.Topological(in, order) {
		placed := false
		for c := 0; c < len(in.Clusters()) && !placed; c++ {
			slot, ok := s.Earliest(j, (first+c)%len(in.Clusters()))
			if placed = ok; ok {
				s.Place(j, slot)
			}
		}
		if !placed {
			s.LeaveUnplaceable(j)
		}
	}
	return s.Solution()
}

// TestWholeForm draws instances of all features and objectives, with starts of several solvers. The checker accepts the result; it is never
// worse than the start; a job stays on the cluster of the start unless it cannot run there whole or by its
// hard deadline; the coding and the number of workers make no difference; and the limit of evaluations is kept.
func TestWholeForm(t *testing.T) {
	tried, improved := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in, start := wholeCase(t)
		if in == nil {
			return
		}
		opt := solve.Options{Seed: 5, Start: start, Workers: 1, MaxEvals: int64(rapid.SampledFrom([]int{0, 0, 1, 60}).Draw(t, "limit"))}
		one, err := small(ga.Mask).Solve(context.Background(), in, opt)
		if err != nil {
			t.Fatal(err)
		}
		opt.Workers = 4
		four, err := small(ga.List).Solve(context.Background(), in, opt)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := fmt.Sprint(*one.Solution), fmt.Sprint(*four.Solution); a != b || one.Evaluations != four.Evaluations {
			t.Fatalf("two results: %s after %d evaluations, %s after %d", a, one.Evaluations, b, four.Evaluations)
		}
		if opt.MaxEvals > 0 && one.Evaluations > opt.MaxEvals {
			t.Fatalf("%d evaluations of %d", one.Evaluations, opt.MaxEvals)
		}
		report := model.Check(in, solve.Bare(one.Solution))
		if !report.OK() {
			t.Fatal(report.Violations[0])
		}
		if len(one.Solution.Jobs)+len(one.Solution.Unscheduled) != len(in.Jobs()) {
			t.Fatalf("%d jobs placed and %d left out of %d", len(one.Solution.Jobs), len(one.Solution.Unscheduled), len(in.Jobs()))
		}
		if start == nil {
			return
		}
		tried++
		before, err := model.Evaluate(in, solve.Bare(start))
		if err != nil {
			t.Fatal(err)
		}
		if in.BetterSchedule(start, before, one.Solution, report.Evaluation) {
			t.Fatalf("%v with %d left out, from a start of %v with %d", report.Evaluation.Objective, len(one.Solution.Unscheduled), before.Objective, len(start.Unscheduled))
		}
		if in.BetterSchedule(one.Solution, report.Evaluation, start, before) {
			improved++
		}
		was := map[string]string{}
		for _, p := range start.Jobs {
			was[p.Job] = p.Cluster
		}
		for _, p := range one.Solution.Jobs {
			if j, _ := in.JobIndex(p.Job); was[p.Job] != "" && p.Cluster != was[p.Job] && !in.Jobs()[j].DeadlineHard {
				t.Fatalf("%s moves from %s to %s", p.Job, was[p.Job], p.Cluster)
			}
		}
	})
	if tried < race.Enough(30) || improved < race.Enough(5) {
		t.Errorf("improved %d of %d starts: too few to learn anything", improved, tried)
	}
}

// TestWholeFormReachesTheBestListSchedule compares with the list schedules of all orders of up to five jobs on one cluster, with all features. Each
// order has the rank of its list schedule, nothing is better than the best of them, and nearly always that is reached.
func TestWholeFormReachesTheBestListSchedule(t *testing.T) {
	reached, tried, spread := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t, 5, 1)
		if comesApart(in) {
			return
		}
		best, worst := model.NoRank(), model.NewRank(-1, 0)
		var run *whole
		orders(len(in.Jobs()), func(order []int) {
			schedule := listed(t, in, order, 0)
			evaluation, err := model.Evaluate(in, schedule)
			if err != nil {
				t.Fatal(err)
			}
			rank := in.RankOf(schedule, evaluation.Objective)
			if run == nil { // a start
				run = &whole{ctx: context.Background(), in: in, opt: solve.Options{Start: schedule}, order: make([]int, len(order))}
				if err := run.readStart(); err != nil {
					t.Fatal(err)
				}
			}
			coded := make([]int32, len(order))
			for k, j := range order {
				coded[k] = int32(j)
			}
			if priced, err := run.price(coded); err != nil || priced != rank {
				t.Fatalf("%v: ranked %v, %v; its list schedule is %v", order, priced, err, rank)
			}
			if rank.Less(best) {
				best = rank
			}
			if worst.Less(rank) {
				worst = rank
			}
		})
		result, err := solverstest.With(newSolver(), func(x *Solver) { x.Generations = 40 }).Solve(context.Background(), in, solve.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		evaluation, err := model.Evaluate(in, result.Solution)
		if err != nil {
			t.Fatal(err)
		}
		found := in.RankOf(result.Solution, evaluation.Objective)
		if found.Better(best) {
			t.Fatalf("%v is better than the best of all orders, %v", found, best)
		}
		tried++
		if best.Better(worst) {
			spread++
		}
		if !best.Better(found) {
			reached++
		}
	})
	if tried < race.Enough(30) || spread < race.Enough(10) || reached < tried*98/100 {
		t.Errorf("reached the best in %d of %d, where the order matters in %d", reached, tried, spread)
	}
}

// orders calls visit with every order of n jobs.
func orders(n int, visit func([]int)) {
	var extend func(order []int, used int)
	extend = func(order []int, used int) {
		if len(order) == n {
			visit(append([]int{}, order...))
		}
		for j := range n {
			if used>>j&1 == 0 {
				extend(append(order, j), used|1<<j)
			}
		}
	}
	extend(make([]int, 0, n), 0)
}

// TestWholeFormPlacesMoreFirst starts from a schedule that leaves out a, which cannot meet its deadline behind b. In the other order both run, and the
// makespan is six times as long.
func TestWholeFormPlacesMoreFirst(t *testing.T) {
	in := solvecases.Built(t, model.NewBuilder("more").Minimise("makespan", 1).Cluster(solvecases.Machines("c", 1, 1)).Job(
		model.JobSpec{ID: "a", Work: new(5.0), Deadline: new(5.0), DeadlineHard: true}, model.JobSpec{ID: "b", Work: new(1.0), Deadline: new(6.0), DeadlineHard: true}))
	start := &model.Solution{Jobs: []model.Placement{{Job: "b", Cluster: "c", Processors: model.Processors(0), End: 1}}, Unscheduled: []model.Unscheduled{{Job: "a", Reason: "late"}}}
	result, err := newSolver().Solve(t.Context(), in, solve.Options{Start: start, Seed: 1})
	if err != nil || len(result.Solution.Jobs) != 2 || result.Solution.Jobs[0].End != 5 {
		t.Errorf("%+v, %v", result.Solution, err)
	}
}

// TestWholeFormKeepsWhatItCannotCode starts from widths with which no job ends first: three tasks on one processor take 3, on two 2. On one each, both
// jobs end at 3; by the rule of the list schedule one of them ends at 4, so the start stays.
func TestWholeFormKeepsWhatItCannotCode(t *testing.T) {
	b := model.NewBuilder("widths").Minimise("makespan", 1).Cluster(solvecases.Machines("c", 2, 1))
	start := &model.Solution{}
	for p, id := range []string{"a", "b"} {
		b.Job(model.JobSpec{ID: id, Work: new(1.0), Processors: model.Moldable(1, 2), Tasks: 3})
		start.Jobs = append(start.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.Processors(p), End: 3})
	}
	in := solvecases.Built(t, b)
	if report := model.Check(in, start); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	result, err := newSolver().Solve(t.Context(), in, solve.Options{Start: start, Seed: 1})
	if err != nil || fmt.Sprint(result.Solution.Jobs) != fmt.Sprint(start.Jobs) || &result.Solution.Jobs[0] == &start.Jobs[0] {
		t.Errorf("%+v, %v", result.Solution, err)
	}
	cold, err := newSolver().Solve(t.Context(), in, solve.Options{Seed: 1})
	if err != nil || max(cold.Solution.Jobs[0].End, cold.Solution.Jobs[1].End) != 4 {
		t.Errorf("without a start: %+v, %v", cold.Solution, err)
	}
}

// TestWholeFormFromInfinity starts where the objective is infinite: both jobs on one machine, which is then busier than it can be. On two machines it
// is finite.
func TestWholeFormFromInfinity(t *testing.T) {
	in := solvecases.Built(t, func() *model.Builder {
		b := model.NewBuilder("infinite").Minimise("qos_penalty", 1).Cluster(solvecases.Machines("c", 2, 1)).Job(
			model.JobSpec{ID: "a", Work: new(2.0), Deadline: new(9.0)}, model.JobSpec{ID: "b", Work: new(2.0), Deadline: new(9.0)})
		b.Spec().Queueing = &model.QueueingSpec{Rate: 0.8, Period: 2.5}
		return b
	}())
	at := func(job string, start float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.Processors(0), Start: start, End: start + 2}
	}
	start := &model.Solution{Jobs: []model.Placement{at("a", 0), at("b", 2)}}
	before, err := model.Evaluate(in, start)
	if err != nil || !math.IsInf(before.Objective, 1) {
		t.Fatalf("%v, %v", before.Objective, err)
	}
	result, err := newSolver().Solve(t.Context(), in, solve.Options{Start: start, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	after, err := model.Evaluate(in, result.Solution)
	if err != nil || math.IsInf(after.Objective, 1) {
		t.Errorf("%v, %v: %+v", after.Objective, err, result.Solution)
	}
	// With one machine there is no finite schedule, and the run still ends.
	one := solvecases.Built(t, func() *model.Builder {
		b := model.NewBuilder("one").Minimise("qos_penalty", 1).Cluster(solvecases.Machines("c", 1, 1)).Job(
			model.JobSpec{ID: "a", Work: new(2.0), Deadline: new(9.0)}, model.JobSpec{ID: "b", Work: new(2.0), Deadline: new(9.0)})
		b.Spec().Queueing = &model.QueueingSpec{Rate: 0.8, Period: 2.5}
		return b
	}())
	if result, err := newSolver().Solve(t.Context(), one, solve.Options{Start: start, Seed: 1}); err != nil || len(result.Solution.Jobs) != 2 || result.Stop != model.StopDone {
		t.Errorf("%+v, %v", result, err)
	}
}

// TestWholeFormBehindHolds plans behind earlier jobs for objectives that need the whole schedule: no job starts on a processor that is held.
func TestWholeFormBehindHolds(t *testing.T) {
	held := 0
	rapid.Check(t, func(t *rapid.T) {
		in := drawBehind(t, rapid.SampledFrom([]string{"missed", "mean_slowdown", "balance"}).Draw(t, "objective"))
		if comesApart(in) {
			t.Fatal("the clusters are searched one by one")
		}
		if len(in.Held()) > 0 {
			held++
		}
		result, err := small(ga.List).Solve(context.Background(), in, solve.Options{Seed: 2})
		if err != nil {
			t.Fatal(err)
		}
		if report := model.Check(in, result.Solution); !report.OK() {
			t.Fatal(report.Violations[0])
		}
		checkHolds(t, in, result.Solution)
	})
	if held < race.Enough(10) {
		t.Errorf("%d batches behind earlier jobs", held)
	}
}

// TestWholeFormReports follows the progress: it never gets worse, counts as the result does and ends with it. Cancelled runs return the best so far.
func TestWholeFormReports(t *testing.T) {
	in := wholeBatch(t, 60, true)
	start, err := small(ga.List).Solve(t.Context(), in, solve.Options{Seed: 9, MaxEvals: 1})
	if err != nil || start.Evaluations != 1 || start.Stop != model.StopEvaluations {
		t.Fatalf("%d evaluations, %s, %v", start.Evaluations, start.Stop, err)
	}
	began, err := model.Evaluate(in, start.Solution)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []int{0, 1, 4, math.MaxInt} {
		ctx, cancel := context.WithCancel(t.Context())
		if after == 0 {
			cancel()
		}
		last, reports := solve.Progress{Left: in.Owed(start.Solution), Objective: began.Objective}, 0
		result, err := small(ga.List).Solve(ctx, in, solve.Options{Seed: 9, Start: start.Solution, Progress: func(p solve.Progress) {
			if model.NewRank(last.Left, last.Objective).Better(model.NewRank(p.Left, p.Objective)) || p.Evaluations < last.Evaluations || p.Bound.Known() {
				t.Errorf("%+v after %+v", p, last)
			}
			if last = p; reports+1 == after {
				cancel()
			}
			reports++
		}})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, result.Solution)
		if !report.OK() || in.Owed(result.Solution) != last.Left || report.Evaluation.Objective != last.Objective {
			t.Errorf("cancelled after %d: %v, %d owed, objective %v; reported %+v", after, report.Violations, in.Owed(result.Solution), report.Evaluation.Objective, last)
		}
		wantStop := model.StopCancelled
		if after == math.MaxInt {
			wantStop = model.StopDone
		}
		if result.Stop != wantStop || result.Evaluations < last.Evaluations || after > 0 && reports > after {
			t.Errorf("cancelled after %d: %s after %d evaluations, %d reports", after, result.Stop, result.Evaluations, reports)
		}
	}
}

// TestWholeFormRefusesStarts tries starts that the evaluator refuses.
func TestWholeFormRefusesStarts(t *testing.T) {
	in := solvecases.Built(t, model.NewBuilder("starts").Minimise("missed", 1).Cluster(solvecases.Machines("c", 2, 1)).Job(model.JobSpec{ID: "a", Work: new(4.0)}))
	for name, jobs := range map[string][]model.Placement{
		"unknown job":        {{Job: "b", Cluster: "c", Processors: model.Processors(0), End: 4}},
		"unknown cluster":    {{Job: "a", Cluster: "e", Processors: model.Processors(0), End: 4}},
		"twice":              {{Job: "a", Cluster: "c", Processors: model.Processors(0), End: 4}, {Job: "a", Cluster: "c", Processors: model.Processors(1), End: 4}},
		"foreign processors": {{Job: "a", Cluster: "c", Processors: model.Processors(2), End: 4}},
		"no time":            {{Job: "a", Cluster: "c", Processors: model.Processors(0), Start: math.NaN(), End: 4}},
		"pieces":             {{Job: "a", End: 4, Pieces: []model.Piece{{Cluster: "e", Processors: model.Processors(0), Tasks: 1, End: 4}}}},
	} {
		if _, err := newSolver().Solve(t.Context(), in, solve.Options{Start: &model.Solution{Jobs: jobs}}); err == nil || errors.Is(err, solve.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestFastFormIsTakenWhereItCanBe says which objectives and features are searched cluster by cluster. TITAN takes the others too.
func TestFastFormIsTakenWhereItCanBe(t *testing.T) {
	rigid := model.JobSpec{ID: "a", Work: new(1.0), Processors: model.Rigid(2), Deadline: new(4.0)}
	moldable := rigid
	moldable.Processors = model.Moldable(1, 2)
	hard := rigid
	hard.DeadlineHard = true
	for _, c := range []struct {
		objective map[string]float64
		clusters  int
		job       model.JobSpec
		apart     bool
	}{
		{map[string]float64{"mcp": 1}, 2, rigid, true},
		{map[string]float64{"mcp": 1, "mean_wait": -1, "unfinished": 5}, 2, rigid, true},
		{map[string]float64{"makespan": 1}, 2, rigid, true},
		{map[string]float64{"makespan": 1, "data_moved": 1}, 2, rigid, true},
		{map[string]float64{"makespan": 1, "mcp": 1}, 1, rigid, true},
		{map[string]float64{"makespan": -1}, 1, rigid, true},
		{map[string]float64{"cost": 0, "mcp": 1}, 2, rigid, true},
		{map[string]float64{"makespan": 1, "mcp": 1}, 2, rigid, false},
		{map[string]float64{"makespan": -1}, 2, rigid, false},
		{map[string]float64{"balance": 1}, 2, rigid, false},
		{map[string]float64{"mcp": 1, "utilisation": -1}, 2, rigid, false},
		{map[string]float64{"cost": 1}, 2, rigid, false},
		{map[string]float64{"missed": 1}, 2, rigid, false},
		{map[string]float64{"mean_slowdown": 1}, 2, rigid, false},
		{map[string]float64{"mcp": 1}, 2, moldable, false},
		{map[string]float64{"mcp": 1}, 2, hard, false},
	} {
		b := model.NewBuilder("form").Job(c.job)
		for k := range c.clusters {
			b.Cluster(solvecases.Machines(fmt.Sprint("c", k), 2, 1))
		}
		for metric, weight := range c.objective {
			b.Minimise(metric, weight)
		}
		in := solvecases.Built(t, b)
		if found := comesApart(in); found != c.apart {
			t.Errorf("%v on %d clusters: cluster by cluster %v", c.objective, c.clusters, found)
		}
		if err := newSolver().Supports(in); err != nil {
			t.Errorf("%v: %v", c.objective, err)
		}
	}
}
