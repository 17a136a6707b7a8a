package lab

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/document"
	"github.com/allot-opt/allot/model"
)

// powered is an instance with power on one cluster and schedules of it, drawn at random.
func powered(t *rapid.T, sleeps bool) (*model.Instance, []Run) {
	b := model.NewBuilder("power")
	at := rapid.SampledFrom([]float64{0, 1_700_000_000}).Draw(t, "begin")
	spec := model.ClusterSpec{ID: "c"}
	processors := 0
	for g := range rapid.IntRange(1, 2).Draw(t, "groups") {
		count, each := rapid.IntRange(1, 3).Draw(t, "count"), rapid.IntRange(1, 2).Draw(t, "processors")
		power := &model.PowerSpec{Idle: float64(rapid.IntRange(0, 9).Draw(t, "idle")), Busy: float64(rapid.IntRange(0, 9).Draw(t, "busy"))}
		if sleeps {
			power.Off = []model.OffSpec{{Name: "off", Power: 1, Down: model.WaySpec{Time: 1, Power: 2}, Up: model.WaySpec{Time: 1, Power: 12}}}
		}
		spec.Machines = append(spec.Machines, model.MachineSpec{ID: fmt.Sprint("m", g), Count: count, Processors: each, Power: power})
		processors += count * each
	}
	b.Cluster(spec)
	tariff := &model.TariffSpec{Per: 3.6}
	for k := range rapid.IntRange(1, 6).Draw(t, "steps") {
		tariff.Price = append(tariff.Price, []float64{at + 3*float64(k), float64(rapid.IntRange(-4, 9).Draw(t, "price"))})
		tariff.Carbon = append(tariff.Carbon, []float64{at + 2*float64(k), float64(rapid.IntRange(0, 9).Draw(t, "carbon"))})
	}
	b.Spec().Tariff = tariff
	runs := []Run{{Policy: "first", Online: true, Solution: &model.Solution{}}, {Policy: "second", Online: true, Solution: &model.Solution{}}}
	ends := [2]float64{at, at}
	for k := range rapid.IntRange(1, 8).Draw(t, "jobs") {
		job := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: at, Work: new(float64(rapid.IntRange(0, 5).Draw(t, "work"))), Processors: model.Rigid(rapid.IntRange(1, processors).Draw(t, "width"))}
		if rapid.Bool().Draw(t, "own") {
			job.Power = new(float64(rapid.IntRange(0, 9).Draw(t, "power")))
		}
		b.Job(job)
		for r := range runs { // one after the other, with gaps
			start := ends[r] + float64(rapid.IntRange(0, 4).Draw(t, "gap"))
			ends[r] = start + *job.Work
			runs[r].Solution.Jobs = append(runs[r].Solution.Jobs, model.Placement{Job: job.ID, Cluster: "c", Start: start, End: ends[r],
				Processors: model.NewProcessorSet(model.Range{First: processors - job.Processors.Max, Last: processors - 1})})
		}
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, runs
}

// What policies are charged with is what the metrics of the model say, within the same time for all.
func TestBillsAreTheMetrics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sleeps := rapid.Bool().Draw(t, "sleeps")
		in, runs := powered(t, sleeps)
		report, err := Compare(context.Background(), in, runs, Defaults())
		if err != nil {
			t.Fatal(err)
		}
		if PowerByJob(in) && sleeps {
			t.Fatal("machines that sleep: expected that starts and ends are not enough")
		}
		if report.Power.To == report.Power.From {
			return // no job takes time
		}
		spec := in.Spec()
		spec.Horizon = &model.HorizonSpec{From: report.Power.From, To: report.Power.To}
		within, err := model.New(spec)
		if err != nil {
			t.Fatal(err)
		}
		for k, p := range report.Groups[0].Policies {
			found, err := model.Evaluate(within, runs[k].Solution)
			if err != nil {
				t.Fatal(err)
			}
			for metric, got := range map[string]float64{"energy": p.Power.Energy, "energy_cost": *p.Power.Cost, "carbon": *p.Power.Carbon, "peak_power": p.Power.Peak} {
				if want := found.Metrics[metric].Total; !(math.Abs(got-want) <= 1e-9*max(1, math.Abs(want))) {
					t.Fatalf("%s of %s: %v, expected %v", metric, p.Name, got, want)
				}
			}
			for _, placed := range runs[k].Solution.Jobs {
				if placed.End > report.Power.To || placed.Start < report.Power.From {
					t.Fatalf("%s: job %s runs from %v to %v, beyond %v to %v", p.Name, placed.Job, placed.Start, placed.End, report.Power.From, report.Power.To)
				}
			}
		}
	})
}

