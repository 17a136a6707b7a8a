package forecast

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
)

// trials are forecasts of the past: for jobs that had to wait, each from what was known at its arrival. Each is made once, when it is first needed.
type trials struct {
	truth   *truth
	history *History
	opt     Options
	ways    []sharing
	waited  []int     // jobs that did not start at once, in order of arrival
	gone    []float64 // when jobs ended or left, ascending
	made    []trial
}

// trial is the forecast for one job, by each way to share; nil: too little was known.
type trial struct {
	once sync.Once
	ways []Quantiles
	err  error
}

// The sizes of trials.
const (
	// Futures, and those that simulate all of the past. Of 10·n − 1 futures, a tenth of all ranks lies below P10 and a tenth above P90.
	plainRuns   = 29
	wholeRuns   = 19
	leastTrials = 20 // with fewer, a forecast is not calibrated
	periods     = 6  // trials go back that many times as far as the days from which arrivals are drawn
	// spareWork is how many jobs, over all futures, the trials of one forecast may simulate beyond as many as the forecast does: about a fifth of a second.
	spareWork = 1 << 16
)

// newTrials finds the jobs. Whether one waits is known at its arrival.
func newTrials(t *truth, history *History, opt *Options) *trials {
	p := &trials{truth: t, history: history, opt: *opt, ways: t.candidates(opt)}
	if p.opt.Runs = min(opt.Runs, plainRuns); t.whole {
		p.opt.Runs = min(opt.Runs, wholeRuns)
	}
	for k := range t.in.Jobs() {
		if arrival := t.in.Jobs()[k].Arrival; t.start[k] != arrival && !(t.left[k] <= arrival) {
			p.waited = append(p.waited, k)
		}
		for _, gone := range []float64{t.end[k], t.left[k]} {
			if !math.IsNaN(gone) {
				p.gone = append(p.gone, gone)
			}
		}
	}
	slices.Sort(p.gone)
	slices.SortFunc(p.waited, func(a, b int) int { return cmp.Compare(t.numbers[a], t.numbers[b]) })
	p.made = make([]trial, len(p.waited))
	return p
}

// before is the number of jobs that waited and arrived before a time.
func (p *trials) before(at float64) int {
	n, _ := slices.BinarySearchFunc(p.waited, at, func(k int, at float64) int { return cmp.Compare(p.truth.in.Jobs()[k].Arrival, at) })
	return n
}

// chosen are the places of the trials for a forecast at a time, the latest first: at most opt.Trials, evenly among the jobs that waited in the last periods, or
// the last jobs where these are few, but not in the first eighth of opt.Days, when forecasts
// knew little of how jobs arrive. Distances are powers of 2, so that forecasts at different times share trials. The work bounds the
// jobs that they simulate, but for the fewest trials that a calibration needs.
func (p *trials) chosen(at, work float64) []int {
	n := p.before(at)
	if n == 0 {
		return nil
	}
	jobs := p.truth.in.Jobs()
	since := max(at-periods*float64(p.opt.Days)*p.opt.Day, jobs[p.waited[0]].Arrival+float64(p.opt.Days)*p.opt.Day/8)
	first := max(0, min(p.before(since), n-p.opt.Trials/2))
	for stride := 1; ; stride *= 2 {
		var places []int
		left := work
		for place := (n - 1) / stride * stride; place >= first; place -= stride {
			places = append(places, place)
			left -= p.cost(place)
		}
		if len(places) <= p.opt.Trials && (left >= 0 || len(places) < 2*leastTrials) {
			return places
		}
	}
}

// cost is how many jobs a trial simulates, without those that arrive in its futures.
func (p *trials) cost(place int) float64 {
	t, at := p.truth, p.truth.in.Jobs()[p.waited[place]].Arrival
	from, _ := t.begins(at, func() float64 { return at })
	if t.whole {
		from = math.Inf(-1)
	}
	gone, _ := slices.BinarySearch(p.gone, from)
	jobs := int(t.numbers[p.waited[place]]) + 1 - gone
	return float64(max(1, jobs) * p.opt.Runs * len(p.ways))
}

// within tries one way to share only, where all ways would take more than the work.
func (p *trials) within(at, work float64) *trials {
	cost := 0.0
	for _, place := range p.chosen(at, work) {
		cost += p.cost(place)
	}
	if cost > work {
		p.ways = p.ways[:1]
	}
	return p
}

// try makes a trial.
func (p *trials) try(ctx context.Context, place int) error {
	r := &p.made[place]
	r.once.Do(func() {
		job := p.waited[place]
		at := p.truth.in.Jobs()[job].Arrival
		if p.truth.unknown(at, p.history, &p.opt) != "" {
			return
		}
		m := p.truth.momentAt(at, []int{job}, p.history, &p.opt)
		for _, m.by = range p.ways {
			runs, err := m.futures(ctx, 1)
			if err != nil || len(runs) < p.opt.Runs {
				r.err = cmp.Or(err, ctx.Err())
				return
			}
			r.ways = append(r.ways, quantilesOf(runs, 0))
		}
	})
	return r.err
}

// calibrate makes the trials for forecasts at a time and learns from them. Of a trial's job that still waits then, only that it starts no earlier is known.
func (p *trials) calibrate(ctx context.Context, at, work float64, workers int) (*calibration, error) {
	none := &calibration{by: p.ways[0]}
	if p.opt.Trials == 0 {
		return none, nil
	}
	places := p.chosen(at, work)
	var g errgroup.Group
	g.SetLimit(workers)
	for _, place := range places {
		g.Go(func() error { return p.try(ctx, place) })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	best, least := none, math.Inf(1)
	for way, by := range p.ways {
		c := &calibration{by: by, unit: p.opt.Day / 1440}
		for _, place := range places {
			if made := &p.made[place]; made.ways != nil {
				job := p.waited[place]
				c.learn(made.ways[way], p.truth.in.Jobs()[job].Arrival, p.truth.start[job], at)
			}
		}
		if len(c.trials) < leastTrials {
			continue
		}
		c.settle()
		if loss := c.loss(); loss < least {
			best, least = c, loss
		}
	}
	return best, nil
}
