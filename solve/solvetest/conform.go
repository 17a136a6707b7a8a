// Package solvetest tests solvers against the contract of package solve. A solver of any module should pass [Conform] before it is used:
//
//	func TestMySolver(t *testing.T) { solvetest.Conform(t, info) }
//
// The instances that Conform tries, and the brute force that it compares with, serve other tests too.
package solvetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Conform tests a solver against the contract of [solve.Solver], on about 230 tiny, medium and odd instances. The solver either refuses an
// instance with an error that wraps [solve.ErrUnsupported], or solves it. Then Conform checks:
//
//   - without a time limit there is a schedule, the checker accepts it, and, if no deadline is hard, it leaves out no job that a
//     list schedule places;
//   - on tiny instances the objective is not below that of the best list schedule, and a result with status optimal equals it;
//   - no bound is above the objective of a known schedule, and no instance with a schedule is called infeasible;
//   - the limit of evaluations is kept;
//   - the same seed and limit give the same bytes again, and with 4 workers; progress comes from one goroutine at a time;
//   - when the context ends, before the run or during it, Solve returns in time (a second, as the machine may be busy; the contract says 50 ms),
//     with a correct schedule or none;
//   - a solver that states its steps ([solve.Info].Traces) comes to the same schedule where somebody listens, and the steps add up to it;
//   - a solver that takes a start ([solve.Info].Starts) returns a schedule that is not worse, from a list schedule and from the schedules of all
//     registered solvers: with jobs in pieces, over several clusters, on numbers of processors that were chosen, and left out;
//   - the instance does not change.
//
// All this is asked of the instances as they are stated. Where [solve.Run] leaves out what cannot bind, a further run with that passes the first three checks.
//
// Every registered method of package bound takes part. So Conform also finds a false bound of a method of your own, if it bounds makespan, mcp,
// mean_response, over_deadline or qos_penalty, which these instances minimise.
//
// A panic in the goroutine that calls Solve is reported as a failure. A panic in a goroutine that the solver starts ends the program.
//
// With -short, and under the race detector, Conform tries only some of the instances.
func Conform(t *testing.T, info solve.Info) {
	t.Helper()
	ConformSample(t, info, 1)
}

// ConformSample is [Conform] on one of every oneIn instances. Use it for a solver whose runs take long, such as a program.
func ConformSample(t *testing.T, info solve.Info, oneIn int) {
	t.Helper()
	cases, err := allCases()
	if err != nil {
		t.Fatal(err)
	}
	if race.Enabled { // data races depend more on the solver than on the instance
		cases = slices.DeleteFunc(slices.Clone(cases), func(c testCase) bool { _, err := supports(info, c.in); return err != nil })
		oneIn = min(8*oneIn, max(1, len(cases)))
	}
	var some []testCase
	for k := len(info.Name) % oneIn; k < len(cases); k += oneIn {
		some = append(some, cases[k])
	}
	if c := conform(t, info, some); c != nil {
		c.startsFromOthers(oneIn)
	}
}

const (
	evaluations   = 1000 // of an ordinary run
	fewer         = 300  // of an ordinary run under the race detector
	few           = 50   // of a short run
	tries         = 3    // number of runs, one of which has to end in time
	mostReports   = 8    // largest number of failures that are printed
	leastAccepted = 10   // a solver must accept this number of instances for the test to mean something
)

// limits are the times after which a run counts as wrong.
type limits struct {
	slowest  time.Duration // time for Solve to return after its context ended: more than the 50 ms of the contract, because the machine may be busy
	endless  time.Duration // a run that takes longer does not keep its limit of evaluations
	patience time.Duration // time from the end of its context until a run is given up
}

var usual = limits{time.Second, time.Minute, 15 * time.Second}

// reporter takes failures. It is a [testing.T], or a recorder in the tests of this package.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
}

// conform is Conform on the given cases. It returns nil if it does not try all of them.
func conform(to reporter, info solve.Info, cases []testCase) *conformer {
	to.Helper()
	c := &conformer{to: to, info: info, limits: usual}
	if race.Enabled {
		c.slowest *= 5
	}
	if !c.documented() {
		return nil
	}
	accepted := 0
	for k := range cases {
		c.at = &cases[k]
		if c.accepts() {
			accepted++
			before := shown(c.at)
			if c.holds(); !c.over && shown(c.at) != before {
				c.over = true // the other solvers of the test share it
				c.failf("changes the instance, which it shares with others: it has to copy what it changes")
			}
		}
		if c.over || c.failures >= mostReports {
			to.Errorf("%s: the rest of the instances is not tried", info.Name)
			return nil
		}
	}
	if accepted == 0 || accepted < leastAccepted && len(cases) >= 10*leastAccepted {
		to.Errorf("%s: Supports accepts %d of %d instances: that is too few to learn anything", info.Name, accepted, len(cases))
	}
	return c
}

// conformer tests one solver against the contract.
type conformer struct {
	to       reporter
	info     solve.Info
	at       *testCase // the instance that is tried
	failures int
	limits
	over bool // a run goes on although it should have ended; stop testing, because it would slow down further runs
}

