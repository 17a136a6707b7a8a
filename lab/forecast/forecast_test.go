package forecast

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/looks"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/internal/simtest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/sim/backfill"
)

// built makes an instance of jobs on one cluster.
func built(t *testing.T, processors int, jobs ...model.JobSpec) *model.Instance {
	t.Helper()
	in, err := model.NewBuilder("").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: processors}}}).Job(jobs...).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// fifths is a history of five jobs of a user that ran for 20, 40, … 100 % of their estimates.
func fifths(user string) *History {
	var records []record
	for k := range 5 {
		records = append(records, record{End: math.Inf(-1), Ratio: float64(k+1) / 5, Estimate: 60, Processors: 1, User: user})
	}
	return newHistory(records)
}

// times are the figures of a job; −1: never or absent.
func times(j Job) [4]float64 {
	var list [4]float64
	for k, at := range []*float64{j.Expected, j.P10, j.P50, j.P90} {
		if list[k] = -1; at != nil {
			list[k] = *at
		}
	}
	return list
}

// ask forecasts under EASY without later arrivals.
func ask(t *testing.T, in *model.Instance, at float64, history *History, set func(*Options)) *Forecast {
	t.Helper()
	opt := Defaults()
	opt.Arrivals, opt.Runs = false, 2000
	if set != nil {
		set(&opt)
	}
	f, err := Queue(context.Background(), "easy", under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}, in, at, "", history, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A runs since 0 with an estimate of 100, so at 50 it has used half of it: of the ratios 0.2, 0.4, … 1 only 0.6, 0.8 and 1 are left, and B starts at 60, 80 or 100, each
// in a third of the futures. By A's real run time it would start at 70.
func TestQuantilesByHand(t *testing.T) {
	in := built(t, 1, model.JobSpec{ID: "A", Work: new(70.0), Estimate: new(100.0), User: "u"},
		model.JobSpec{ID: "B", Arrival: 10, Work: new(5.0), Estimate: new(10.0), User: "u"}, model.JobSpec{ID: "C", Arrival: 51, Work: new(5.0)})
	f := ask(t, in, 50, fifths("u"), nil)
	if len(f.Jobs) != 1 || f.Jobs[0].Job != "B" || times(f.Jobs[0]) != [4]float64{100, 60, 80, 100} || f.Ended != 5 || f.Runs != 2000 || f.Arrivals {
		t.Fatalf("%+v %v", f, times(f.Jobs[0]))
	}
	// At 100 A would have ended by its estimate, and it has not by then where its run time is longer: no ratio is left, and it ends one time unit later.
	late := built(t, 1, model.JobSpec{ID: "A", Work: new(200.0), Estimate: new(100.0), User: "u"}, model.JobSpec{ID: "B", Arrival: 10, Work: new(5.0), Estimate: new(10.0)})
	if got := times(ask(t, late, 120, fifths("u"), nil).Jobs[0]); got != [4]float64{121, 121, 121, 121} {
		t.Errorf("outlived: %v", got)
	}
	// A has run for 50 before the instance begins, where 50 of its limit of 100 are left: the same futures, 50 earlier.
	imported := built(t, 1, model.JobSpec{ID: "A", Estimate: new(50.0), User: "u"}, model.JobSpec{ID: "B", Work: new(5.0), Estimate: new(10.0), User: "u"})
	elapsed := func(o *Options) { o.Elapsed = map[string]float64{"A": 50} }
	if got := times(ask(t, imported, 0, fifths("u"), elapsed).Jobs[1]); got != [4]float64{50, 10, 30, 50} {
		t.Errorf("elapsed: %v", got)
	}
	if f := ask(t, imported, 0, fifths("u"), elapsed); !f.Jobs[0].StartsAt(0) || f.Jobs[1].StartsAt(0) {
		t.Errorf("starts at 0: %+v", f.Jobs)
	}
	general := under{discipline: sim.Discipline{General: backfill.EASY(1, 1, backfill.Ranking{}).General}}
	opt := Defaults()
	opt.Runs, opt.Elapsed = 2000, map[string]float64{"A": 50}
	g, err := Queue(context.Background(), "easy", general, imported, 0, "B", fifths("u"), opt)
	if err != nil || len(g.Jobs) != 1 || times(g.Jobs[0]) != [4]float64{50, 10, 30, 50} || g.Arrivals {
		t.Errorf("with precedence: %+v, %v", g, err)
	}
}

// Without enough ended jobs there are no quantiles, and the forecast says why.
func TestNoHistoryGivesNoInterval(t *testing.T) {
	in := built(t, 1, model.JobSpec{ID: "A", Work: new(70.0), Estimate: new(100.0)}, model.JobSpec{ID: "B", Arrival: 10, Work: new(5.0), Estimate: new(10.0)})
	for name, f := range map[string]*Forecast{
		"none": ask(t, in, 50, nil, nil), "too few": ask(t, in, 50, fifths("u"), func(o *Options) { o.Least = 6 }),
	} {
		text, err := json.Marshal(f)
		if err != nil {
			t.Fatal(err)
		}
		if f.Runs != 0 || times(f.Jobs[0]) != [4]float64{100, -1, -1, -1} || !strings.Contains(f.Reason, "too few jobs have ended to draw run times from: expected at least") || strings.Contains(string(text), "p10") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Before the first job and after the last there is nothing to forecast; one job alone starts at once; estimates of 0, ratios above 1 and jobs without users do no harm.
func TestOddPlaces(t *testing.T) {
	jobs := []model.JobSpec{
		{ID: "A", Arrival: 5, Work: new(70.0), Estimate: new(0.0)}, {ID: "B", Arrival: 10, Work: new(5.0), Estimate: new(0.0)}, {ID: "D", Arrival: 12, Work: new(9.0), Estimate: new(3.0)},
	}
	in := built(t, 1, jobs...)
	for _, at := range []float64{0, 4, 1000, 1e18} {
		if f := ask(t, in, at, fifths("u"), nil); len(f.Jobs) != 0 {
			t.Errorf("at %v: %+v", at, f.Jobs)
		}
	}
	if f := ask(t, built(t, 1, jobs[0]), 5, fifths("u"), nil); len(f.Jobs) != 1 || times(f.Jobs[0]) != [4]float64{5, 5, 5, 5} {
		t.Errorf("alone: %+v", f.Jobs)
	}
	// A has outlived its estimate of 0 at 20, so it ends at 21; B then takes no time by its estimate, and D starts at 21 too.
	f := ask(t, in, 20, fifths("u"), nil)
	if len(f.Jobs) != 2 || times(f.Jobs[0]) != [4]float64{21, 21, 21, 21} || times(f.Jobs[1]) != [4]float64{21, 21, 21, 21} {
		t.Errorf("estimates of 0: %v", f.Jobs)
	}
	// Jobs that ran for twice and for three times their estimates: A ends at 200 or at 300, and where the policy kills, at 100.
	long := newHistory([]record{{Ratio: 2, Estimate: 1, Processors: 1}, {Ratio: 3, Estimate: 1, Processors: 1}, {Ratio: math.NaN(), Estimate: 1}, {Ratio: 1, Estimate: 0}, {Ratio: -1, Estimate: 1}, {Ratio: math.Inf(1), Estimate: 1}})
	if long.Len() != 2 {
		t.Errorf("%d records, expected the 2 that say something", long.Len())
	}
	in = built(t, 1, model.JobSpec{ID: "A", Work: new(7.0), Estimate: new(100.0)}, model.JobSpec{ID: "B", Work: new(5.0), Estimate: new(10.0)})
	least := func(o *Options) { o.Least = 2 }
	if got := times(ask(t, in, 0, long, least).Jobs[1]); got != [4]float64{100, 200, 200, 300} && got != [4]float64{100, 200, 300, 300} {
		t.Errorf("ratios above 1: %v", got)
	}
	opt := Defaults()
	opt.Least = 2
	killed, err := Queue(context.Background(), "easy", under{backfill.EASY(1, 1, backfill.Ranking{}), true}, in, 0, "B", long, opt)
	if err != nil || times(killed.Jobs[0]) != [4]float64{100, 100, 100, 100} {
		t.Errorf("killed at the limit: %+v, %v", killed, err)
	}
}

// Any number of workers finds the same; another seed does not.
func TestWorkersChangeNothing(t *testing.T) {
	var jobs []model.JobSpec
	for k := range 60 {
		jobs = append(jobs, model.JobSpec{
			ID: fmt.Sprint("j", k), Arrival: float64(3 * k), Processors: model.Rigid(1 + k%4), Work: new(float64(5 + k*7%23)), Estimate: new(40.0), User: fmt.Sprint("u", k%5),
		})
	}
	in := built(t, 4, jobs...)
	policy := under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}
	forecast := func(workers int, seed uint64) []any {
		opt := Defaults()
		opt.Workers, opt.Seed, opt.Day, opt.Runs, opt.Trials = workers, seed, 20, 9, race.Fewer(40, 10)
		f, err := Queue(context.Background(), "easy", policy, in, 120, "", nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		samples, err := Backtest(context.Background(), "easy", policy, in, Sampling{Samples: 20, From: 0.2, To: 1}, opt, nil)
		if err != nil || !f.Arrivals || len(samples) != 20 {
			t.Fatalf("%+v, %d samples, %v", f, len(samples), err)
		}
		return []any{f, samples}
	}
	one := forecast(1, 1)
	for _, workers := range []int{2, 7} {
		if !reflect.DeepEqual(one, forecast(workers, 1)) {
			t.Errorf("%d workers find something else", workers)
		}
	}
	if reflect.DeepEqual(one, forecast(1, 2)) {
		t.Error("another seed finds the same")
	}
}

// The quantile of 10, 50 or 90 % is the earliest time by which the job has started in at least that share of the futures.
func TestQuantilesAreOrderStatistics(t *testing.T) {
	for n, want := range map[int]Quantiles{1: {1, 1, 1}, 2: {1, 1, 2}, 9: {1, 5, 9}, 10: {1, 5, 9}, 11: {2, 6, 10}, 100: {10, 50, 90}} {
		var starts []float64
		for k := range n {
			starts = append(starts, float64(n-k))
		}
		if got := quantiles(starts); got != want {
			t.Errorf("of 1 to %d: %v, expected %v", n, got, want)
		}
	}
}

// Jobs that arrive after T are those of the days before. A holds the processor until 230. On 8 of the 11 days of length 10 before T = 121 a short job came, so in
// each future about 8 short jobs come by 230; in the order of the shortest estimate they go before B, which starts about 8 later. No draw of a run time differs.
func TestArrivalsAreThoseOfDaysBefore(t *testing.T) {
	jobs := []model.JobSpec{{ID: "A", Arrival: 110, Work: new(120.0), Estimate: new(120.0)}, {ID: "B", Arrival: 120, Work: new(50.0), Estimate: new(50.0)}}
	for day := range 10 {
		jobs = append(jobs, model.JobSpec{ID: fmt.Sprint("s", day), Arrival: float64(10 * day), Work: new(1.0), Estimate: new(1.0)})
	}
	in := built(t, 1, jobs...)
	opt := Defaults()
	opt.Day, opt.Days, opt.Runs = 10, 11, 100
	for arrivals, median := range map[bool][2]float64{false: {230, 230}, true: {236, 240}} {
		opt.Arrivals = arrivals
		f, err := Queue(context.Background(), "sjf", under{discipline: disciplines()["easy sjf"]}, in, 121, "B", nil, opt)
		if err != nil {
			t.Fatal(err)
		}
		j := f.Jobs[0]
		if f.Arrivals != arrivals || *j.Expected != 230 || *j.P50 < median[0] || *j.P50 > median[1] || (*j.P10 < *j.P90) != arrivals {
			t.Errorf("arrivals %v: %v", arrivals, times(j))
		}
	}
}

// What does not make sense is refused.
func TestBadSettings(t *testing.T) {
	in := built(t, 1, model.JobSpec{ID: "A", Work: new(70.0)})
	for want, set := range map[string]func(*Options){
		"runs: expected a whole number from 1": func(o *Options) { o.Runs = 0 }, "recent": func(o *Options) { o.Recent = -1 }, "day": func(o *Options) { o.Day = math.NaN() },
		"least": func(o *Options) { o.Least = 2_000_000 }, "workers": func(o *Options) { o.Workers = -1 }, "elapsed": func(o *Options) { o.Elapsed = map[string]float64{"A": -1} },
	} {
		opt := Defaults()
		set(&opt)
		_, err := Queue(context.Background(), "easy", under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}, in, 0, "", nil, opt)
		if _, also := Backtest(context.Background(), "easy", under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}, in, Sampling{1, 0, 1}, opt, nil); err == nil || also == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v", want, err, also)
		}
	}
	if _, err := Queue(context.Background(), "easy", under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}, in, 0, "B", nil, Defaults()); err == nil || !strings.Contains(err.Error(), `"B"`) {
		t.Errorf("unknown job: %v", err)
	}
	for _, s := range []Sampling{{0, 0, 1}, {1, 0.5, 0.5}, {1, -1, 1}, {1, 0, 2}} {
		if _, err := Backtest(context.Background(), "easy", under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}, in, s, Defaults(), nil); err == nil {
			t.Errorf("%+v is accepted", s)
		}
	}
}

