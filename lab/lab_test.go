package lab

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// instance makes an instance of one cluster of 4 processors.
func instance(t testing.TB, jobs ...model.JobSpec) *model.Instance {
	t.Helper()
	in, err := model.NewBuilder("lab").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 4}}}).Job(jobs...).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// placed places a job on the first processors.
func placed(job string, processors int, start, end float64) model.Placement {
	return model.Placement{Job: job, Cluster: "c", Processors: model.NewProcessorSet(model.Range{First: 0, Last: processors - 1}), Start: start, End: end}
}

// small is four jobs of two users, and two schedules of them.
func small(t testing.TB) (*model.Instance, []Run) {
	in := instance(t,
		model.JobSpec{ID: "a", Processors: model.Rigid(4), Work: new(10.0), User: "x", Queue: "q"},
		model.JobSpec{ID: "b", Processors: model.Rigid(2), Work: new(20.0), User: "y", Queue: "q"},
		model.JobSpec{ID: "c", Processors: model.Rigid(2), Work: new(20.0), User: "x", Arrival: 10, Queue: "r"},
		model.JobSpec{ID: "d", Processors: model.Rigid(1), Work: new(5.0), User: "y", Arrival: 40})
	return in, []Run{
		{"first", true, &model.Solution{Jobs: []model.Placement{placed("a", 4, 0, 10), placed("b", 2, 10, 30), placed("c", 2, 10, 30), placed("d", 1, 40, 45)}}},
		{"second", true, &model.Solution{Jobs: []model.Placement{placed("b", 2, 0, 20), placed("a", 4, 20, 30), placed("c", 2, 30, 50), placed("d", 1, 40, 45)}}},
	}
}

// TestCompareByHand: waits 0, 10, 0, 0 under the first and 20, 0, 20, 0 under the second.
func TestCompareByHand(t *testing.T) {
	in, runs := small(t)
	opt := Defaults()
	opt.Day, opt.Narrow, opt.Short, opt.Block = 1, 2, 10, 1
	r, err := Compare(t.Context(), in, runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if math.Abs(got-want) > 1e-12*max(1, math.Abs(want)) {
			t.Errorf("%s: %v, expected %v", what, got, want)
		}
	}
	near("load", *r.Load, (40+40+40+5)/(4*40.0))
	one, two := &r.Groups[0].Policies[0], &r.Groups[0].Policies[1]
	near("mean", one.Classes[0].Wait.Mean, 2.5)
	near("mean of the second", two.Classes[0].Wait.Mean, 10)
	near("median", two.Classes[0].Wait.Median, 10)
	near("maximum", two.Classes[0].Wait.Max, 20)
	near("p95", one.Classes[0].Wait.P95, 8.5) // 0.85 of the way from the third of 0, 0, 0, 10 to the last
	near("difference", two.Classes[0].WaitDifference.Mean, 7.5)
	near("bounded slowdown", one.Classes[0].Slowdown, (1+30.0/20+1+1)/4)
	near("utilisation", *one.Utilisation, (40+40+40)/(4*40.0))            // d starts at the end of the window
	near("utilisation of the second", *two.Utilisation, (40+40+20)/160.0) // c is half in it
	if one.Classes[0].WaitDifference != nil {
		t.Error("the first policy differs from itself")
	}
	var names []string
	for _, c := range one.Classes {
		names = append(names, c.Kind+"/"+c.Name)
	}
	periods := names[8:]
	names = names[:8]
	if want := []string{"period/days 1 to 7", "period/days 8 to 14", "period/days 15 to 21", "period/days 22 to 28", "period/days 29 to 35", "period/days 36 to 42"}; !slices.Equal(periods, want) {
		t.Errorf("periods %q, expected %q", periods, want)
	}
	if want := []string{"all/all jobs", "size and length/narrow, short", "size and length/narrow, long", "size and length/wide, short", "queue/q", "queue/r", "user/x", "user/y"}; !slices.Equal(names, want) {
		t.Errorf("classes %q, expected %q", names, want)
	}
	// Under the first: until 10 x asks for 4 and y for 2, so each is entitled to 2; from 10 to 30 both ask for 2 and get them.
	x, y := one.Classes[6], one.Classes[7]
	near("x is entitled to", *x.Entitled, 20+40)
	near("x received", *x.Received, 40+40)
	near("y is entitled to", *y.Entitled, 20+40)
	near("y received", *y.Received, 40)
	a, b := 80.0/60, 40.0/60
	near("Jain", *one.Jain, (a+b)*(a+b)/(2*(a*a+b*b)))
	// Under the second: until 20 x asks for 4, from 10 on for 6, and y for 2; from 20 to 30 x for 6 alone, then for 2.
	near("x is entitled to, second", *two.Classes[6].Entitled, 40+40+20)
	near("y received, second", *two.Classes[7].Received, 40)
	if d := two.Classes[7].WaitDifference; d.Mean != -5 || d.Low != nil {
		t.Errorf("y: %+v, expected −5 without an interval, on two days only", d)
	}
}