// failf reports a failure on the instance.
func (c *conformer) failf(format string, args ...any) {
	c.to.Helper()
	c.failures++
	c.to.Errorf("%s on %s: %s", c.info.Name, c.at.name, fmt.Sprintf(format, args...))
}

// documented checks that the Info has a name, a doc and a solver.
func (c *conformer) documented() bool {
	c.to.Helper()
	switch {
	case c.info.New == nil:
		c.to.Errorf("%s: Info.New is nil: it has to make a solver", c.info.Name)
		return false
	case c.info.Absent != "":
		c.to.Errorf("%s: the solver is not in this build: %s", c.info.Name, c.info.Absent)
		return false
	case c.info.Name == "" || c.info.Doc == "":
		c.to.Errorf("Info.Name %q and Info.Doc %q: a solver has both", c.info.Name, c.info.Doc)
	}
	return true
}

// shown is the content of an instance as text; empty for the large one, where it would take long.
func shown(at *testCase) string {
	if at.large {
		return ""
	}
	return fmt.Sprintf("%v %v", at.in.Clusters(), at.in.Jobs())
}

// accepts says whether the solver supports the instance.
func (c *conformer) accepts() bool {
	c.to.Helper()
	panicked, err := supports(c.info, c.at.in)
	switch {
	case panicked != "":
		c.failf("Supports panics: %s", panicked)
	case err != nil && !errors.Is(err, solve.ErrUnsupported):
		c.failf("Supports refuses the instance with an error that does not wrap solve.ErrUnsupported: %v", err)
	}
	return err == nil && panicked == ""
}

// holds checks everything on an instance that the solver supports.
func (c *conformer) holds() {
	c.to.Helper()
	limit := int64(race.Fewer(evaluations, fewer))
	opt := solve.Options{Seed: 7, MaxEvals: limit, Workers: 1, Strict: true}
	if c.at.large {
		c.stops()
		return
	}
	first := c.run(context.Background(), opt)
	if !c.ended(first) {
		return
	}
	if first.result.Solution == nil {
		c.failf("no schedule, although there was no limit of time")
		return
	}
	c.honest(first)
	c.keepsLimit(first, limit)
	c.keepsLimit(c.run(context.Background(), solve.Options{Seed: 7, MaxEvals: few, Strict: true, Unbounded: true}), few)
	if solver := c.info.New(); c.reduces(solver) { // all else is asked of the instance as it is stated
		if o := c.runOf(context.Background(), solver, &watched{}, opt); c.ended(o) && o.result.Solution != nil {
			c.honest(o)
		}
	}
	if c.same(first, opt) {
		c.stops()
		c.starts(opt)
	}
}

// reduces says whether [solve.Run] leaves something out of the instance for the solver.
func (c *conformer) reduces(solver solve.Solver) bool {
	reduced, _ := solve.NewPresolver(c.at.in).For(solver, false)
	return reduced != c.at.in
}

// ended reports whether a run has ended and its schedule is correct. If not, it reports the failure.
func (c *conformer) ended(o outcome) bool {
	c.to.Helper()
	var wrong *solve.WrongScheduleError
	var refuted *solve.RefutedBound
	switch {
	case o.hangs:
		c.over = true
		c.failf("Solve goes on %s after its context ended: it has to look at ctx now and then", c.patience)
	case o.panicked != "":
		c.failf("Solve panics: %s", o.panicked)
	case errors.As(o.err, &wrong):
		c.failf("a wrong schedule: %v. The instance asks for: %s; what the solver does not honour, Supports has to refuse", o.err, asked(c.at.in))
	case errors.As(o.err, &refuted):
		c.failf("a false bound: %v", o.err)
	case o.err != nil:
		c.failf("Solve fails, which is for bad input and bugs: %v", o.err)
	case o.endless:
		c.failf("Solve did not stop within %s: it has to keep Options.MaxEvals", c.endless)
	default:
		return true
	}
	return false
}

// asked names the features that the instance asks for.
func asked(in *model.Instance) string {
	if in.Features() == 0 {
		return "nothing special"
	}
	return in.Features().String()
}

// honest compares the claims of the result with the facts that are known of the instance.
func (c *conformer) honest(o outcome) {
	c.to.Helper()
	sol := o.result.Solution
	if c.at.placesAll && c.at.in.Features()&model.HardDeadlines == 0 && len(sol.Unscheduled) > 0 {
		c.failf("leaves out %d of %d jobs, %s first (%q), although a simple list schedule places them all", len(sol.Unscheduled), len(c.at.in.Jobs()),
			sol.Unscheduled[0].Job, sol.Unscheduled[0].Reason)
	}
	if o.raw.Status == model.Infeasible && c.at.reference != nil {
		c.failf("says that the instance is infeasible, and there is a schedule with the objective %v", c.at.evaluation.Objective)
	}
	if sol.Objective == nil {
		return
	}
	objective, optimal := *sol.Objective, o.raw.Status == model.Optimal || o.result.Status == model.Optimal
	if c.at.placesAll && len(sol.Unscheduled) == 0 && c.at.evaluation.Refutes(sol.Bound) {
		c.failf("states the lower bound %v, and there is a schedule with the objective %v", sol.Bound, c.at.evaluation.Objective)
	}
	best := c.at.best
	if math.IsNaN(best) {
		return
	}
	tolerance := model.Tolerance * math.Abs(best)
	switch {
	case objective < best-tolerance:
		c.failf("objective %v, below the best of all list schedules, %v", objective, best)
	case optimal && objective > best+tolerance:
		c.failf("says that the objective %v is optimal; the optimum is %v", objective, best)
	case sol.Bound.Or(math.Inf(-1)) > best+tolerance:
		c.failf("states the lower bound %v, and the optimum is %v", sol.Bound, best)
	}
}

