package solvetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
)

// listing is a correct solver, into which the tests put faults.
type listing struct {
	honours func(in *model.Instance) error                                          // nil: what a list schedule honours
	order   func(in *model.Instance, order []int, opt solve.Options)                // nil: as the jobs arrive
	before  func(ctx context.Context, in *model.Instance, opt solve.Options)        // nil: nothing
	place   func(in *model.Instance, s *plan.Schedule, job int) bool                // true: it is done
	after   func(in *model.Instance, result *solve.Result, opt solve.Options) error // nil: nothing
}

func (l *listing) Supports(in *model.Instance) error {
	if l.honours != nil {
		return l.honours(in)
	}
	return solve.Unsupported(in, plan.ScheduleFeatures)
}

func (l *listing) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if l.before != nil {
		l.before(ctx, in, opt)
	}
	s, err := plan.NewSchedule(in)
	if err != nil {
		return solve.Result{}, err
	}
	order := plan.ArrivalOrder(in)
	if l.order != nil {
		l.order(in, order, opt)
	}
	for _, job := range plan.Topological(in, order) {
		if ctx.Err() != nil {
			return solve.Stopped(ctx), nil
		}
		if l.place == nil || !l.place(in, s, job) {
			earliest(in, s, job)
		}
	}
	result := solve.Result{Solution: s.Solution(), Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}
	if l.after != nil {
		if err := l.after(in, &result, opt); err != nil {
			return solve.Result{}, err
		}
	}
	return result, nil
}

// earliest places the job where it ends first.
func earliest(in *model.Instance, s *plan.Schedule, job int) {
	var best plan.Slot
	found := false
	for c := range in.Clusters() {
		if slot, ok := s.Earliest(job, c); ok && (!found || slot.End < best.End) {
			best, found = slot, true
		}
	}
	if found {
		s.Place(job, best)
	} else {
		s.LeaveUnplaceable(job)
	}
}

// recorder keeps the reported failures.
type recorder struct{ texts []string }

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	r.texts = append(r.texts, fmt.Sprintf(format, args...))
}

// about makes the Info of the solver.
func about(l *listing) solve.Info {
	return solve.Info{Name: "tried", Doc: "Tried.", New: func() solve.Solver { copied := *l; return &copied }}
}

