package draw

import (
	"bytes"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// example is two jobs on two machines, one after the other, and their schedule.
func example(t *testing.T) (*model.Instance, *model.Solution) {
	t.Helper()
	in, err := model.NewBuilder("two").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 5, Busy: 3}}}}).
		Job(model.JobSpec{ID: "a", Processors: model.Rigid(2), Work: new(6.0)}, model.JobSpec{ID: "b", Work: new(4.0), Arrival: 2}).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, &model.Solution{Solver: "hand", Jobs: []model.Placement{
		{Job: "a", Cluster: "c", Processors: model.Processors(0, 1), Start: 0, End: 6}, {Job: "b", Cluster: "c", Processors: model.Processors(0), Start: 6, End: 10}}}
}

// TestSeries: b waits from 2 to 6; 2 processors are held until 6, 1 until 10. The machines take 10, and each processor held 3 more.
func TestSeries(t *testing.T) {
	in, sol := example(t)
	for quantity, want := range map[Quantity][]change{
		Queue: {{0, 0}, {2, 1}, {6, 0}}, Utilisation: {{0, 100}, {6, 50}, {10, 0}}, Power: {{0, 16}, {6, 13}, {10, 0}},
	} {
		s, err := newSeries(in, sol, quantity)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.steps) != len(want) {
			t.Fatalf("%s: got %v, want %v", quantity, s.steps, want)
		}
		for k := range want {
			if s.steps[k] != want[k] {
				t.Errorf("%s: got %v, want %v", quantity, s.steps, want)
			}
		}
	}
	queue, _ := newSeries(in, sol, Queue)
	// Of 10 time units 4 have one job in the queue: in two columns of 5 the means are 3/5 and 1/5.
	curve := queue.overTime(0, 10, 2)
	if len(curve) != 3 || math.Abs(curve[0].Y-0.6) > 1e-12 || math.Abs(curve[1].Y-0.2) > 1e-12 {
		t.Errorf("got %v", curve)
	}
	if c := queue.cumulative(100); len(c) != 2 || c[0].X != 0 || math.Abs(c[0].Y-60) > 1e-9 || c[1].Y != 100 {
		t.Errorf("got %v", c)
	}
	waits, _ := newSeries(in, sol, Wait)
	if c := waits.cumulative(100); len(c) != 2 || c[0].X != 0 || c[0].Y != 50 || c[1].X != 4 {
		t.Errorf("got %v", c)
	}
}

// TestCurves draws every quantity in every view and format, twice to the same bytes.
func TestCurves(t *testing.T) {
	race.OneGoroutine(t)
	in, sol := example(t)
	empty := &model.Solution{}
	for _, schedules := range [][]*model.Solution{{sol}, {sol, sol, empty}, {empty}} {
		for _, quantity := range Quantities() {
			for _, view := range Views()[:race.Fewer(len(Views()), 1)] {
				for _, format := range []Format{SVG, PNG} {
					opt := CurveOptions{Quantity: quantity, View: view, Width: 300, Height: 300, Title: "a <title> & more"}
					if view.byPeriod() && !quantity.ofJobs() || view == Difference && len(schedules) < 2 {
						continue
					}
					var one, two bytes.Buffer
					if err := into(&one, format)(Curves(in, schedules, opt)); err != nil {
						t.Fatalf("%+v: %v", opt, err)
					}
					if err := into(&two, format)(Curves(in, schedules, opt)); err != nil || !bytes.Equal(one.Bytes(), two.Bytes()) {
						t.Errorf("%+v: two pictures of one schedule", opt)
					}
					if format == PNG {
						if picture, err := png.Decode(&one); err != nil || picture.Bounds().Dx() != 600 {
							t.Errorf("%+v: %v", opt, err)
						}
					} else if text := one.String(); !strings.Contains(text, "</svg>") || !strings.Contains(text, "a &lt;title&gt; &amp; more") || strings.Contains(text, "NaN") {
						t.Errorf("%+v: not a whole SVG", opt)
					}
				}
			}
		}
	}
}

