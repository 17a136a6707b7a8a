package forecast

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim/backfill"
)

var coverageTraces = flag.Int("forecast.traces", 2, "traces in TestIntervalsHoldTheTruth")

// campaigns draws jobs on 32 processors. Those of one day and size run for much the same part of their estimates, so that their run times do not average out.
// No job states a user. One in ten outlives what was requested, and its estimate is raised.
func campaigns(seed uint64, jobs int, load float64) []model.JobSpec {
	const processors, day = 32, 86400.0
	rng := rand.New(rand.NewPCG(seed, 5))
	parts := map[[2]int]float64{}
	var list []model.JobSpec
	at := 0.0
	for k := range jobs {
		width := 1 << rng.IntN(5)
		campaign := [2]int{int(at / day), width}
		if _, drawn := parts[campaign]; !drawn {
			parts[campaign] = rng.Float64()
		}
		requested := 3600 * math.Pow(2, float64(rng.IntN(4)))
		takes := math.Ceil(requested * min(1, max(0.01, parts[campaign]+0.1*rng.NormFloat64())))
		j := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: at, Processors: model.Rigid(width), Work: &takes, Estimate: &requested}
		if rng.IntN(10) == 0 {
			takes = math.Ceil(requested * (1.05 + 0.3*rng.Float64()))
			j.Estimate, j.Requested = new(takes), &requested
		}
		list = append(list, j)
		at += math.Ceil(rng.ExpFloat64() * 6.2 * 3600 * 3.75 * 0.55 / (processors * load)) // mean width, mean estimate and mean part
	}
	return list
}

// TestIntervalsHoldTheTruth: of the jobs that wait, P10–P90 holds 75 to 85 % also where run times are alike for unknown reasons. The intervals of the futures alone hold less.
// -forecast.traces N takes N traces.
func TestIntervalsHoldTheTruth(t *testing.T) {
	race.OneGoroutine(t)
	if testing.Short() {
		t.Skip("forecasts at hundreds of moments")
	}
	name, discipline := "easy", disciplines()["easy"]
	var held [2]float64
	waits := 0
	for seed := range *coverageTraces {
		in := built(t, 32, campaigns(uint64(seed), 800, 0.85)...)
		for k, trials := range []int{0, 200} {
			opt := Defaults()
			opt.Runs, opt.Trials, opt.Independent = 19, trials, trials == 0
			samples, err := Backtest(t.Context(), name, under{discipline: discipline}, in, Sampling{Samples: 150, From: 0.3, To: 1}, opt, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range samples {
				if !s.Waits() {
					continue
				}
				if s.Reason != "" || (s.Trials >= leastTrials) != (trials > 0) {
					t.Fatalf("%+v", s)
				}
				if s.Covered() {
					held[k]++
				}
				waits += k
			}
		}
	}
	alone, calibrated := held[0]/float64(waits), held[1]/float64(waits)
	t.Logf("%s: of %d jobs that wait, %.1f %% by independent futures, %.1f %% calibrated", name, waits, 100*alone, 100*calibrated)
	if calibrated < 0.75 || calibrated > 0.85 || alone > 0.7 {
		t.Errorf("%s: of %d jobs that wait, %.1f %% by independent futures, %.1f %% calibrated", name, waits, 100*alone, 100*calibrated)
	}
}

// TestTrialsKnowOnlyThePast: with other run times of all jobs that have not ended, and other later jobs, a calibrated forecast is the same, at any number of workers.
func TestTrialsKnowOnlyThePast(t *testing.T) {
	for name, discipline := range disciplines() {
		if name != "easy" && (testing.Short() || name != "conservative" && name != "easy sjf") {
			continue
		}
		jobs := campaigns(7, 300, 0.9)
		at := jobs[250].Arrival
		policy := under{discipline: discipline}
		truth, err := replay(t.Context(), built(t, 32, jobs...), policy, 1)
		if err != nil {
			t.Fatal(err)
		}
		other := slices.DeleteFunc(slices.Clone(jobs), func(j model.JobSpec) bool { return j.Arrival > at })
		for k := range other {
			j := &other[k]
			if truth.end[k] <= at {
				continue
			}
			longer := *j.Work + 5000*float64(1+k%7)
			if j.Requested == nil {
				j.Requested = j.Estimate
			}
			j.Work, j.Estimate = &longer, &longer // outlives what was requested: raised, as an import does
			if longer <= *j.Requested {
				j.Estimate, j.Requested = j.Requested, nil
			}
		}
		for k := range 50 {
			other = append(other, model.JobSpec{ID: fmt.Sprint("later", k), Arrival: at + 1 + float64(k), Processors: model.Rigid(32), Work: new(1e5), Estimate: new(2e5)})
		}
		var texts []string
		for workers, list := range [][]model.JobSpec{jobs, other, jobs} {
			opt := Defaults()
			opt.Runs, opt.Trials, opt.Workers = 9, 60, 1+workers
			f, err := Queue(t.Context(), name, policy, built(t, 32, list...), at, "", nil, opt)
			if err != nil {
				t.Fatal(err)
			}
			if f.Trials < leastTrials || len(f.Jobs) == 0 {
				t.Fatalf("%s: %d trials, %d jobs: nothing is tested", name, f.Trials, len(f.Jobs))
			}
			text, err := json.Marshal(f)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, string(text))
		}
		if texts[0] != texts[1] || texts[0] != texts[2] {
			t.Errorf("%s: one past, and forecasts\n%s\n%s\n%s", name, texts[0], texts[1], texts[2])
		}
	}
}

