package draw

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/picture"
	"github.com/allot-opt/allot/model"
)

// areaBelow is the area below a stepped line.
func areaBelow(line []picture.Point) (area float64) {
	for k := range len(line) - 1 {
		area += line[k].Y * (line[k+1].X - line[k].X)
	}
	return area
}

// placedAnyhow places jobs of an instance at times and on processors that are drawn: a schedule that need not be valid, but can be evaluated.
func placedAnyhow(t *rapid.T, in *model.Instance) *model.Solution {
	sol := &model.Solution{}
	for k := range in.Jobs() {
		c := &in.Clusters()[rapid.IntRange(0, len(in.Clusters())-1).Draw(t, "cluster")]
		first := rapid.IntRange(0, c.Processors-1).Draw(t, "first")
		last := rapid.IntRange(first, min(c.Processors-1, first+5)).Draw(t, "last")
		start, length := rapid.IntRange(0, 160).Draw(t, "start"), rapid.IntRange(0, 80).Draw(t, "length")
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[k].ID, Cluster: c.ID, Processors: model.NewProcessorSet(run(first, last)),
			Start: float64(start) / 4, End: float64(start+length) / 4})
	}
	return sol
}

// The areas below the curves that are drawn are the energy, and with the tariffs that are drawn the cost, as the evaluator finds them; their highest point is the peak.
// This holds for the steps themselves and for the means and the highest values of columns.
func TestPowerPanelsAreWhatIsCounted(t *testing.T) {
	averaged, priced, several := false, false, false
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.PowerFeatures}.Instance(t)
		sol := placedAnyhow(t, in)
		found, err := model.Evaluate(in, sol)
		if err != nil {
			t.Fatal(err)
		}
		energy, measured := found.Metrics.Get("energy")
		c, err := newCurves(in, []*model.Solution{sol}, CurveOptions{Quantity: Power})
		if (err == nil) != measured {
			t.Fatalf("%v, measured %v", err, measured)
		}
		if err != nil {
			return
		}
		most, _ := found.Metrics.Get("peak_power")
		near := func(what string, a, b, size float64) {
			t.Helper()
			if !(math.Abs(a-b) <= 1e-9*size) {
				t.Fatalf("%s is %v in the picture, the evaluator finds %v", what, a, b)
			}
		}
		for _, columns := range []int{3, 1000} {
			area, peak := 0.0, 0.0
			for k := range c.power.panels {
				top := c.power.panels[k].top()
				line := top.overTime(c.from, c.to, columns)
				area += areaBelow(line)
				if highest := top.highest(c.from, c.to, columns); highest != nil {
					line, averaged = highest, true
				}
				for _, at := range line {
					peak = max(peak, at.Y)
				}
			}
			near("the energy", area, energy, energy)
			if len(c.power.panels) == 1 {
				near("the peak", peak, most, most)
			}
		}
		several = several || len(c.power.panels) > 1
		want, measured := found.Metrics.Get("energy_cost")
		if !measured {
			return
		}
		cost, size := 0.0, 0.0
		for cluster := range in.Clusters() {
			of := &in.Clusters()[cluster]
			at := slices.IndexFunc(c.power.tariffs, func(l tariffLine) bool {
				return !l.isCarbon && (l.of == of.ID || l.of == "" && of.Tariff == in.Tariff())
			})
			if at < 0 {
				t.Fatalf("no tariff of %s", of.ID)
			}
			tariff := c.power.tariffs[at]
			prices := model.SumSteps(tariff.steps)
			var layer *series
			for k := range c.power.panels {
				if p := &c.power.panels[k]; p.cluster == cluster || p.cluster < 0 && cluster == 0 {
					layer = p.top()
				}
			}
			if layer == nil {
				continue // all clusters together, under one tariff
			}
			for k, step := range layer.steps {
				until := c.to
				if k+1 < len(layer.steps) {
					until = layer.steps[k+1].time
				}
				cost += step.by * prices.Over(step.time, until) / tariff.per
				size += step.by * max(math.Abs(tariff.least), math.Abs(tariff.most)) * (until - step.time) / tariff.per
			}
		}
		priced = true
		near("the cost", cost, want, size)
	})
	if !averaged || !priced || !several {
		t.Errorf("means of columns %v, prices %v, several panels %v", averaged, priced, several)
	}
}