func TestCurvesSayWhatIsWrong(t *testing.T) {
	in, sol := example(t)
	if _, err := Curves(nil, []*model.Solution{sol}, CurveOptions{}); err == nil || !strings.Contains(err.Error(), "no instance") {
		t.Errorf("error %v", err)
	}
	endless := &model.Solution{Jobs: []model.Placement{{Job: "a", Cluster: "c", Processors: model.Processors(0), End: math.Inf(1)}}}
	other := &model.Solution{Jobs: []model.Placement{{Job: "z", Cluster: "c", Processors: model.Processors(0), End: 1}}}
	for _, c := range []struct {
		schedules []*model.Solution
		opt       CurveOptions
		format    Format
		want      string
	}{
		{nil, CurveOptions{}, SVG, "no schedule"},
		{[]*model.Solution{sol, nil}, CurveOptions{}, SVG, "schedules[1]: no schedule"},
		{[]*model.Solution{endless}, CurveOptions{}, SVG, `jobs[0] ("a"): time +Inf`},
		{[]*model.Solution{other}, CurveOptions{}, SVG, `job "z" is not in the instance`},
		{[]*model.Solution{sol}, CurveOptions{Width: 5}, SVG, "expected 200 to 8192 pixels"},
		{[]*model.Solution{sol}, CurveOptions{Height: 90000}, SVG, "expected 200 to 8192 pixels"},
		{[]*model.Solution{sol}, CurveOptions{Quantity: "x"}, SVG, "unknown quantity"},
		{[]*model.Solution{sol}, CurveOptions{View: "x"}, SVG, "unknown view"},
		{[]*model.Solution{sol}, CurveOptions{Quantity: "makespan"}, SVG, "or a metric that is a mean over jobs"},
		{[]*model.Solution{sol}, CurveOptions{Quantity: Power, View: Quantiles}, SVG, "expected a quantity of jobs, such as wait; found power"},
		{[]*model.Solution{sol}, CurveOptions{Names: []string{"a", "b"}}, SVG, "expected as many names as schedules, found 2 for 1"},
		{[]*model.Solution{sol, sol, sol, sol, sol}, CurveOptions{Quantity: Power, Height: 200}, SVG, "expected at least 290 pixels for 5 panels"},
		{[]*model.Solution{sol}, CurveOptions{View: Quantiles}, SVG, "expected a quantity of jobs, such as wait; found queue"},
		{[]*model.Solution{sol}, CurveOptions{Quantity: Wait, View: Difference}, SVG, "expected at least two schedules for a difference, found one"},
		{[]*model.Solution{sol}, CurveOptions{Quantity: Wait, View: Quantiles, Period: -1}, SVG, "period -1: expected a time above 0"},
		{[]*model.Solution{sol}, CurveOptions{Window: Window{From: 8, To: 8, HasFrom: true, HasTo: true}}, SVG, "expected the start before the end"},
		{[]*model.Solution{sol}, CurveOptions{Window: Window{From: 80, HasFrom: true}}, SVG, "which runs from 0 s to 10 s"},
		{[]*model.Solution{sol}, CurveOptions{Quantity: Wait, Window: Window{From: 5, HasFrom: true}}, SVG, "expected one in which a job arrives"},
		{[]*model.Solution{sol, sol, sol, sol, sol}, CurveOptions{Height: 200}, SVG, "expected at least 290 pixels for 5 panels"},
		{[]*model.Solution{sol}, CurveOptions{}, "x", "unknown format"},
		{[]*model.Solution{sol}, CurveOptions{}, Text, "expected svg, pdf or png"},
	} {
		if err := into(new(bytes.Buffer), c.format)(Curves(in, c.schedules, c.opt)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestGoldenCurves compares a picture in each view with that of before.
func TestGoldenCurves(t *testing.T) {
	race.OneGoroutine(t)
	sol, in := crowd(t, 1_500, 12)
	sol.Solver = "easy"
	later := *sol
	later.Solver, later.Jobs = "later", slices.Clone(sol.Jobs)
	for k := range later.Jobs {
		shift := 600 * float64(k%7-2)
		later.Jobs[k].Start, later.Jobs[k].End = max(0, later.Jobs[k].Start+shift), max(0, later.Jobs[k].Start+shift)+later.Jobs[k].End-later.Jobs[k].Start
	}
	under, one := capped(t)
	asleep, priced := sleeping(t)
	for _, c := range []struct {
		name      string
		opt       CurveOptions
		in        *model.Instance
		schedules []*model.Solution
	}{
		{"curves-time", CurveOptions{Quantity: Queue, Window: Window{From: 7200, HasFrom: true}}, in, []*model.Solution{sol, &later}},
		{"curves-cdf", CurveOptions{Quantity: Wait, View: Cumulative}, in, []*model.Solution{sol, &later}},
		{"curves-quantiles", CurveOptions{Quantity: "bounded_slowdown", View: Quantiles}, in, []*model.Solution{sol, &later}},
		{"curves-difference", CurveOptions{Quantity: Wait, View: Difference, Period: 7200}, in, []*model.Solution{sol, &later}},
		{"curves-power", CurveOptions{Quantity: Power, Watts: true}, under, []*model.Solution{one}},
		{"curves-power-clusters", CurveOptions{Quantity: Power}, priced, []*model.Solution{asleep}},
		{"curves-power-columns", CurveOptions{Quantity: Power}, withPower(t, in), []*model.Solution{sol, &later}},
	} {
		var out bytes.Buffer
		c.opt.Width = 500
		if err := into(&out, SVG)(Curves(c.in, c.schedules, c.opt)); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join("testdata", c.name+".svg")
		if *update {
			if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), out.String()); diff != "" {
			t.Errorf("%s (-want +got), rewrite with -update:\n%s", file, diff)
		}
	}
}

// TestPeriods compares the quantiles of each period with those found by counting, and pairs jobs by their ids.
func TestPeriods(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var values []change
		for range rapid.IntRange(0, 30).Draw(t, "jobs") {
			arrival := rapid.OneOf(rapid.Float64Range(0, 100), rapid.SampledFrom([]float64{0, 7, 99, 100})).Draw(t, "arrival")
			values = append(values, change{arrival, float64(rapid.IntRange(-5, 5).Draw(t, "value"))})
		}
		slices.SortFunc(values, byTime)
		each := rapid.SampledFrom([]float64{1, 7, 30, 1000}).Draw(t, "length")
		list := periodsOf(values, 0, 100, each)
		n := 0
		for _, p := range list {
			n += p.jobs
			var of []float64
			sum := 0.0
			for _, v := range values {
				if p.from <= v.time && v.time < p.to || v.time == 100 && p.to == 100 {
					of = append(of, v.by)
					sum += v.by
				}
			}
			if len(of) != p.jobs || math.Abs(sum/float64(len(of))-p.mean) > 1e-9 {
				t.Fatalf("%+v has the jobs %v", p, of)
			}
			for s, share := range []float64{0.1, 0.25, 0.5, 0.75, 0.9} {
				below := 0 // jobs with less than the quantile, and with at most it
				most := 0
				for _, x := range of {
					if x < p.quantiles[s] {
						below++
					}
					if x <= p.quantiles[s] {
						most++
					}
				}
				if !(float64(below) < share*float64(len(of))+1e-9 && float64(most) >= share*float64(len(of))-1e-9) {
					t.Fatalf("%v of %v: %v", share, of, p.quantiles[s])
				}
			}
		}
		if n != len(values) {
			t.Fatalf("%d jobs in periods, want %d", n, len(values))
		}
	})
	got := paired([]jobValue{{3, 1, 10}, {1, 2, 4}, {7, 5, 1}}, []jobValue{{1, 2, 1}, {3, 1, 12}, {9, 0, 0}})
	if !slices.Equal(got, []change{{1, -2}, {2, 3}}) {
		t.Errorf("pairs %v", got)
	}
	for _, c := range []struct {
		asked, span float64
		unit        string
		want        float64
	}{{0, 90 * 86400, "s", 7 * 86400}, {0, 90 * 24, "h", 7 * 24}, {0, 86400, "s", 7200}, {0, 100, "ticks", 5}, {3600, 86400, "s", 3600}, {1, 86400, "s", 0}} {
		if got, err := periodLength(c.asked, c.span, c.unit); got != c.want || (err == nil) != (c.want > 0) {
			t.Errorf("%+v: %v, %v", c, got, err)
		}
	}
}