// A run that is stopped gives what is there: no forecast before the first future is done, and samples that are done.
func TestStopped(t *testing.T) {
	in := built(t, 1, model.JobSpec{ID: "A", Work: new(70.0), Estimate: new(100.0), User: "u"}, model.JobSpec{ID: "B", Arrival: 10, Work: new(5.0), Estimate: new(10.0)})
	policy := under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}
	truth, err := replay(context.Background(), in, policy, 1)
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	m := truth.momentAt(50, []int{1}, fifths("u"), &opt)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := &Forecast{Jobs: make([]Job, 1)}
	if err := f.fill(ctx, m, &calibration{}); err == nil || f.Runs != 0 {
		t.Errorf("stopped before the first: %+v, %v", f, err)
	}
	m.opt.Runs = 1_000_000
	few := looks.Until(1000)
	if err := f.fill(few, m, &calibration{}); err != nil || f.Runs == 0 || few.Taken() > 1100 {
		t.Errorf("%d of %d futures and %d looks, %v: expected hardly any look after the end", f.Runs, m.opt.Runs, few.Taken(), err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	samples, err := Backtest(ctx, "easy", policy, in, Sampling{Samples: 2, From: 0, To: 1}, Options{Runs: 1, Least: 1, Day: 1, Days: 1, Workers: 1}, cancel)
	if err != nil || len(samples) == 0 {
		t.Errorf("%d samples, %v: expected at least the one that was done", len(samples), err)
	}
}

// Where run times are drawn from one distribution, whatever user or size, and arrivals do not change from day to day, the forecasts are right: about 80 % of the
// jobs that wait start from P10 to P90.
func TestCoverageWhereTheModelHolds(t *testing.T) {
	if race.Enabled {
		t.Skip("a statistic of thousands of runs; the other tests forecast with goroutines too")
	}
	source := &simtest.Synthetic{Jobs: 3000, Processors: 64, Load: 0.9, Seed: 3}
	var jobs []model.JobSpec
	for k := 0; ; k++ {
		var spec sim.Spec
		if more, err := source.Next(&spec); err != nil {
			t.Fatal(err)
		} else if !more {
			break
		}
		jobs = append(jobs, model.JobSpec{
			ID: fmt.Sprint(k), Arrival: spec.Arrival, Processors: model.Rigid(int(spec.Processors)), Work: new(spec.Runtime), Estimate: new(spec.Estimate),
		})
	}
	opt := Defaults()
	opt.Runs, opt.Trials, opt.Recent = 19, race.Fewer(40, 15), 0 // P10 and P90 are the second and the second last of 19 runs
	samples, err := Backtest(context.Background(), "easy", under{discipline: backfill.EASY(1, 1, backfill.Ranking{})}, built(t, 64, jobs...), Sampling{Samples: 200, From: 0.3, To: 1}, opt, nil)
	if err != nil {
		t.Fatal(err)
	}
	waiting, covered, shared := 0.0, 0.0, 0.0
	for _, s := range samples {
		if !s.Waits() {
			if !s.Covered() || math.Abs(s.Shared()-0.8) > 1e-12 {
				t.Errorf("job %s starts at once: %+v", s.Job, s)
			}
			continue
		}
		waiting++
		shared += s.Shared()
		if s.Covered() {
			covered++
		}
	}
	t.Logf("%v of 200 wait, covered %.3f, with ties shared %.3f", waiting, covered/waiting, shared/waiting)
	// About 4 standard deviations of independent samples; these are not quite independent.
	if waiting < 80 || math.Abs(covered/waiting-0.8) > 0.12 || math.Abs(shared/waiting-0.8) > 0.12 {
		t.Errorf("%v of 200 wait, covered %.3f, with ties shared %.3f", waiting, covered/waiting, shared/waiting)
	}
}