// TestRaisedEstimatesTellNothing: a job outlives what was requested. How long it runs, which an import writes into its estimate, changes no forecast before its end.
func TestRaisedEstimatesTellNothing(t *testing.T) {
	var first [4]float64
	for k, work := range []float64{200, 900} {
		in := built(t, 1, model.JobSpec{ID: "A", Work: &work, Estimate: &work, Requested: new(100.0), User: "u"}, model.JobSpec{ID: "B", Arrival: 10, Work: new(5.0), Estimate: new(10.0)})
		for _, at := range []float64{50, 150} {
			got := times(ask(t, in, at, fifths("u"), nil).Jobs[0])
			if want := map[float64][4]float64{50: {100, 60, 80, 100}, 150: {151, 151, 151, 151}}[at]; got != want {
				t.Errorf("ran for %v, at %v: %v, expected %v", work, at, got, want)
			}
		}
		h := TraceHistory(in)
		if h.records[0].Ratio != work/100 {
			t.Errorf("ran for %v times what was requested, on record are %v", work/100, h.records[0].Ratio)
		}
		if got := times(ask(t, in, 150, h, func(o *Options) { o.Least = 1 }).Jobs[0]); k == 0 {
			first = got
		} else if got == first {
			t.Error("the history says nothing of how long jobs outlive their limits")
		}
	}
}