// keepsLimit checks the number of evaluations.
func (c *conformer) keepsLimit(o outcome, limit int64) {
	c.to.Helper()
	if !c.ended(o) {
		return
	}
	if n := o.raw.Evaluations; n > limit {
		c.failf("%d evaluations, and Options.MaxEvals is %d", n, limit)
	}
}

// same checks that the same seed gives the same bytes with 4 workers, and when it is run again. Somebody listens to the steps of a solver that states
// them; [solve.Run] checks that they add up to the schedule.
func (c *conformer) same(first outcome, opt solve.Options) bool {
	c.to.Helper()
	progress := &lone{}
	opt.Workers, opt.Progress = 4, progress.take
	if c.info.Traces {
		opt.Trace = func(solve.Step) {}
	}
	if !first.raw.Bound.Known() { // the bound that Run adds takes longer than most solvers
		opt.Unbounded = true
		quick := c.run(context.Background(), opt)
		if !c.ended(quick) {
			return false
		}
		if quick.repeats(first) && !progress.together.Load() {
			return true
		}
		opt.Unbounded = false
	}
	four := c.run(context.Background(), opt)
	if !c.ended(four) {
		return false
	}
	if progress.together.Load() {
		c.failf("Options.Progress is called from two goroutines at a time")
	}
	want, got := encoded(first.result.Solution), encoded(four.result.Solution)
	if bytes.Equal(want, got) {
		return true
	}
	if opt.Trace != nil {
		opt.Trace = nil
		if silent := c.run(context.Background(), opt); silent.err == nil && bytes.Equal(want, encoded(silent.result.Solution)) {
			c.failf("Options.Trace changes the schedule; %s", difference(want, got))
			return false
		}
	}
	opt.Workers, opt.Progress = 1, nil
	for range tries {
		again := c.run(context.Background(), opt)
		if !c.ended(again) {
			return false
		}
		if text := encoded(again.result.Solution); !bytes.Equal(want, text) {
			c.failf("not deterministic: two runs with the same seed and 1 worker give two solutions; %s", difference(want, text))
			return false
		}
	}
	c.failf("not deterministic: 1 and 4 workers give two solutions with the same seed; %s", difference(want, got))
	return false
}

// stops cancels runs before they begin and while they run.
func (c *conformer) stops() {
	c.to.Helper()
	delays := []time.Duration{0, 100 * time.Microsecond}
	if c.at.large {
		delays = []time.Duration{0, 20 * time.Millisecond}
	}
	for _, after := range delays {
		least := time.Duration(math.MaxInt64)
		for range tries {
			ctx, cancel := context.WithCancel(context.Background())
			if timer := time.AfterFunc(after, cancel); after == 0 {
				timer.Stop()
				cancel()
			}
			o := c.run(ctx, solve.Options{Seed: 7, Strict: true})
			cancel()
			if !c.ended(o) {
				return
			}
			if least = min(least, o.late); least <= c.slowest {
				break
			}
		}
		if least > c.slowest {
			c.over = true
			c.failf("Solve returns %s after its context ended, in the quickest of %d runs; the contract allows 50 ms", least.Round(time.Millisecond), tries)
			return
		}
	}
}

// starts checks that a solver that takes a start returns a schedule that is not worse.
func (c *conformer) starts(opt solve.Options) {
	c.to.Helper()
	if c.info.Starts && c.at.reference != nil {
		opt.MaxEvals /= 10
		c.startsFrom(begin{"a list schedule", c.at.reference, c.at.evaluation}, opt)
	}
}

// encoded writes a solution as bytes.
func encoded(sol *model.Solution) []byte {
	var text bytes.Buffer
	if sol == nil {
		return nil
	}
	if err := model.WriteSolution(&text, sol); err != nil {
		return []byte(err.Error())
	}
	return text.Bytes()
}

// difference shows the first line that differs.
func difference(a, b []byte) string {
	one, other := bytes.Split(a, []byte("\n")), bytes.Split(b, []byte("\n"))
	for k := range min(len(one), len(other)) {
		if !bytes.Equal(one[k], other[k]) {
			return fmt.Sprintf("line %d is %.100q and %.100q", k+1, one[k], other[k])
		}
	}
	return fmt.Sprintf("%d and %d lines", len(one), len(other))
}
