package lab

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

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
	near("load", r.Load, (40+40+40+5)/(4*40.0))
	one, two := &r.Groups[0].Policies[0], &r.Groups[0].Policies[1]
	near("mean", one.Classes[0].Wait.Mean, 2.5)
	near("mean of the second", two.Classes[0].Wait.Mean, 10)
	near("median", two.Classes[0].Wait.Median, 10)
	near("maximum", two.Classes[0].Wait.Max, 20)
	near("p95", one.Classes[0].Wait.P95, 8.5) // 0.85 of the way from the third of 0, 0, 0, 10 to the last
	near("difference", two.Classes[0].WaitDifference.Mean, 7.5)
	near("bounded slowdown", one.Classes[0].Slowdown, (1+30.0/20+1+1)/4)
	near("utilisation", one.Utilisation, (40+40+40)/(4*40.0))            // d starts at the end of the window
	near("utilisation of the second", two.Utilisation, (40+40+20)/160.0) // c is half in it
	if one.Classes[0].WaitDifference != nil {
		t.Error("the first policy differs from itself")
	}
	var names []string
	for _, c := range one.Classes {
		names = append(names, c.Kind+"/"+c.Name)
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
	var text strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "on line (for reference: not in one ranking with the above)") {
		t.Errorf("%v\n%s", err, text.String())
	}
}

// TestIntervals: of many days on which the second policy makes one of two users wait 5 longer and the other 3 less, both intervals are found, and that of
// all jobs around +1.
func TestIntervals(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var jobs []model.JobSpec
	one, two := &model.Solution{}, &model.Solution{}
	for k := range 2000 {
		id, user, more := string(rune('a'+k%26))+strings.Repeat("x", k/26), "hurt", 5+rng.NormFloat64()
		if k%2 == 1 {
			user, more = "helped", -3+rng.NormFloat64()
		}
		at := float64(k) / 10
		jobs = append(jobs, model.JobSpec{ID: id, Work: new(0.1), Arrival: at, User: user})
		one.Jobs, two.Jobs = append(one.Jobs, placed(id, 1, at+20, at+20.1)), append(two.Jobs, placed(id, 1, at+20+more, at+20.1+more))
	}
	opt := Defaults()
	opt.Day = 1
	r, err := Compare(t.Context(), instance(t, jobs...), []Run{{"one", true, one}, {"two", true, two}}, opt)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Groups[0].Policies[1].Classes {
		want, ok := map[string]float64{"all jobs": 1, "hurt": 5, "helped": -3}[c.Name]
		if d := c.WaitDifference; ok && !(*d.Low < want && want < *d.High && *d.High-*d.Low < 0.5) {
			t.Errorf("%s: %v from %v to %v, expected about %v", c.Name, d.Mean, *d.Low, *d.High, want)
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
	r, err := Compare(t.Context(), in, []Run{runs[0], {"none", true, &model.Solution{}}}, Defaults())
	if err != nil {
		t.Fatal(err)
	}
	none := &r.Groups[0].Policies[1]
	if none.LeftOut != 4 || none.Classes[0].Jobs != 0 || none.Classes[0].WaitDifference != nil {
		t.Errorf("%+v", none)
	}
	var text, table strings.Builder
	if err := r.WriteText(&text); err != nil || !strings.Contains(text.String(), "no job is placed by both") {
		t.Errorf("%v\n%s", err, text.String())
	}
	if err := r.WriteCSV(&table); err != nil || strings.Count(table.String(), "\n") != 1+2*len(none.Classes) {
		t.Errorf("%v\n%s", err, table.String())
	}
}