// TestNoEstimatesNoIntervals: where a job that runs or waits states no estimate, the forecast says so, in a queue and in a backtest.
func TestNoEstimatesNoIntervals(t *testing.T) {
	jobs := campaigns(1, 60, 2)
	jobs[40].Estimate, jobs[40].Requested = nil, nil
	in := built(t, 32, jobs...)
	f := ask(t, in, jobs[40].Arrival, nil, nil)
	if f.Runs != 0 || !strings.Contains(f.Reason, `job "j40", which runs or waits, states no estimate`) {
		t.Errorf("%+v", f)
	}
	samples, err := Backtest(t.Context(), "easy", under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}, in, Sampling{Samples: 60, To: 1}, Options{Runs: 9, Least: 5, Day: 86400, Days: 28, Trials: 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	unknown := 0
	for _, s := range samples {
		if strings.Contains(s.Reason, "j40") {
			unknown++
			if !math.IsInf(s.Forecast.P10, 1) || !s.Waits() {
				t.Errorf("%+v", s)
			}
		}
	}
	if unknown == 0 {
		t.Error("no sample says that an estimate is missing")
	}
}

// TestHistoryCalibrates: a queue without a past of its own is calibrated by forecasts in the trace that it is given as history.
func TestHistoryCalibrates(t *testing.T) {
	past := TraceHistory(built(t, 32, campaigns(3, 400, 1)...))
	queue := built(t, 32, model.JobSpec{ID: "A", Estimate: new(7200.0), Processors: model.Rigid(32)}, model.JobSpec{ID: "B", Estimate: new(3600.0), Processors: model.Rigid(4)})
	calibrated, plain := ask(t, queue, 0, past, nil), ask(t, queue, 0, past, func(o *Options) { o.Trials = 0 })
	if calibrated.Trials < leastTrials || plain.Trials != 0 || times(calibrated.Jobs[1]) == times(plain.Jobs[1]) || times(calibrated.Jobs[0]) != [4]float64{} {
		t.Errorf("%+v %v, not calibrated %v", calibrated, times(calibrated.Jobs[1]), times(plain.Jobs[1]))
	}
}

// Of 99 trials, those with scores −4.9, −4.8, … 4.9, the new quantiles lie at the 10th, the 50th and the 90th, −4, 0 and 4 widths away, of which the prior takes its part;
// with as many scores half as wide, intervals become narrower.
func TestCalibrationByHand(t *testing.T) {
	q := Quantiles{1000, 2000, 4000}
	for _, part := range []float64{1, 0.125} {
		c := &calibration{unit: 60}
		l := c.logs(q, 0)
		for k := range 99 {
			score := part * float64(k-49) / 10
			c.learn(q, 0, math.Exp(l.place(score))-60, 1e30)
		}
		c.settle()
		for k, want := range []float64{-4 * part, 0, 4 * part} {
			if math.Abs(c.scores[k]-want) > 1e-9 {
				t.Errorf("score %d is %v, want %v", k, c.scores[k], want)
			}
		}
		got, weight := c.of(q, 0), 99.0/109
		for k, want := range []float64{
			math.Exp(l.mid-weight*4*part*l.below-(1-weight)*(l.below-thinnest)) - 60, 2000, math.Exp(l.mid+weight*4*part*l.above+(1-weight)*(l.above-thinnest)) - 60,
		} {
			if at := []float64{got.P10, got.P50, got.P90}[k]; math.Abs(at-max(0, want)) > 1e-6 {
				t.Errorf("part %v: quantile %d is %v, want %v", part, k, at, want)
			}
		}
	}
	c := &calibration{unit: 60}
	c.learn(q, 0, math.NaN(), 3000)                   // it may still start before P90
	c.learn(Quantiles{1, 2, math.Inf(1)}, 0, 5, 3000) // in some futures it never starts
	c.learn(q, 0, math.NaN(), 5000)                   // too late already
	if len(c.trials) != 1 || !(c.trials[0].score > 1) {
		t.Errorf("%+v", c.trials)
	}
}

// A trial of a job that waits still says no more than that it waits, whenever it starts.
func TestTrialsOfJobsThatWait(t *testing.T) {
	for now, learnt := range map[float64]int{40: 0, 60: 1} { // before P90 it may still start in time
		var by [3]calibration
		for k, start := range []float64{61, 1e6, math.Inf(1)} {
			by[k].unit = 1
			by[k].learn(Quantiles{P10: 10, P50: 20, P90: 50}, 5, start, now)
			if len(by[k].trials) != learnt || !slices.Equal(by[k].trials, by[0].trials) {
				t.Errorf("at %v, of a start at %v: learnt %v, of one at 61 %v", now, start, by[k].trials, by[0].trials)
			}
		}
	}
}
