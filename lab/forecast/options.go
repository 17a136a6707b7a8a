package forecast

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
)

// Options are the settings of a forecast; [Defaults] fills them in.
type Options struct {
	Runs   int    // simulated futures
	Seed   uint64 // of the draws, and of what the policy draws
	Least  int    // fewest ratios of a user, or of a size class, for which its own are drawn
	Recent int    // most ratios that a user, a size class or all users have: those of the last jobs; 0: all
	// Independent draws the run time of each job by itself. Otherwise jobs that are alike share a draw in each run, so that they all run long or
	// all short: in truth they are often much the same job. The trials say which.
	Independent bool
	// Arrivals lets jobs arrive after T, as on days before T.
	Arrivals bool
	Day      float64 // length of a day, time; 0: 24 hours
	Days     int     // most days before T from which the arrivals after T are drawn
	// Trials is the most forecasts of the past that say how wide an interval should be, and which jobs share a draw; 0: intervals are those of the futures.
	Trials  int
	Workers int // runs at once; 0: as many as there are processors. It changes no figure
	// Elapsed states, by job id, how long a running job had run before the instance begins, if its estimate is what is left of its limit, as in
	// an imported queue. It counts before what the instance itself says of a job that runs already.
	Elapsed map[string]float64
}

// Defaults are the usual settings.
func Defaults() Options {
	return Options{Runs: 200, Seed: 1, Least: 5, Recent: 100, Arrivals: true, Days: 28, Trials: 200}
}

// most bounds the numbers of the options, so that what they ask for fits in memory.
const most = 1_000_000

// For are the options for an instance, whose unit of time says how long 24 hours are. The error is that of Check, or says that the unit is not known.
func (o Options) For(in *model.Instance) (Options, error) {
	if err := o.Check(); err != nil || o.Day > 0 {
		return o, err
	}
	seconds, known := timetext.Seconds(cmp.Or(in.Units().Time, "s"))
	if !known {
		return o, fmt.Errorf("day: expected the length of a day, because units.time %q is no unit whose length is known", in.Units().Time)
	}
	o.Day = 86400 / seconds
	return o, nil
}

// Check returns an error that names the first setting that is out of its range.
func (o *Options) Check() error {
	for _, f := range []struct {
		name         string
		value, least int
	}{{"runs", o.Runs, 1}, {"least", o.Least, 1}, {"recent", o.Recent, 0}, {"days", o.Days, 1}, {"trials", o.Trials, 0}, {"workers", o.Workers, 0}} {
		if f.value < f.least || f.value > most {
			return fmt.Errorf("%s: expected a whole number from %d to %d, found %d", f.name, f.least, most, f.value)
		}
	}
	if !(o.Day >= 0 && o.Day <= 1e18) {
		return fmt.Errorf("day: expected a time above 0 and at most 1e18, or 0 for 24 hours, found %v", o.Day)
	}
	for id, elapsed := range o.Elapsed {
		if !(elapsed >= 0 && elapsed <= 1e18) {
			return fmt.Errorf("elapsed[%q]: expected a time from 0 to 1e18, found %v", id, elapsed)
		}
	}
	return nil
}

// workers is the number of runs at once.
func (o *Options) workers() int {
	if o.Workers > 0 {
		return o.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// stream is what a number is drawn for.
type stream uint64

const (
	forJob        stream = iota // the run time of a job that has arrived, by number
	forUser                     // the run times of the jobs of a user, by number
	forDay                      // the day whose jobs arrive on a day after T
	forArrival                  // the run time of a job that arrives after T, by day and number
	forClass                    // the run times of the jobs of a size class, by its number
	forUserOfDay                // those of the jobs of a user that were submitted on one day
	forClassOfDay               // those of the jobs of a size class that were submitted on one day
	forChoice                   // whether a job shares a draw, by number
)

// uniform is a number in [0, 1). It depends on the seed and the arguments alone.
func (o *Options) uniform(run int, what stream, id uint64) float64 {
	x := kit.Mix(kit.Mix(kit.Mix(kit.Mix(o.Seed)+uint64(run))+uint64(what)) + id)
	return float64(x>>11) / (1 << 53)
}

// Quantiles are the times by which a job has started in 10, 50 and 90 % of the futures; +Inf: in fewer.
type Quantiles struct{ P10, P50, P90 float64 }

// MarshalJSON writes null for +Inf.
func (q Quantiles) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		P10 *float64 `json:"p10"`
		P50 *float64 `json:"p50"`
		P90 *float64 `json:"p90"`
	}{finite(q.P10), finite(q.P50), finite(q.P90)})
}

// quantilesOf are those of the k-th job asked for, over the runs.
func quantilesOf(runs [][]float64, k int) Quantiles {
	starts := make([]float64, len(runs))
	for run := range runs {
		starts[run] = runs[run][k]
	}
	return quantiles(starts)
}

// quantiles are those of the starts of a job. It sorts the starts.
func quantiles(starts []float64) Quantiles {
	slices.Sort(starts)
	at := func(percent int) float64 { return starts[(percent*len(starts)+99)/100-1] }
	return Quantiles{at(10), at(50), at(90)}
}

// covers says whether a start lies from P10 to P90, both included.
func (q *Quantiles) covers(start float64) bool { return q.P10 <= start && start <= q.P90 }

// pastEnd is the least length, or a little more, of a job that starts at a time and has not ended by another.
func pastEnd(start, by float64) float64 {
	return (by - start) + (math.Nextafter(by, math.Inf(1)) - by)
}

// Pinball is the mean of the pinball losses of the quantiles for a start: of that of p %, p/100 of the time by which the start is later, or 1 − p/100 of that by which
// it is earlier.
func (q *Quantiles) Pinball(start float64) float64 {
	loss := func(at, share float64) float64 { return max(share*(start-at), (1-share)*(at-start)) }
	return (loss(q.P10, 0.1) + loss(q.P50, 0.5) + loss(q.P90, 0.9)) / 3
}