// TestGroups: what knows the future is not compared with what does not.
func TestGroups(t *testing.T) {
	in, runs := small(t)
	runs = append(runs, Run{"third", false, runs[0].Solution})
	runs[0], runs[2] = runs[2], runs[0]
	r, err := Compare(t.Context(), in, runs, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Groups) != 2 || r.Groups[0].Online || len(r.Groups[1].Policies) != 2 {
		t.Fatalf("groups %+v", r.Groups)
	}
	if r.Groups[0].Policies[0].Classes[0].WaitDifference != nil || r.Groups[1].Policies[0].Classes[0].WaitDifference != nil {
		t.Error("the first of a group differs from another group")
	}
	if d := r.Groups[1].Policies[1].Classes[0].WaitDifference; d == nil || d.Mean != -7.5 {
		t.Errorf("difference %+v, expected −7.5", d)
	}
	if text := r.Text(); !strings.Contains(text, "on line (for reference: not in one ranking with the above)") {
		t.Errorf("%s", text)
	}
}

// flat is a text in one line.
func flat(text string) string { return strings.Join(strings.Fields(text), " ") }

// shifted is 600 jobs on 60 days of length 1, one after another, and the schedules in which each waits 20 and 20 more than more says.
func shifted(t testing.TB, user func(k int) string, more func(k int) float64) (*model.Instance, []Run) {
	var jobs []model.JobSpec
	one, two := &model.Solution{}, &model.Solution{}
	for k := range 600 {
		id, at := fmt.Sprint("j", k), float64(k)/10
		jobs = append(jobs, model.JobSpec{ID: id, Work: new(0.1), Arrival: at, User: user(k)})
		one.Jobs, two.Jobs = append(one.Jobs, placed(id, 1, at+20, at+20.1)), append(two.Jobs, placed(id, 1, at+20+more(k), at+20.1+more(k)))
	}
	return instance(t, jobs...), []Run{{"one", true, one}, {"two", true, two}}
}

