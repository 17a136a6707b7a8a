package forecast

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Forecast says when jobs would start.
type Forecast struct {
	Instance string  `json:"instance,omitempty"`
	Solver   string  `json:"solver"`
	TimeUnit string  `json:"time_unit"`
	At       float64 `json:"at"`
	// Runs is the number of futures; 0: there are no quantiles, see Reason.
	Runs     int    `json:"runs"`
	Seed     uint64 `json:"seed"`
	Ended    int    `json:"ended_jobs"` // jobs whose ratios run time/estimate were known
	Arrivals bool   `json:"arrivals"`   // jobs arrive after T in the futures
	// Trials are the forecasts of the past that the quantiles are calibrated by; with 0 they are those of the futures. Sharing says which jobs share a draw in a future.
	Trials  int    `json:"trials"`
	Sharing string `json:"sharing,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Jobs    []Job  `json:"jobs"` // in the order of the queue
}

// Job is the forecast of a job. A time is nil where the job does not start.
type Job struct {
	Job        string  `json:"job"`
	User       string  `json:"user,omitempty"`
	Processors int     `json:"processors"`
	Submitted  float64 `json:"submitted"`
	// Expected is the start if every job runs as long as the policy expects and none arrives after T.
	Expected *float64 `json:"expected_start"`
	// P10, P50 and P90 are the times by which it has started in 10, 50 and 90 % of the futures; all are absent where Runs is 0.
	P10 *float64 `json:"p10,omitempty"`
	P50 *float64 `json:"p50,omitempty"`
	P90 *float64 `json:"p90,omitempty"`
}

// StartsAt says whether the job starts at a time in all that was simulated.
func (j *Job) StartsAt(at float64) bool {
	for _, start := range []*float64{j.P10, j.P90} {
		if start != nil && *start != at {
			return false
		}
	}
	return j.Expected != nil && *j.Expected == at
}

// Queue forecasts at a time the start of one job, by its id, or if the id is empty the starts of all jobs that have arrived and not started. The past
// consists of the jobs of the instance that have ended by then and of the history, if it is not nil. With fewer than opt.Least ended jobs, or where a job that runs or waits states no estimate, there are
// no quantiles, only expected starts and a reason. Up to opt.Trials forecasts of the past calibrate the quantiles: those of the instance or, where it has too few, of the trace of the history,
// which is replayed under the policy where it is a single cluster of equal processors. If ctx ends after some runs, the quantiles are those of the finished runs.
//
// Complexity: a simulation of the instance, and one for each run: of the jobs that run and wait and of those that arrive until the jobs asked for
// have started, if a run can begin in the middle and the policy decides afresh at each instant; otherwise of all jobs since the last moment at which
// none waited, or since the beginning. The trials simulate about as many jobs as the runs, and up to 65,536 more, unless fewer than 40 trials fit in that.
func Queue(ctx context.Context, name string, policy solve.Policy, in *model.Instance, at float64, job string, history *History, opt Options) (*Forecast, error) {
	opt, err := opt.For(in)
	if err != nil {
		return nil, err
	}
	t, err := replay(ctx, in, policy, opt.Seed)
	if err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	var asked []int
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		if j.Arrival <= at && !(t.start[k] < at) && !(t.left[k] < at) && (job == "" || j.ID == job) {
			asked = append(asked, k)
		}
	}
	if job != "" && len(asked) == 0 {
		return nil, fmt.Errorf("expected a job that waits at %v, found %q", at, job)
	}
	slices.SortStableFunc(asked, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
	f := &Forecast{Instance: in.Name(), Solver: name, TimeUnit: cmp.Or(in.Units().Time, "s"), At: at, Seed: opt.Seed, Jobs: make([]Job, len(asked))}
	expected, err := t.momentAt(at, asked, newHistory(nil), &Options{Runs: 1, Seed: opt.Seed, Elapsed: opt.Elapsed}).run(ctx, 0)
	if err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	for k, index := range asked {
		j := &in.Jobs()[index]
		f.Jobs[k] = Job{Job: j.ID, User: j.User(), Processors: j.Min, Submitted: j.Arrival, Expected: finite(expected[k])}
	}
	past := history.with(t.records())
	f.Ended = past.upTo(past.all, at)
	if f.Reason = t.unknown(at, past, &opt); f.Reason != "" {
		return f, nil
	}
	m := t.momentAt(at, asked, past, &opt)
	calibration, err := m.calibrate(ctx, history, past)
	if err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	m.by, f.Arrivals = calibration.by, m.past != nil
	f.Trials, f.Sharing = len(calibration.trials), calibration.by.String()
	return f, f.fill(ctx, m, calibration)
}

// calibrate makes trials of the past of a moment or, where it has too few, of the trace of the history. They simulate about as many jobs as the forecast.
func (m *moment) calibrate(ctx context.Context, history, past *History) (*calibration, error) {
	jobs := len(m.jobs)
	if m.general != nil {
		jobs = len(m.general.Jobs())
	}
	work := float64(m.opt.Runs*jobs + spareWork)
	c, err := newTrials(m.truth, past, m.opt).within(m.at, work).calibrate(ctx, m.at, work, m.opt.workers())
	if err != nil || len(c.trials) > 0 || history == nil || history.trace == nil || m.opt.Trials == 0 || m.policy.Supports(history.trace) != nil {
		return c, err
	}
	t, err := replay(ctx, lastJobs(history.trace), m.policy, m.seed)
	if err != nil || t.whole {
		return c, ended(ctx, err)
	}
	trials := newTrials(t, newHistory(t.records()), m.opt)
	if len(trials.gone) == 0 {
		return c, nil
	}
	end := trials.gone[len(trials.gone)-1]
	return trials.within(end, work).calibrate(ctx, end, work, m.opt.workers())
}

// lastJobs is a trace with its last jobs only, where it is longer than a replay should take.
func lastJobs(in *model.Instance) *model.Instance {
	const most = 20_000
	n := len(in.Jobs())
	if n <= most {
		return in
	}
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
	order = order[n-most:]
	slices.Sort(order)
	arrivals := make([]float64, most)
	for k, j := range order {
		arrivals[k] = in.Jobs()[j].Arrival
	}
	return in.Batch(order, arrivals, in.Held())
}

// fill runs the futures and fills in the quantiles.
func (f *Forecast) fill(ctx context.Context, m *moment, c *calibration) error {
	starts, err := m.futures(ctx, m.opt.workers())
	if err != nil {
		return fmt.Errorf("solver %s: %w", f.Solver, err)
	}
	if f.Runs = len(starts); f.Runs == 0 {
		return ctx.Err()
	}
	if f.Runs < m.opt.Runs {
		f.Reason = fmt.Sprintf("stopped after %d of %d futures", f.Runs, m.opt.Runs)
	}
	for k := range f.Jobs {
		q := c.of(quantilesOf(starts, k), f.At)
		f.Jobs[k].P10, f.Jobs[k].P50, f.Jobs[k].P90 = finite(q.P10), finite(q.P50), finite(q.P90)
	}
	return nil
}

// futures simulates the runs of a moment and returns the starts by run, each by job asked for: of all runs, or of those that were done when ctx ended.
func (m *moment) futures(ctx context.Context, workers int) ([][]float64, error) {
	starts := make([][]float64, m.opt.Runs)
	var g errgroup.Group
	g.SetLimit(workers)
	var failed atomic.Bool
	settled := m.isSettled()
	for run := range starts {
		if failed.Load() || ctx.Err() != nil || settled && run > 0 {
			break
		}
		g.Go(func() error {
			list, err := m.run(ctx, run)
			switch {
			case err == nil:
				starts[run] = list
			case ctx.Err() == nil:
				failed.Store(true)
				return fmt.Errorf("run %d: %w", run, err)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if settled && starts[0] != nil {
		for run := range starts {
			starts[run] = starts[0]
		}
	}
	return slices.DeleteFunc(starts, func(list []float64) bool { return list == nil }), nil
}

// finite is a time, nil where it is infinite.
func finite(at float64) *float64 {
	if math.IsInf(at, 1) {
		return nil
	}
	return &at
}