// A correct solver passes. Each broken one fails, and the first report says what is wrong with it.
func TestConformFindsWhatIsWrong(t *testing.T) {
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	var runs atomic.Int64
	limit := race.Fewer(evaluations, fewer)
	for _, broken := range []struct {
		name string
		info solve.Info
		want []string // in the first report; none: it passes
	}{
		{"right", about(&listing{}), nil},
		{"right, refuses most", about(&listing{honours: func(in *model.Instance) error { return solve.Unsupported(in, model.ParallelJobs|model.Arrivals) }}), nil},
		{"no New", solve.Info{Name: "tried", Doc: "Tried."}, []string{"Info.New is nil"}},
		{"no doc", solve.Info{Name: "tried", New: about(&listing{}).New}, []string{`Info.Doc ""`}},
		{"not in the build", solve.Info{Name: "tried", Doc: "Tried.", New: about(&listing{}).New, Absent: "needs a library"}, []string{"not in this build: needs a library"}},
		{"refuses everything", about(&listing{honours: func(*model.Instance) error { return fmt.Errorf("%w: all", solve.ErrUnsupported) }}),
			[]string{"accepts 0 of", "too few"}},
		{"refuses with another error", about(&listing{honours: func(*model.Instance) error { return fmt.Errorf("no") }}), []string{"does not wrap solve.ErrUnsupported: no"}},
		{"ignores hard deadlines", about(&listing{after: delayed}), []string{"wrong schedule", "deadline", "Supports has to refuse"}},
		{"ignores precedence", about(&listing{after: shuffledStarts}), []string{"wrong schedule", "refused by the checker"}},
		{"returns nothing", about(&listing{after: func(_ *model.Instance, r *solve.Result, _ solve.Options) error { r.Solution = nil; return nil }}),
			[]string{"no schedule, although there was no limit of time"}},
		{"leaves out jobs", about(&listing{place: func(_ *model.Instance, s *plan.Schedule, job int) bool {
			s.Leave(job, "no wish")
			return true
		}}), []string{"leaves out", `"no wish"`, "places them all"}},
		{"false optimum", about(&listing{after: func(_ *model.Instance, r *solve.Result, _ solve.Options) error { r.Status = model.Optimal; return nil }}),
			[]string{"is optimal; the optimum is"}},
		{"calls infeasible what it solved", about(&listing{after: func(_ *model.Instance, r *solve.Result, _ solve.Options) error {
			r.Status = model.Infeasible
			return nil
		}}),
			[]string{"says that the instance is infeasible, and there is a schedule"}},
		{"never the same", about(&listing{after: func(_ *model.Instance, r *solve.Result, _ solve.Options) error {
			r.Evaluations = 1 + runs.Add(1)%40
			return nil
		}}), []string{"not deterministic: two runs with the same seed and 1 worker", "line "}},
		{"workers matter", about(&listing{order: func(_ *model.Instance, order []int, opt solve.Options) { shuffle(order, uint64(opt.Workers)) }}),
			[]string{"not deterministic: 1 and 4 workers"}},
		{"more evaluations than allowed", about(&listing{after: func(_ *model.Instance, r *solve.Result, opt solve.Options) error {
			r.Evaluations = opt.MaxEvals + 1
			return nil
		}}), []string{fmt.Sprintf("%d evaluations, and Options.MaxEvals is %d", limit+1, limit)}},
		{"progress from everywhere", about(&listing{before: crowd}), []string{"Options.Progress is called from two goroutines at a time"}},
		{"panics", about(&listing{before: func(_ context.Context, in *model.Instance, _ solve.Options) { _ = in.Jobs()[1000] }}),
			[]string{"Solve panics: runtime error: index out of range", "conform_test.go"}},
		{"Supports panics", about(&listing{honours: func(in *model.Instance) error { _ = in.Jobs()[1000]; return nil }}), []string{"Supports panics: runtime error"}},
		{"fails", about(&listing{after: func(*model.Instance, *solve.Result, solve.Options) error { return fmt.Errorf("no luck") }}),
			[]string{"Solve fails, which is for bad input and bugs", "no luck"}},
		{"bound between the optimum and what it reached", about(&listing{after: nearBound}), []string{"states the lower bound", "and the optimum is"}},
		{"right, states its steps", stepping(&listing{after: tellAll}), nil},
		{"states no steps", stepping(&listing{}), []string{"Solve fails", "the steps of the run are wrong: the schedule has job", "where no step has placed it"}},
		{"steps change the schedule", stepping(&listing{after: tellAll, order: func(_ *model.Instance, order []int, opt solve.Options) {
			if opt.Trace != nil {
				shuffle(order, 3)
			}
		}}), []string{"Options.Trace changes the schedule; line "}},
		{"leaves out what its start places", leavesOut(), []string{"takes a start (Info.Starts) and hands back a worse schedule", "with 1 jobs owed", "with 0 by"}},
		{"worsens its start", worsens(), []string{"takes a start (Info.Starts) and hands back a worse schedule"}},
	} {
		t.Run(broken.name, func(t *testing.T) {
			var heard recorder
			conform(&heard, broken.info, cases)
			expect(t, heard.texts, broken.want)
		})
	}
}

// A solver that ignores its context fails, whether it is late or never ends. The test does not wait for the one that never ends.
func TestConformFindsWhoIgnoresTheContext(t *testing.T) {
	cases, err := casesOf([]recipe{{"plain", solvecases.Medium(1, false), nil}})
	if err != nil {
		t.Fatal(err)
	}
	for _, broken := range []struct {
		name           string
		runs, patience time.Duration // run time of the solver without a limit of evaluations, and when the test gives it up
		want           string
	}{{"late", 60 * time.Millisecond, time.Minute, "after its context ended, in the quickest of 3 runs; the contract allows 50 ms"}, {"endless", time.Hour, 200 * time.Millisecond, "Solve goes on 200ms after its context ended"}} {
		t.Run(broken.name, func(t *testing.T) {
			var heard recorder
			stop := make(chan struct{})
			defer close(stop)
			c := &conformer{to: &heard, info: about(&listing{before: func(_ context.Context, _ *model.Instance, opt solve.Options) {
				if opt.MaxEvals == 0 {
					select {
					case <-time.After(broken.runs):
					case <-stop:
					}
				}
			}}), at: &cases[0], limits: limits{slowest: 30 * time.Millisecond, patience: broken.patience, endless: 2 * time.Minute}}
			c.holds()
			expect(t, heard.texts, []string{broken.want})
		})
	}
}

// A solver that writes into the instance is found. No other test uses this instance.
func TestConformFindsWhoChangesTheInstance(t *testing.T) {
	cases, err := casesOf([]recipe{{"plain", solvecases.Medium(1, false), nil}, {"next", solvecases.Medium(2, false), nil}})
	if err != nil {
		t.Fatal(err)
	}
	var heard recorder
	conform(&heard, about(&listing{before: func(_ context.Context, in *model.Instance, _ solve.Options) { in.Jobs()[0].Estimate = 12345 }}), cases)
	expect(t, heard.texts, []string{"tried on plain: changes the instance, which it shares with others"})
	if len(heard.texts) != 2 || !strings.Contains(heard.texts[1], "the rest of the instances is not tried") {
		t.Errorf("%q", heard.texts)
	}
}

