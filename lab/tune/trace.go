package tune

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// TraceMetrics are the metrics that a policy can be tuned for: those that package lab judges.
var TraceMetrics = []string{"mean_wait", "bounded_slowdown"}

// The windows of a trace: each is long enough for a queue to build up and short enough for many races.
const (
	windowJobs  = 1000 // jobs that count, about
	mostWindows = 60
	filling     = 0.5  // jobs before them that fill the system, as a share
	gapShare    = 0.02 // of the time of the trace, between what the races see and what is set aside
)

// Trace tunes a policy on a trace for a metric of [TraceMetrics]. The last part of the trace, by time, is set aside. The rest, without a gap before that part, is cut into windows,
// on which the races run; the jobs before a window fill the system and do not count. The judgement compares both policies on the part that was set aside, with a paired
// bootstrap over days, see package lab.
func Trace(ctx context.Context, space *Space, in *model.Instance, metric string, opt Options) (*Answer, error) {
	if !slices.Contains(TraceMetrics, metric) {
		return nil, fmt.Errorf("metric: expected one of %v, found %q", TraceMetrics, metric)
	}
	if err := trainable(space, in); err != nil {
		return nil, err
	}
	parts, err := partTrace(in, metric, opt.HeldOut)
	if err != nil {
		return nil, err
	}
	opt.Test = cmp.Or(opt.Test, ByMean)
	about, held, err := againstRecord(ctx, space, in, metric, &opt)
	if held != nil || err != nil {
		return held, err
	}
	t := &tuning{space: space, opt: opt}
	t.question.Metric, t.question.Trace, t.question.Digest, t.question.Queues = metric, in.Name(), in.SHA256(), lab.QueuesOf(in)
	t.question.SetAside = []string{fmt.Sprintf("the last %d jobs", len(parts.held))}
	if err := t.open(ctx, parts.plan, parts.places, nil); err != nil {
		return nil, err
	}
	defer t.session.Close()
	if err := t.search(ctx, inSession(t.session), parts.places, 1, parts.judgement()); err != nil {
		return nil, err
	}
	a, err := t.answer(ctx)
	if err != nil {
		return nil, err
	}
	a.Caveats, a.About = in.Caveats(), about
	if t.best != t.race.standing {
		t.tell(1, "judging on what was set aside")
		if err := t.judgeTrace(ctx, a, only(in, parts.held), metric); err != nil {
			return nil, err
		}
		a.decide()
	}
	return a, space.slurm.answer(a, t.best.choice.Given)
}

// againstRecord says how near what stands comes to the record of a trace that states the policy of its site, see [lab.AgainstRecord]. Where it does not explain it, the answer that keeps it is
// held.
func againstRecord(ctx context.Context, space *Space, in *model.Instance, metric string, opt *Options) (about []string, held *Answer, err error) {
	if lab.SiteText(in) == "" {
		return nil, nil, nil
	}
	base := space.base
	base.Label = text(&base)
	row := bench.Measure(ctx, base, in, bench.Settings{Options: solve.Options{Seed: opt.Seed, Unbounded: true}})
	switch {
	case ctx.Err() != nil:
		return nil, nil, ctx.Err()
	case row.Solution == nil:
		return nil, nil, fmt.Errorf("%s: %s", row.Solver, cmp.Or(row.Fault, "no schedule"))
	}
	run := lab.Run{Policy: row.Solver, Online: true, Solution: row.Solution}
	if space.slurm != nil {
		run.Policy = lab.Site
	}
	about, withheld, err := lab.AgainstRecord(ctx, in, run, opt.Lab, opt.Anyway)
	if err != nil || !withheld {
		return about, nil, err
	}
	held = &Answer{
		Caveats: in.Caveats(), About: about, Withheld: true, Format: format, Version: solve.Version(), Found: base.Label, Recommended: base.Label, Keep: true, Races: []Iteration{},
		Question: Question{Solver: base.Label, Space: space.Dimensions, Metric: metric, Trace: in.Name(), Queues: lab.QueuesOf(in), Training: []string{}, SetAside: []string{}, Digest: in.SHA256(), Seed: opt.Seed, Confidence: opt.Confidence},
	}
	return about, held, space.slurm.answer(held, nil)
}

// traceParts are the windows of a trace, to race on, and the jobs of the part that is set aside.
type traceParts struct {
	plan   *bench.Plan
	places []int // of the windows in the plan
	held   []int
	window int // jobs of the first window
}