// A single machine under a cap, worked by hand: what stands on what, the cap, and what it counts.
func TestPowerPanelByHand(t *testing.T) {
	in, sol := capped(t)
	c, err := newCurves(in, []*model.Solution{sol}, CurveOptions{Quantity: Power, Window: Window{From: 1, HasFrom: true}})
	if err != nil {
		t.Fatal(err)
	}
	p := &c.power.panels[0]
	for k, want := range [][]change{
		{{1, 20}, {4, 10}, {5, 10}, {9, 10}, {10, 20}, {14, 10}, {15, 10}, {20, 0}}, // on
		{{1, 20}, {4, 10}, {5, 11}, {9, 10}, {10, 20}, {14, 10}, {15, 11}, {20, 0}}, // off, 1 from 5 to 9 and from 15 on
		{{1, 20}, {4, 14}, {5, 11}, {9, 16}, {10, 20}, {14, 14}, {15, 11}, {20, 0}}, // the ways
		{{1, 23}, {4, 14}, {5, 11}, {9, 16}, {10, 27}, {14, 14}, {15, 11}, {20, 0}}, // running
	} {
		if !slices.Equal(p.layers[k].steps, want) {
			t.Errorf("layer %d: %v, want %v", k, p.layers[k].steps, want)
		}
	}
	if want := []change{{1, 60}, {6, 30}, {12, 100}}; !slices.Equal(p.caps, want) {
		t.Errorf("caps %v, want %v", p.caps, want)
	}
	if want := []change{{1, 23}, {4, 20}, {5, 20}, {9, 20}, {10, 27}, {14, 20}, {15, 20}, {20, 20}}; !slices.Equal(p.counted.steps, want) {
		t.Errorf("the cap counts %v, want %v", p.counted.steps, want)
	}
	if most := c.highestOn(-1); most != 30 {
		t.Errorf("shows values up to %v, want 30: the other caps are more than twice what is taken", most)
	}
	if c.from != 1 || !(c.to > 20) || !slices.Equal(c.power.horizon, []float64{20}) {
		t.Errorf("shows %v to %v, horizon %v", c.from, c.to, c.power.horizon)
	}
}

// The highest value of a column is that which holds when it begins, or a higher one that begins within.
func TestHighest(t *testing.T) {
	s := &series{steps: []change{{0, 5}, {10, 7}, {11, 3}, {12, 9}}}
	for _, c := range []struct {
		columns int
		want    []picture.Point
	}{
		{1, []picture.Point{{X: 0, Y: 7}, {X: 12, Y: 7}}},
		{2, []picture.Point{{X: 0, Y: 5}, {X: 6, Y: 7}, {X: 12, Y: 7}}},
		{3, []picture.Point{{X: 0, Y: 5}, {X: 4, Y: 5}, {X: 8, Y: 7}, {X: 12, Y: 7}}},
		{4, nil},
	} {
		if got := s.highest(0, 12, c.columns); !slices.Equal(got, c.want) {
			t.Errorf("%d columns: %v, want %v", c.columns, got, c.want)
		}
	}
	if got, want := s.highest(2, 14, 2), []picture.Point{{X: 2, Y: 5}, {X: 8, Y: 9}, {X: 14, Y: 9}}; !slices.Equal(got, want) {
		t.Errorf("from 2 to 14: %v, want %v", got, want)
	}
}