// priced is a comparison of two policies on one processor at a price: the starts under each, NaN for a job without a place. What is possible is given.
func priced(t *testing.T, price, possible float64, first, second []float64) *Report {
	t.Helper()
	b := model.NewBuilder("priced").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: &model.PowerSpec{Idle: 1, Busy: 10}}}})
	b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, price}, {100, price / 2}}}
	runs := []Run{{Policy: "first", Online: true, Solution: &model.Solution{}}, {Policy: "second", Online: true, Solution: &model.Solution{}}}
	for k := range first {
		id := fmt.Sprint("j", k)
		b.Job(model.JobSpec{ID: id, Work: new(10.0)})
		for r, starts := range [][]float64{first, second} {
			if at := starts[k]; !math.IsNaN(at) {
				runs[r].Solution.Jobs = append(runs[r].Solution.Jobs, model.Placement{Job: id, Cluster: "c", Start: at, End: at + 10, Processors: model.NewProcessorSet(model.Range{})})
			}
		}
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	opt := Defaults()
	opt.Bound = func(context.Context, *model.Instance) (Possible, bool) { return Possible{possible, "test"}, true }
	report, err := Compare(context.Background(), in, runs, opt)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// A policy that leaves jobs out, which cost nothing then, saves no share of what was possible, and its bill is not compared. Where the first policy costs what was possible but for
// rounding, nothing is a share of it.
func TestBillsOfOtherJobsAreNotCompared(t *testing.T) {
	none := math.NaN()
	for name, c := range map[string]struct {
		possible      float64
		first, second []float64
		share, known  bool // a share is stated; a bound is
		all           string
	}{
		"all placed":       {250, []float64{0, 10}, []float64{0, 100}, true, true, "−16 %"},
		"second leaves":    {100, []float64{0, 10}, []float64{0, none}, false, true, document.Missing},
		"first leaves":     {20, []float64{0, none}, []float64{0, 10}, false, true, document.Missing},
		"both leave":       {20, []float64{0, none}, []float64{100, none}, false, false, "−24 %"},
		"nothing possible": {305 * (1 - 1e-13), []float64{0, 10}, []float64{0, 100}, false, true, "−16 %"},
	} {
		r := priced(t, 1, c.possible, c.first, c.second)
		second := r.Groups[0].Policies[1].Power
		if (r.Power.Cost != nil) != c.known || (second.CostShare != nil) != c.share {
			t.Errorf("%s: bound %v, share %v", name, r.Power.Cost, second.CostShare)
		}
		q := r.quantities()[0]
		if got := q.ofBill(r.Groups[0].Policies[0].Power, second); got != c.all {
			t.Errorf("%s: of all %s, expected %s", name, got, c.all)
		}
		if onFront := r.Groups[0].onFront(&r.Groups[0].Policies[1], &q); onFront && c.all == document.Missing {
			t.Errorf("%s: on the front", name)
		}
	}
}

// Where the jobs cost less than nothing there is no change in per cent, and an amount of cost is no time.
func TestNegativeCostsAreAmounts(t *testing.T) {
	r := priced(t, -1, -1e9, []float64{0, 10}, []float64{0, 100})
	q := r.quantities()[0]
	if got := q.ofJobs(r, r.Groups[0].Policies[1].Power.CostDifference); got != "+25 a job" {
		t.Errorf("got %s", got)
	}
}

// On the front is what no other policy beats: with equal cost the shorter wait counts, with equal wait the lower cost, and of equals all are on it.
func TestTheFront(t *testing.T) {
	g := &Group{}
	for _, p := range [][2]float64{{0, 10}, {5, 10}, {5, 8}, {5, 9}, {7, 8}, {7, 6}, {7, 6}, {6, 11}} {
		g.Policies = append(g.Policies, Policy{Classes: []Class{{Wait: &Spread{Mean: p[0]}}}, Power: &Bill{Cost: new(p[1])}})
	}
	r := &Report{Power: &Power{}, Groups: []Group{*g}}
	for k, want := range []bool{true, false, true, false, false, true, true, false} {
		if got := g.onFront(&g.Policies[k], &r.quantities()[0]); got != want {
			t.Errorf("policy %d is on the front: %v", k, got)
		}
	}
}
