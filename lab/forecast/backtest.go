package forecast

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Sample is a forecast at the arrival of a job, from what was known then, and the truth.
type Sample struct {
	Job       string    `json:"job"`
	Submitted float64   `json:"submitted"`
	Start     float64   `json:"start"`    // under the same policy, with the real run times and the jobs that did arrive
	Forecast  Quantiles `json:"forecast"` // its times are +Inf where too little is known
	// Reason says why too little was known for a forecast; empty: enough was.
	Reason string `json:"reason,omitempty"`
	// Trials are the forecasts of the past that the forecast is calibrated by; with 0 it is that of the futures.
	Trials int `json:"trials"`
	// Before and UpTo are the shares of the futures in which the job starts before the true start, and no
	// later than the true start. Calibration does not change the futures.
	Before float64 `json:"before"`
	UpTo   float64 `json:"up_to"`
}

// Waits reports whether the job waits. The policy decides this from what is known at the arrival, so every forecast for a job that starts at once is
// right.
func (s *Sample) Waits() bool { return s.Start > s.Submitted }

// Covered says whether the truth lies from P10 to P90.
func (s *Sample) Covered() bool { return s.Forecast.covers(s.Start) }

// Shared is the part of the middle 80 % of the futures' ranks that the truth lies at, where futures that agree with the truth share its rank: 1 inside, 0 outside.
// Its mean is 0.8 if the futures are right, whether or not futures agree, while P10–P90 covers more where many do. It is the mean of a randomised probability
// integral transform over its randomisation: C. Czado, T. Gneiting, L. Held (2009), Biometrics 65(4), doi:10.1111/j.1541-0420.2009.01191.x.
func (s *Sample) Shared() float64 {
	if s.Before == s.UpTo {
		if s.Before >= 0.1 && s.Before <= 0.9 {
			return 1
		}
		return 0
	}
	return max(0, min(s.UpTo, 0.9)-max(s.Before, 0.1)) / (s.UpTo - s.Before)
}

// Sampling states at which jobs' arrivals to forecast.
type Sampling struct {
	Samples  int     // jobs, drawn by the seed of the options; all where there are no more
	From, To float64 // parts of the time from the first arrival to the last between which they arrive
}

// Backtest replays a trace under a policy and forecasts the start of jobs at the moments of their arrivals. If ctx ends, it returns the finished
// samples. It calls step after each sample, from any goroutine, unless step is nil. Samples are in order of arrival.
//
// Complexity: for each sample that of [Queue] with one job, without its replay; samples share trials.
func Backtest(ctx context.Context, name string, policy solve.Policy, in *model.Instance, sampling Sampling, opt Options, step func()) ([]Sample, error) {
	opt, err := opt.For(in)
	if err != nil {
		return nil, err
	}
	if !(sampling.Samples >= 1 && sampling.From >= 0 && sampling.From < sampling.To && sampling.To <= 1) {
		return nil, fmt.Errorf("expected at least 1 sample, and shares of the time with 0 ≤ from < to ≤ 1; found %d samples from %v to %v", sampling.Samples, sampling.From, sampling.To)
	}
	t, err := replay(ctx, in, policy, opt.Seed)
	if err != nil {
		return nil, fmt.Errorf("solver %s: %w", name, err)
	}
	history := newHistory(t.records())
	past := newTrials(t, history, &opt)
	chosen := t.choose(sampling, opt.Seed)
	list := make([]*Sample, len(chosen))
	var g errgroup.Group
	g.SetLimit(opt.workers())
	for k, job := range chosen {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() (err error) {
			if list[k], err = past.sample(ctx, job, &opt); err != nil {
				return fmt.Errorf("solver %s: job %s: %w", name, in.Jobs()[job].ID, err)
			}
			if step != nil {
				step()
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var samples []Sample
	for _, s := range list {
		if s != nil {
			samples = append(samples, *s)
		}
	}
	return samples, nil
}

// sample forecasts the start of a job at its arrival. It returns nil where ctx ends.
func (p *trials) sample(ctx context.Context, job int, opt *Options) (*Sample, error) {
	t := p.truth
	j := &t.in.Jobs()[job]
	s := &Sample{Job: j.ID, Submitted: j.Arrival, Start: t.start[job], Forecast: Quantiles{j.Arrival, j.Arrival, j.Arrival}, UpTo: 1}
	if !s.Waits() {
		return s, nil
	}
	if s.Reason = t.unknown(j.Arrival, p.history, opt); s.Reason != "" {
		never := math.Inf(1)
		s.Forecast = Quantiles{never, never, never}
		return s, nil
	}
	calibration, err := p.calibrate(ctx, j.Arrival, math.Inf(1), 1)
	if err != nil {
		return nil, ended(ctx, err)
	}
	m := t.momentAt(j.Arrival, []int{job}, p.history, opt)
	m.by = calibration.by
	runs, err := m.futures(ctx, 1)
	if err != nil || len(runs) < opt.Runs {
		return nil, err
	}
	starts := make([]float64, len(runs))
	for run := range runs {
		starts[run] = runs[run][0]
	}
	s.Forecast, s.Trials = calibration.of(quantiles(starts), j.Arrival), len(calibration.trials)
	before, _ := slices.BinarySearch(starts, s.Start)
	upTo, _ := slices.BinarySearch(starts, math.Nextafter(s.Start, math.Inf(1)))
	s.Before, s.UpTo = float64(before)/float64(len(starts)), float64(upTo)/float64(len(starts))
	return s, nil
}

// ended is the error of something that ctx may have ended, in which case it is none.
func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// choose draws jobs that start, in order of arrival.
func (t *truth) choose(s Sampling, seed uint64) []int {
	jobs := t.in.Jobs()
	first, last := math.Inf(1), math.Inf(-1)
	for k := range jobs {
		first, last = min(first, jobs[k].Arrival), max(last, jobs[k].Arrival)
	}
	var able []int
	for k := range jobs {
		if at := jobs[k].Arrival - first; !math.IsNaN(t.start[k]) && at >= s.From*(last-first) && at <= s.To*(last-first) {
			able = append(able, k)
		}
	}
	rng := rand.New(rand.NewPCG(seed, 0x73616d706c65))
	rng.Shuffle(len(able), func(a, b int) { able[a], able[b] = able[b], able[a] })
	able = able[:min(s.Samples, len(able))]
	slices.SortFunc(able, func(a, b int) int { return cmp.Or(cmp.Compare(jobs[a].Arrival, jobs[b].Arrival), cmp.Compare(a, b)) })
	return able
}