// capped is a schedule of two jobs on two machines, one of which sleeps, under a cap.
func capped(t testing.TB) (*model.Instance, *model.Solution) {
	t.Helper()
	sleeps := &model.PowerSpec{Idle: 10, Busy: 3, Off: []model.OffSpec{{Name: "off", Power: 1, Down: model.WaySpec{Time: 1, Power: 4}, Up: model.WaySpec{Time: 1, Power: 6}}}, End: "off"}
	b := model.NewBuilder("capped").Minimise("energy_cost", 1).Cluster(model.ClusterSpec{ID: "c", PowerCap: [][]float64{{0, 90}, {0.5, 60}, {6, 30}, {12, 100}},
		Machines: []model.MachineSpec{{ID: "m", Power: sleeps}, {ID: "n", Power: &model.PowerSpec{Idle: 10}}}})
	b.Spec().Horizon, b.Spec().Units = &model.HorizonSpec{To: 20}, &model.Units{Time: "h", Cost: "EUR"}
	b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, 0.5}, {7, 0.25}, {11, 1}}, Per: 1000}
	b.Job(model.JobSpec{ID: "a", Work: new(4.0)}, model.JobSpec{ID: "b", Work: new(4.0), Power: new(7.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, &model.Solution{Solver: "hand", Jobs: []model.Placement{at("a", "c", 0, 4, run(0, 0)), at("b", "c", 10, 14, run(0, 0))}}
}

// withPower is an instance whose first machines take power.
func withPower(t testing.TB, in *model.Instance) *model.Instance {
	t.Helper()
	spec := in.Spec()
	spec.Clusters[0].Machines[0].Power = &model.PowerSpec{Idle: 90, Busy: 5}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// What the picture says: units, names of clusters, the parts that there are.
func TestPowerPictures(t *testing.T) {
	drawn := func(in *model.Instance, opt CurveOptions, schedules ...*model.Solution) string {
		t.Helper()
		var svg bytes.Buffer
		opt.Quantity = Power
		if err := into(&svg, SVG)(Curves(in, schedules, opt)); err != nil {
			t.Fatal(err)
		}
		checkSVG(t, "power", svg.Bytes())
		return svg.String()
	}
	contains := func(svg string, yes []string, no ...string) {
		t.Helper()
		for _, text := range yes {
			if !strings.Contains(svg, text) {
				t.Errorf("expected %q in the picture", text)
			}
		}
		for _, text := range no {
			if strings.Contains(svg, text) {
				t.Errorf("did not expect %q in the picture", text)
			}
		}
	}
	in, sol := capped(t)
	parts := []string{"machines that are on, idle power", "machines that are off", "on the way down, and up", "running processors"}
	contains(drawn(in, CurveOptions{}, sol), append([]string{"price (EUR)", ">power<", "power cap", "what the cap counts", "a power cap lies above the picture", "horizon"}, parts...), "hand", "highest", "kWh")
	contains(drawn(in, CurveOptions{Watts: true}, sol, sol), []string{"price (EUR/kWh)", "power (W)", "hand"})
	contains(drawn(in, CurveOptions{Window: Window{From: 1, To: 3, HasFrom: true, HasTo: true}}, sol), []string{parts[0], parts[3]}, parts[1], parts[2], "horizon")
	contains(drawn(in, CurveOptions{Width: 200}, sol), []string{"power cap"})
	contains(drawn(in, CurveOptions{View: Cumulative, Watts: true}, sol), []string{"share of the time (%)", "power (W)"})

	sleepers, tariffs := sleeping(t)
	contains(drawn(tariffs, CurveOptions{Width: 500, Names: []string{"one", "two"}}, sleepers, sleepers), []string{"carbon", "price", "one · c1", "one · c2", "two · c1", "two · c2"}, "power cap")

	many, crowded := crowd(t, 1_500, 12)
	contains(drawn(withPower(t, crowded), CurveOptions{}, many), []string{"highest in ", "areas are means"}, "horizon", "price")
}

// What keeps power from being drawn is said.
func TestPowerThatCannotBeDrawn(t *testing.T) {
	none, err := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(model.JobSpec{ID: "a", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	sleeps := &model.PowerSpec{Idle: 2, SuspendAfter: new(1.0), Off: []model.OffSpec{{Name: "off", Up: model.WaySpec{Time: 9, Power: 3}}}}
	asleep, err := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: sleeps}}}).
		Job(model.JobSpec{ID: "a", Work: new(1.0)}, model.JobSpec{ID: "b", Work: new(1.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	b := model.NewBuilder("x").Job(model.JobSpec{ID: "a", Work: new(1.0)})
	for k := range 161 {
		id := "c"
		if k > 0 {
			id = fmt.Sprint("c", k)
		}
		b.Cluster(model.ClusterSpec{ID: id, PowerCap: [][]float64{{0, 9}}, Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 2}}}})
	}
	many, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	sol := &model.Solution{Jobs: []model.Placement{at("a", "c", 0, 1, run(0, 0))}}
	early := &model.Solution{Jobs: append(slices.Clone(sol.Jobs), at("b", "c", 3, 4, run(0, 0)))}
	twice := &model.Solution{Jobs: append(slices.Clone(sol.Jobs), sol.Jobs...)}
	for _, c := range []struct {
		in   *model.Instance
		sol  *model.Solution
		want string
	}{
		{none, sol, "expected machines or jobs that state their power, found none"},
		{asleep, early, "it is not known, because a machine that can be off cannot be in a state that it must be in"},
		{many, sol, "expected at most 160 panels, found 161"},
		{asleep, twice, "the job is placed more than once"},
	} {
		if _, err := Curves(c.in, []*model.Solution{c.sol}, CurveOptions{Quantity: Power}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s", err, c.want)
		}
	}
}