// TestIntervals: of many days on which the second policy makes one of two users wait 5 longer and the other 3 less, both are found, in words too, and the difference of all jobs
// around +1. The interval is that of the same numbers handed to the bootstrap by hand.
func TestIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var noise []float64
	for range 600 {
		noise = append(noise, rng.NormFloat64())
	}
	more := func(k int) float64 { return []float64{5, -3}[k%2] + noise[k] }
	in, runs := shifted(t, func(k int) string { return []string{"loser", "winner"}[k%2] }, more)
	opt := Defaults()
	opt.Day = 1
	r, err := Compare(t.Context(), in, runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	days := make([]statistics.Period, 60)
	for k := range 600 {
		day := &days[k/10]
		day.N, day.Difference, day.First = day.N+1, day.Difference+more(k), day.First+20
	}
	blocks, err := statistics.NewMovingBlocks(60, statistics.Bootstrap{Replicates: opt.Replicates, Seed: opt.Seed, Confidence: opt.Confidence})
	if err != nil {
		t.Fatal(err)
	}
	want, err := blocks.Ratio(days)
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
	d := r.Groups[0].Policies[1].Classes[0].WaitDifference
	if !near(*d.Ratio, want.Estimate) || !near(d.Mean, 20*want.Estimate-20) || !near(*d.RatioLow, want.Low) || !near(*d.RatioHigh, want.High) || !near(*d.Low, 20*want.Low-20) || !near(*d.High, 20*want.High-20) || !near(*d.P, want.P) || !near(d.First, 20) || d.Greater+d.Less != 600 || r.Block != 6 {
		t.Errorf("%+v from %v to %v, expected %+v", d, *d.Low, *d.High, want)
	}
	for _, c := range r.Groups[0].Policies[1].Classes {
		want, ok := map[string]float64{"all jobs": 1, "loser": 5, "winner": -3}[c.Name]
		if d := c.WaitDifference; ok && !(*d.Low < want && want < *d.High && *d.High-*d.Low < 0.6 && d.Shown(0.95)) {
			t.Errorf("%s: %v from %v to %v, expected about %v", c.Name, d.Mean, *d.Low, *d.High, want)
		}
	}
	// Two policies are twice as many tests, of which P has to stand among all.
	runs = append(runs, Run{"three", true, runs[1].Solution})
	if both, err := Compare(t.Context(), in, runs, opt); err != nil || both.Groups[0].Tests[kindUser] != 4 || both.Groups[0].Tests[kindAll] != 4 || both.Groups[0].Tests[kindShape] != 2 {
		t.Errorf("%v, %+v", err, both)
	}
	text := r.Text()
	for _, want := range []string{"two against one:\n  mean wait +5.1 % [", ": longer\n", "\n  hurt: narrow, short +1", "; user loser +5", "\n  served better: user winner −3.02 s (−15.1 %)\n", "2 of all jobs, 1 by size and length, 2 by user"} {
		if !strings.Contains(text, want) && !strings.Contains(flat(text), want) {
			t.Errorf("expected %q in\n%s", want, text)
		}
	}
}

// TestHolm: of 40 users whose waits differ at random about some intervals exclude 0, but no difference is shown; the adjusted P are those of Holm over the users alone.
func TestHolm(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	excluded := 0
	for range 20 {
		in, runs := shifted(t, func(k int) string { return fmt.Sprint("u", k%10) }, func(int) float64 { return rng.NormFloat64() })
		opt := Defaults()
		opt.Day, opt.Replicates = 1, 200
		r, err := Compare(t.Context(), in, runs, opt)
		if err != nil {
			t.Fatal(err)
		}
		var p []float64
		var users []*Difference
		for k := range r.Groups[0].Policies[1].Classes {
			if c := &r.Groups[0].Policies[1].Classes[k]; c.Kind == kindUser {
				p, users = append(p, *c.WaitDifference.P), append(users, c.WaitDifference)
			}
		}
		adjusted, err := statistics.Holm(p)
		if err != nil || len(p) != 10 || r.Groups[0].Tests[kindUser] != 10 {
			t.Fatalf("%d users, %v, %v", len(p), r.Groups[0].Tests, err)
		}
		for k, d := range users {
			if *d.Holm != adjusted[k] || d.Shown(0.95) != (adjusted[k] <= 0.05) {
				t.Errorf("%+v: adjusted %v, expected %v", d, *d.Holm, adjusted[k])
			}
			if d.Sign() != 0 {
				excluded++
			}
		}
	}
	if excluded < 2 || excluded > 25 { // about 10 of 200
		t.Errorf("%d of 200 intervals exclude 0", excluded)
	}
}