// partTrace parts a trace.
func partTrace(in *model.Instance, metric string, heldOut float64) (*traceParts, error) {
	order := byArrival(in)
	windows, held, err := cutTrace(in, order, heldOut)
	if err != nil {
		return nil, err
	}
	parts := &traceParts{plan: &bench.Plan{Suite: &bench.Suite{Format: bench.SuiteFormat, Name: "tune", Objective: metric}}, held: held, window: windows[0].to - windows[0].from}
	for k, w := range windows {
		var measured *bench.Window
		if w.filling > 0 {
			measured = &bench.Window{WarmUp: w.filling}
		}
		planned := bench.Made(only(in, order[w.from:w.to]), measured)
		planned.Name = fmt.Sprintf("window %d", k+1)
		parts.plan.Instances, parts.places = append(parts.plan.Instances, planned), append(parts.places, k)
	}
	return parts, nil
}

// judgement is what the judgement takes, in runs of a window.
func (p *traceParts) judgement() float64 { return 2 * max(1, float64(len(p.held))/float64(p.window)) }

// judgeTrace runs both policies on the part of the trace that was set aside.
func (t *tuning) judgeTrace(ctx context.Context, a *Answer, part *model.Instance, metric string) error {
	var runs []lab.Run
	for _, c := range []*candidate{t.race.standing, t.best} {
		row := bench.Measure(ctx, *c.choice, part, bench.Settings{Options: solve.Options{Seed: t.opt.Seed, Unbounded: true}})
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case row.Solution == nil:
			return fmt.Errorf("%s: %s", row.Solver, cmp.Or(row.Fault, "no schedule"))
		}
		a.spend(1, row.Elapsed)
		runs = append(runs, lab.Run{Policy: row.Solver, Online: true, Solution: row.Solution})
	}
	if t.space.slurm != nil {
		runs[0].Policy, runs[1].Policy = standingConf, changedConf
	}
	opt := t.opt.Lab
	opt.WarmUp, opt.Confidence, opt.Known = 0.05, t.opt.Confidence, true // the two know equally much
	report, err := lab.Compare(ctx, part, runs, opt)
	if err != nil {
		return err
	}
	a.Policies = report
	policies := report.Groups[0].Policies
	class := &policies[1].Classes[0]
	d := class.WaitDifference
	if metric != "mean_wait" {
		d = class.SlowdownDifference
	}
	a.HeldOut = &Gain{}
	if d == nil || policies[1].LeftOut != policies[0].LeftOut { // means over different jobs say nothing
		return nil
	}
	*a.HeldOut = Gain{Cases: d.Jobs, Ratio: d.Ratio, Low: d.RatioLow, High: d.RatioHigh, Better: d.Less, Worse: d.Greater, Equal: d.Jobs - d.Less - d.Greater}
	return nil
}

// byArrival lists the jobs in the order of their arrival; ties keep the order of the instance.
func byArrival(in *model.Instance) []int {
	order := make([]int, len(in.Jobs()))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
	return order
}

// cut is a window: jobs from … to of the order, of which the first ones fill the system.
type cut struct{ from, to, filling int }

// cutTrace cuts the time of a trace. It is an error if the trace is too short for it.
func cutTrace(in *model.Instance, order []int, heldOut float64) (windows []cut, held []int, err error) {
	jobs := in.Jobs()
	if len(order) < 2*windowJobs {
		return nil, nil, fmt.Errorf("expected a trace of at least %d jobs, found %d", 2*windowJobs, len(order))
	}
	first, last := jobs[order[0]].Arrival, jobs[order[len(order)-1]].Arrival
	from := last - heldOut*(last-first)
	after := func(t float64) int {
		return slices.IndexFunc(order, func(j int) bool { return jobs[j].Arrival >= t })
	}
	begin, end := after(from), after(from-gapShare*(last-first))
	if !(last > first) || end < 0 || len(order)-begin < windowJobs || end < windowJobs {
		return nil, nil, errors.New("expected jobs that arrive over all the time of the trace, found too few before or in the part to be set aside")
	}
	count := min(mostWindows, max(firstTest, int(math.Round(float64(end)/windowJobs))))
	for k := range count {
		w := cut{from: k * end / count, to: (k + 1) * end / count}
		w.filling = min(w.from, int(filling*float64(w.to-w.from)))
		w.from -= w.filling
		windows = append(windows, w)
	}
	return windows, order[begin:], nil
}

// only is the instance with the given jobs alone.
func only(in *model.Instance, jobs []int) *model.Instance {
	arrivals := make([]float64, len(jobs))
	for k, j := range jobs {
		arrivals[k] = in.Jobs()[j].Arrival
	}
	return in.Batch(jobs, arrivals, nil)
}

// digest is the digest of what the races run on.
func digest(plan *bench.Plan, trace string) string {
	hash := sha256.New()
	hash.Write([]byte(trace))
	for k := range plan.Instances {
		hash.Write([]byte(plan.Instances[k].SHA256))
	}
	return hex.EncodeToString(hash.Sum(nil)[:16])
}