// TestWaitDifferences: b waits 4 less in a schedule that starts it at once, and a as long as in the other. A picture needs two schedules.
func TestWaitDifferences(t *testing.T) {
	in, sol := example(t)
	other := &model.Solution{Solver: "other", Jobs: []model.Placement{
		{Job: "b", Cluster: "c", Processors: model.Processors(0), Start: 2, End: 6}, {Job: "a", Cluster: "c", Processors: model.Processors(0, 1), Start: 6, End: 12}}}
	picture, err := Curves(in, []*model.Solution{sol, other}, CurveOptions{Quantity: Wait, View: Difference})
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := picture.Write(&svg, SVG); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"Wait minus that under hand", "difference", ">median<", ">mean<"} {
		if !strings.Contains(svg.String(), text) {
			t.Errorf("expected %q in the picture", text)
		}
	}
	// A wait that is two days shorter is stated in days and hours, not in 172,800 s, though no wait is longer.
	in, sol = example(t)
	late := *sol
	late.Jobs = slices.Clone(sol.Jobs)
	for k := range late.Jobs {
		late.Jobs[k].Start, late.Jobs[k].End = late.Jobs[k].Start+172800, late.Jobs[k].End+172800
	}
	for _, pair := range [][]*model.Solution{{&late, sol}, {sol, &late}} {
		svg.Reset()
		if picture, err = Curves(in, pair, CurveOptions{Quantity: Wait, View: Difference}); err != nil {
			t.Fatal(err)
		}
		if err := picture.Write(&svg, SVG); err != nil || !strings.Contains(svg.String(), "12 h<") {
			t.Errorf("expected a difference in days and hours: %v", err)
		}
	}
	for _, schedules := range [][]*model.Solution{{sol}, {sol, nil}, {sol, {Jobs: []model.Placement{{Job: "nobody"}}}}} {
		if _, err := Curves(in, schedules, CurveOptions{Quantity: Wait, View: Difference}); err == nil {
			t.Errorf("%d schedules: expected an error", len(schedules))
		}
	}
}