// TestFewDays: an effect that is the same on every one of nine days is still not shown; nor is rounding a difference.
func TestFewDays(t *testing.T) {
	in, runs := shifted(t, func(int) string { return "" }, func(int) float64 { return 5 })
	opt := Defaults()
	opt.Day = 60.0 / 9
	r, err := Compare(t.Context(), in, runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	p := &r.Groups[0].Policies[1]
	if d := p.Classes[0].WaitDifference; d.Low != nil || d.P != nil || d.Holm != nil || d.Shown(0.95) || math.Abs(d.Mean-5) > 1e-9 || p.Jain != nil || len(p.Classes) != 2+9 {
		t.Errorf("%+v", p)
	}
	if text := r.Text(); !strings.Contains(flat(text), "Too few days for an interval: 9 days in blocks of 3, and 10 blocks with jobs are needed. Nothing is shown") {
		t.Errorf("%s", text)
	}
	in, runs = shifted(t, func(int) string { return "" }, func(k int) float64 { return float64(k%3) * 1e-14 })
	opt.Day = 1
	if r, err = Compare(t.Context(), in, runs, opt); err != nil {
		t.Fatal(err)
	}
	d := r.Groups[0].Policies[1].Classes[0].WaitDifference
	if d.Mean != 0 || d.Greater+d.Less != 0 || *d.P != 1 || d.Sign() != 0 {
		t.Errorf("rounding: %+v", d)
	}
	if text := r.Text(); !strings.Contains(text, "two against one: every job waits as long\n") {
		t.Errorf("%s", text)
	}
}

// TestShares: the shares of the days add up to those of the window, the days are where the time passed, and the curves are of these.
func TestShares(t *testing.T) {
	in, runs := small(t)
	opt := Defaults()
	opt.Day, opt.Shares = 7, true
	r, err := Compare(t.Context(), in, runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	for k := range r.Groups[0].Policies {
		p := &r.Groups[0].Policies[k]
		for _, c := range p.Classes {
			entitled, received := 0.0, 0.0
			for _, share := range p.Shares {
				if share.User == c.Name {
					entitled, received = entitled+share.Entitled, received+share.Received
				}
			}
			if c.Kind == kindUser && (math.Abs(entitled-*c.Entitled) > 1e-9 || math.Abs(received-*c.Received) > 1e-9) {
				t.Errorf("%s, %s: %v and %v over the days, %v and %v in all", p.Name, c.Name, entitled, received, *c.Entitled, *c.Received)
			}
		}
	}
	// Under the first: until 7 x holds 4 and y nothing, though each is entitled to 2; from 7 to 14 x holds 4 for 3 and then, as y, 2 for 4.
	want := []Share{{0, "x", 14, 28}, {0, "y", 14, 0}, {1, "x", 14, 20}, {1, "y", 14, 8}}
	if got := r.Groups[0].Policies[0].Shares[:4]; !slices.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
	curves, to := r.ShareCurves(0, 1, 3, opt.Day)
	if len(curves) != 1 || curves[0].User != "x" || to != 42 || !slices.Equal(curves[0].Shares[0], []float64{48.0 / 28, 1, 1}) {
		t.Errorf("%+v to %v", curves, to)
	}
	if curves, _ := r.ShareCurves(0, 9, 60, opt.Day); len(curves) != 2 || len(curves[0].Shares[0]) != 6 || !math.IsNaN(curves[0].Shares[0][5]) {
		t.Errorf("%+v, expected a gap on the last day", curves)
	}
	var csv strings.Builder
	if err := r.WriteShares(&csv); err != nil || !strings.Contains(csv.String(), "\non line,first,1,x,14,20\n") {
		t.Errorf("%v\n%s", err, csv.String())
	}
	// Jobs without a user share with the others, and are nobody's row: x is entitled to half, and receives all.
	in = instance(t, model.JobSpec{ID: "a", Processors: model.Rigid(4), Work: new(7.0), User: "x"}, model.JobSpec{ID: "b", Processors: model.Rigid(4), Work: new(7.0)},
		model.JobSpec{ID: "c", Work: new(1.0), User: "x", Arrival: 14})
	runs = []Run{{"first", true, &model.Solution{Jobs: []model.Placement{placed("a", 4, 0, 7), placed("b", 4, 7, 14), placed("c", 1, 14, 15)}}}}
	if r, err = Compare(t.Context(), in, runs, opt); err != nil {
		t.Fatal(err)
	}
	if got, want := r.Groups[0].Policies[0].Shares, []Share{{0, "x", 14, 28}}; !slices.Equal(got, want) {
		t.Errorf("jobs without a user: %v, expected %v", got, want)
	}
}

// TestShareByHand: of 10 processors who asks for 1 gets 1; of the 9 left who asks for 4 gets 4, less than a half; the last gets the other 5.
func TestShareByHand(t *testing.T) {
	got := map[int32]float64{}
	share(10, []int32{7, 8, 9}, []int64{7: 1, 8: 4, 9: 9}, func(user int32, processors float64) { got[user] = processors })
	if want := map[int32]float64{7: 1, 8: 4, 9: 5}; !maps.Equal(got, want) {
		t.Errorf("%v, expected %v", got, want)
	}
}

// TestKnown: where nothing is learnt late, all are one group whatever they are.
func TestKnown(t *testing.T) {
	in, runs := small(t)
	runs[1].Online = false
	opt := Defaults()
	opt.Known = true
	r, err := Compare(t.Context(), in, runs, opt)
	if err != nil || len(r.Groups) != 1 || len(r.Groups[0].Policies) != 2 || r.Groups[0].Name() != "all known from the start" || r.Groups[0].Policies[1].Classes[0].WaitDifference == nil {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestWarmUp: only the jobs that arrive in the window count, and only time in it.
func TestWarmUp(t *testing.T) {
	in, runs := shifted(t, func(int) string { return "u" }, func(k int) float64 { return 0 })
	for k := range runs[1].Solution.Jobs { // what differs lies outside the window
		if p := &runs[1].Solution.Jobs[k]; k < 50 || k > 549 {
			p.Start, p.End = p.Start+1000, p.End+1000
		}
	}
	opt := Defaults()
	opt.Day, opt.WarmUp = 1, 0.1
	r, err := Compare(t.Context(), in, runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	two := &r.Groups[0].Policies[1].Classes[0]
	if r.Counted != 480 || math.Abs(r.From-5.99) > 1e-9 || math.Abs(r.To-53.91) > 1e-9 || r.Days != 48 || two.WaitDifference.Mean != 0 || math.Abs(two.Wait.Max-20) > 1e-9 {
		t.Errorf("%+v", r)
	}
}

// TestOnce: of jobs that all arrive at once there is no load and no utilisation.
func TestOnce(t *testing.T) {
	in := instance(t, model.JobSpec{ID: "a", Work: new(8.0)}, model.JobSpec{ID: "b", Work: new(0.0)})
	sol := &model.Solution{Jobs: []model.Placement{placed("a", 1, 0, 8), placed("b", 1, 8, 8)}}
	r, err := Compare(t.Context(), in, []Run{{"one", true, sol}, {"two", true, sol}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	one := &r.Groups[0].Policies[0]
	if r.Load != nil || one.Utilisation != nil || one.Classes[0].Stretch != 2 || one.Classes[0].Slowdown != 1 {
		t.Errorf("%+v", r)
	}
	if text := r.Text(); !strings.Contains(text, "all released at once") || strings.Contains(text, "NaN") {
		t.Errorf("%s", text)
	}
}

// TestUnits: a day of an instance in minutes has 1,440 of them, and times are written as of one in seconds; of an unknown unit nobody knows.
func TestUnits(t *testing.T) {
	if opt, known := Defaults().In("min"); !known || opt.Day != 1440 || opt.Short != 60 {
		t.Errorf("%+v, %v", opt, known)
	}
	if _, known := Defaults().In("slots"); known {
		t.Error("a day has slots")
	}
	for unit, want := range map[string]string{"s": "1 min 30 s", "": "1 min 30 s", "min": "1 h 30 min", "slots": "90"} {
		if got := (&Report{Time: unit}).time(90); got != want {
			t.Errorf("90 %s: %q, expected %q", unit, got, want)
		}
	}
}

// TestDuration: two units, rounded to the lesser.
func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{
		0: "0 s", 0.25: "0.25 s", 45.24: "45.2 s", 59.96: "1 min", 805.3: "13 min 25 s", 3599.6: "1 h", 6802: "1 h 53 min", 105600: "29 h 20 min", 172790: "2 d", 899063: "10 d 10 h", -90: "−1 min 30 s",
	} {
		if got := (&Report{Time: "s"}).time(seconds); got != want {
			t.Errorf("%v: %q, expected %q", seconds, got, want)
		}
	}
}

// TestWithLoad: the load is what was asked for; deadlines move with arrivals.
func TestWithLoad(t *testing.T) {
	in := instance(t, model.JobSpec{ID: "a", Work: new(8.0), Arrival: 100}, model.JobSpec{ID: "b", Work: new(8.0), Arrival: 102, Deadline: new(120.0)})
	if got := Load(in); got != 2 {
		t.Fatalf("load %v, expected 2", got)
	}
	half, err := WithLoad(in, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	if b := half.Jobs()[1]; Load(half) != 0.5 || half.Jobs()[0].Arrival != 100 || b.Arrival != 108 || b.Deadline != 126 || in.Jobs()[1].Arrival != 102 {
		t.Errorf("load %v, %+v", Load(half), b)
	}
	if _, err := WithLoad(instance(t, model.JobSpec{ID: "a", Work: new(8.0)}), 0.5); err == nil {
		t.Error("one instant: expected an error")
	}
}

// TestOdd: nobody counts, or jobs without a place.
func TestOdd(t *testing.T) {
	in, runs := small(t)
	opt := Defaults()
	opt.WarmUp = 0.3
	if _, err := Compare(t.Context(), in, runs, opt); err == nil || !strings.Contains(err.Error(), "warm-up") {
		t.Errorf("no job arrives in the window: %v", err)
	}
	opt = Defaults()
	opt.Day = 1e-9
	if _, err := Compare(t.Context(), in, runs, opt); err == nil || !strings.Contains(err.Error(), "too short") {
		t.Errorf("too many days: %v", err)
	}
	opt = Defaults()
	opt.Day, opt.Block = 1e-4, 1
	if _, err := Compare(t.Context(), in, runs, opt); err == nil || !strings.Contains(err.Error(), "blocks drawn") {
		t.Errorf("too many draws: %v", err)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if _, err := Compare(stopped, in, runs, Defaults()); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
	r, err := Compare(t.Context(), in, []Run{runs[0], {"none", true, &model.Solution{}}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	none := &r.Groups[0].Policies[1]
	if none.LeftOut != 4 || none.Classes[0].Jobs != 0 || none.Classes[0].WaitDifference != nil {
		t.Errorf("%+v", none)
	}
	var table strings.Builder
	if text := r.Text(); !strings.Contains(text, "no job is placed by both") {
		t.Errorf("%s", text)
	}
	// Only one job is placed by both, and waits as long: nothing is said of the others.
	some := &model.Solution{Jobs: []model.Placement{placed("d", 1, 40, 45)}}
	if r, err = Compare(t.Context(), in, []Run{runs[0], {"some", true, some}}, Defaults()); err != nil {
		t.Fatal(err)
	}
	if text := r.Text(); !strings.Contains(text, "3 jobs have no place, 0 under first: only jobs that both place are compared\n  0 jobs wait longer, 0 shorter, 1 as long") {
		t.Errorf("%s", text)
	}
	if err := r.WriteCSV(&table); err != nil || strings.Count(table.String(), "\n") != 1+2*len(none.Classes) {
		t.Errorf("%v\n%s", err, table.String())
	}
}

// The load of a cluster with devices is that of the scarcest resource: two nodes of 4 GPUs and 64 processors, on which jobs of one processor hold 4 GPUs for 20 of 40 s and 2 for 10 s.
func TestLoadOfTheScarcestResource(t *testing.T) {
	b := model.NewBuilder("gpus").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "n", Count: 2, Processors: 64, Resources: map[string]float64{"gpu": 4}}}}).Job(
		model.JobSpec{ID: "a", Work: new(20.0), Resources: map[string]float64{"gpu": 4}}, model.JobSpec{ID: "b", Arrival: 5, Work: new(10.0), Resources: map[string]float64{"gpu": 2}},
		model.JobSpec{ID: "c", Arrival: 40, Work: new(4.0)},
	)
	b.Spec().Devices = []string{"gpu"}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Load(in), 100.0/(8*40); math.Abs(got-want) > 1e-12 {
		t.Errorf("load %v, expected %v", got, want)
	}
}
