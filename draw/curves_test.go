package draw

import (
	"bytes"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// example is two jobs on two processors, one after the other, and their schedule.
func example(t *testing.T) (*model.Instance, *model.Solution) {
	t.Helper()
	in, err := model.NewBuilder("two").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2}}}).
		Job(model.JobSpec{ID: "a", Processors: model.Rigid(2), Work: new(6.0)}, model.JobSpec{ID: "b", Work: new(4.0), Arrival: 2}).Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, &model.Solution{Solver: "hand", Jobs: []model.Placement{
		{Job: "a", Cluster: "c", Processors: model.Processors(0, 1), Start: 0, End: 6}, {Job: "b", Cluster: "c", Processors: model.Processors(0), Start: 6, End: 10}}}
}

// TestSeries: b waits from 2 to 6; 2 processors are held until 6, 1 until 10.
func TestSeries(t *testing.T) {
	in, sol := example(t)
	for quantity, want := range map[Quantity][]change{
		Queue: {{0, 0}, {2, 1}, {6, 0}}, Utilisation: {{0, 100}, {6, 50}, {10, 0}},
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
	in, sol := example(t)
	empty := &model.Solution{}
	for _, schedules := range [][]*model.Solution{{sol}, {sol, sol, empty}, {empty}} {
		for _, quantity := range Quantities() {
			for _, view := range Views()[:race.Fewer(len(Views()), 1)] {
				for _, format := range []Format{SVG, PNG} {
					opt := CurveOptions{Quantity: quantity, View: view, Width: 300, Height: 300, Title: "a <title> & more"}
					if (view == Quantiles || view == Difference) && !quantity.ofJobs() || view == Difference && len(schedules) < 2 {
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
		{[]*model.Solution{sol}, CurveOptions{}, "x", "unknown format"},
		{[]*model.Solution{sol}, CurveOptions{}, Text, "expected svg or png"},
	} {
		if err := into(new(bytes.Buffer), c.format)(Curves(in, c.schedules, c.opt)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestWaitDifferences: b waits 4 less in a schedule that starts it at once, and a as long as in the other. A picture needs two schedules.
func TestWaitDifferences(t *testing.T) {
	in, sol := example(t)
	other := &model.Solution{Solver: "other", Jobs: []model.Placement{
		{Job: "b", Cluster: "c", Processors: model.Processors(0), Start: 2, End: 6}, {Job: "a", Cluster: "c", Processors: model.Processors(0, 1), Start: 6, End: 12}}}
	picture, err := WaitDifferences(in, []*model.Solution{sol, other}, CurveOptions{})
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
		if picture, err = WaitDifferences(in, pair, CurveOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := picture.Write(&svg, SVG); err != nil || !strings.Contains(svg.String(), "12 h<") {
			t.Errorf("expected a difference in days and hours: %v", err)
		}
	}
	for _, schedules := range [][]*model.Solution{{sol}, {sol, nil}, {sol, {Jobs: []model.Placement{{Job: "nobody"}}}}} {
		if _, err := WaitDifferences(in, schedules, CurveOptions{}); err == nil {
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