// TestShares: a panel for each user with the curves of the policies under their names; a user who is entitled to nothing for a while has a gap, and what does
// not fit together is an error.
func TestShares(t *testing.T) {
	in, _ := example(t)
	gap := math.NaN()
	users := []SharePanel{{"ann", [][]float64{{1, gap, 0.5}, {gap, gap, gap}}}, {"bob", [][]float64{{0.25, 2, 2}, {1, 1, 1}}}}
	picture, err := Shares(in, 0, 30, []string{"easy", "fcfs"}, users, CurveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var svg bytes.Buffer
	if err := picture.Write(&svg, SVG); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"user ann", "user bob", ">easy<", ">fcfs<", "received (% of entitled)", ">200<"} {
		if !strings.Contains(svg.String(), text) {
			t.Errorf("expected %q in the picture", text)
		}
	}
	if strings.Contains(svg.String(), "NaN") {
		t.Error("a gap is drawn")
	}
	for _, wrong := range []func() (*Picture, error){
		func() (*Picture, error) { return Shares(nil, 0, 30, []string{"easy", "fcfs"}, users, CurveOptions{}) },
		func() (*Picture, error) { return Shares(in, 0, 30, []string{"easy"}, users, CurveOptions{}) },
		func() (*Picture, error) { return Shares(in, 0, 30, nil, nil, CurveOptions{}) },
	} {
		if _, err := wrong(); err == nil {
			t.Error("expected an error")
		}
	}
}