// A solver that ignores the limit of evaluations is stopped by a context that the test ends.
func TestConformFindsWhoIgnoresTheLimitOfEvaluations(t *testing.T) {
	cases, err := casesOf([]recipe{{"plain", solvecases.Medium(1, false), nil}})
	if err != nil {
		t.Fatal(err)
	}
	var heard recorder
	c := &conformer{to: &heard, info: about(&listing{before: func(ctx context.Context, _ *model.Instance, _ solve.Options) { <-ctx.Done() }}),
		at: &cases[0], limits: limits{slowest: time.Second, patience: time.Minute, endless: 50 * time.Millisecond}}
	c.holds()
	expect(t, heard.texts, []string{"Solve did not stop within 50ms: it has to keep Options.MaxEvals"})
}

// expect checks that the first report contains the texts. Without texts there must be no report.
func expect(t *testing.T, reports, want []string) {
	t.Helper()
	if len(want) == 0 {
		if len(reports) > 0 {
			t.Errorf("a right solver fails: %s", reports[0])
		}
		return
	}
	if len(reports) == 0 {
		t.Fatalf("nothing is found; expected %q", want)
	}
	for _, text := range want {
		if !strings.Contains(reports[0], text) {
			t.Errorf("the first report lacks %q: %s", text, reports[0])
		}
	}
	if len(reports) > mostReports+2 { // the last instance may give two reports, and one more says that the rest is not tried
		t.Errorf("%d reports", len(reports))
	}
}

// stepping makes the Info of a solver that states its steps.
func stepping(l *listing) solve.Info {
	info := about(l)
	info.Traces = true
	return info
}

// tellAll tells of the whole schedule as one step.
func tellAll(_ *model.Instance, r *solve.Result, opt solve.Options) error {
	if opt.Trace != nil {
		opt.Trace(solve.Step{Reason: sim.Reason{Rule: "all", Text: "all at once"}, Placed: r.Solution.Jobs})
	}
	return nil
}

// delayed starts all jobs later where there are hard deadlines, whatever these say. Elsewhere a delay could round jobs of very short times away.
func delayed(in *model.Instance, r *solve.Result, _ solve.Options) error {
	const delay = 64
	if in.Features()&model.HardDeadlines == 0 {
		return nil
	}
	for k := range r.Solution.Jobs {
		p := &r.Solution.Jobs[k]
		p.Start, p.End = p.Start+delay, model.End(p.Start+delay, p.End-p.Start)
	}
	return nil
}

// shuffledStarts starts all jobs at their arrival, even if they wait for other jobs or other jobs hold the processors.
func shuffledStarts(in *model.Instance, r *solve.Result, _ solve.Options) error {
	for k := range r.Solution.Jobs {
		p := &r.Solution.Jobs[k]
		j, _ := in.JobIndex(p.Job)
		p.End += in.Jobs()[j].Arrival - p.Start
		p.Start = in.Jobs()[j].Arrival
	}
	return nil
}

// shuffle puts the jobs in another order for each seed.
func shuffle(order []int, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	rng.Shuffle(len(order), func(a, b int) { order[a], order[b] = order[b], order[a] })
}

// crowd reports progress from two goroutines that wait for each other.
func crowd(_ context.Context, _ *model.Instance, opt solve.Options) {
	if opt.Progress == nil {
		return
	}
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 2000 {
				opt.Progress(solve.Progress{})
			}
		})
	}
	group.Wait()
}

// nearBound states a bound that lies just below what was reached, whether or not there is anything better.
func nearBound(in *model.Instance, r *solve.Result, _ solve.Options) error {
	evaluation, err := model.Evaluate(in, r.Solution)
	r.Bound = model.ProvedBound(evaluation.Objective * (1 - 1e-6))
	return err
}

// leavesOut takes a start and leaves out the last job.
func leavesOut() solve.Info {
	info := about(&listing{after: func(_ *model.Instance, r *solve.Result, opt solve.Options) error {
		if jobs := r.Solution.Jobs; opt.Start != nil && len(jobs) > 0 {
			last := len(jobs) - 1
			r.Solution.Jobs = jobs[:last]
			r.Solution.Unscheduled = append(r.Solution.Unscheduled, model.Unscheduled{Job: jobs[last].Job, Reason: "no wish"})
		}
		return nil
	}})
	info.Starts = true
	return info
}

// worsens takes a start and places each job on the first cluster that can take it, whatever the start.
func worsens() solve.Info {
	info := about(&listing{place: func(in *model.Instance, s *plan.Schedule, job int) bool {
		for c := range in.Clusters() {
			if slot, ok := s.Earliest(job, c); ok { // the first cluster that can take it
				s.Place(job, slot)
				return true
			}
		}
		return false
	}})
	info.Starts = true
	return info
}
