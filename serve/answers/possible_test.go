package answers

import (
	"context"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// priced draws a trace under prices of either sign, on machines that are always on, sleep when that is cheapest, or sleep by a rule.
func priced(t *rapid.T) *model.Instance {
	b := model.NewBuilder("priced")
	at := rapid.SampledFrom([]float64{0, 1_700_000_000}).Draw(t, "begin")
	power := &model.PowerSpec{Idle: float64(rapid.IntRange(0, 9).Draw(t, "idle")), Busy: float64(rapid.IntRange(0, 9).Draw(t, "busy"))}
	if rapid.Bool().Draw(t, "sleeps") {
		way := func(name string) model.WaySpec {
			return model.WaySpec{Time: float64(rapid.IntRange(0, 4).Draw(t, name)) / 2, Power: float64(rapid.IntRange(0, 12).Draw(t, name+" power"))}
		}
		power.Off = []model.OffSpec{{Name: "off", Power: float64(rapid.IntRange(0, 4).Draw(t, "off")), Down: way("down"), Up: way("up")}}
		power.SuspendAfter = new(float64(rapid.IntRange(0, 6).Draw(t, "suspend after")) / 2)
	}
	processors := rapid.IntRange(1, 4).Draw(t, "machines")
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: processors, Processors: 1, Power: power}}})
	least := rapid.SampledFrom([]int{0, 0, -3}).Draw(t, "least")
	tariff := &model.TariffSpec{Per: rapid.SampledFrom([]float64{1, 3.6e6}).Draw(t, "per")}
	time := at
	for range rapid.IntRange(1, 8).Draw(t, "steps") {
		tariff.Price = append(tariff.Price, []float64{time, float64(rapid.IntRange(least, 9).Draw(t, "price"))})
		tariff.Carbon = append(tariff.Carbon, []float64{time, float64(rapid.IntRange(0, 9).Draw(t, "carbon"))})
		time += float64(rapid.IntRange(1, 6).Draw(t, "step"))
	}
	b.Spec().Tariff, b.Spec().Units = tariff, &model.Units{Time: "h"}
	arrival := at
	for k := range rapid.IntRange(1, 7).Draw(t, "jobs") {
		arrival += float64(rapid.IntRange(0, 9).Draw(t, "gap"))
		work := float64(rapid.IntRange(1, 6).Draw(t, "work"))
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: arrival, Work: &work, Estimate: new(work + float64(rapid.IntRange(-1, 3).Draw(t, "estimate"))),
			Processors: model.Rigid(rapid.IntRange(1, processors).Draw(t, "width"))})
	}
	in, err := b.Build()
	if err != nil {
		t.Skip(err) // an estimate of 0
	}
	return in
}

// Nothing costs less than what was possible, and no saving is above it: on thousands of traces, under policies that wait for cheap power, leave jobs out, and let
// machines sleep.
func TestNobodySavesMoreThanIsPossible(t *testing.T) {
	race.OneGoroutine(t)
	known, shares, asleep := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := priced(t)
		names := []string{"easy", "easy:price_budget=4", "easy:price_budget=9:price_rule=oracle", "fcfs:price_budget=9:price_rule=window"}
		sleeps := in.Features()&model.PowerLimits != 0
		if !sleeps {
			names = append(names, "easy:kill=true")
		}
		choices, err := Policies(names)
		if err != nil {
			t.Fatal(err)
		}
		options := lab.Defaults()
		options.Bound, options.Replicates = Possible, 100
		l := PolicyRuns{In: in, Policies: choices, Options: &options, Settings: bench.Settings{Options: solve.Options{}}, Step: func() {}, Warn: func(string, string) {}}
		runs, err := l.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		report, err := lab.Compare(context.Background(), in, runs, options)
		if err != nil {
			t.Fatal(err)
		}
		if p := report.Power; sleeps && !in.MayBeNegative("energy_cost") && p.Cost == nil {
			t.Fatal("machines that sleep by a rule: expected to know what was possible")
		}
		for k := range report.Groups[0].Policies {
			p := &report.Groups[0].Policies[k]
			for _, q := range []struct {
				name        string
				bill, share *float64
				wasPossible *lab.Possible
			}{{"cost", p.Power.Cost, p.Power.CostShare, report.Power.Cost}, {"carbon", p.Power.Carbon, p.Power.CarbonShare, report.Power.Carbon}} {
				if q.share != nil {
					shares++
					if !(*q.share <= 1+1e-9) {
						t.Fatalf("%s: %v of what was possible of the %s is saved", p.Name, *q.share, q.name)
					}
				}
				if q.wasPossible == nil || p.Power.LeftOut > 0 {
					continue
				}
				if known++; sleeps {
					asleep++
				}
				if bound := q.wasPossible.Bound; !(bound <= *q.bill+1e-9*math.Abs(*q.bill)) {
					t.Fatalf("%s has a %s of %v, which is below what is said to be possible, %v", p.Name, q.name, *q.bill, bound)
				}
			}
			if p.Power.LeftOut > 0 && (p.Power.CostShare != nil || p.Power.CarbonShare != nil) {
				t.Fatalf("%s leaves %d jobs out, and is said to save a share of what was possible", p.Name, p.Power.LeftOut)
			}
		}
	})
	if known < race.Enough(300) || shares < race.Enough(100) || asleep < race.Enough(100) {
		t.Errorf("%d bounds, %d shares and %d bounds of machines that sleep: the test proves little", known, shares, asleep)
	}
}

// pricedBySteps is an instance with a tariff of the given number of steps, each of the given length in seconds.
func pricedBySteps(t *testing.T, steps, length int) *model.Instance {
	t.Helper()
	b := model.NewBuilder("steps").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: &model.PowerSpec{Idle: 1, Busy: 2}}}})
	b.Spec().Tariff = &model.TariffSpec{}
	for k := range steps {
		b.Spec().Tariff.Price = append(b.Spec().Tariff.Price, []float64{float64(k * length), float64(1 + k%96)})
	}
	b.Spec().Horizon, b.Spec().Objective = &model.HorizonSpec{To: float64(length * steps)}, map[string]float64{"energy_cost": 1}
	b.Job(model.JobSpec{ID: "a", Work: new(1000.0)}, model.JobSpec{ID: "b", Arrival: 1e6, Work: new(5000.0), Processors: model.Rigid(2)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// What was possible is known where prices change every quarter of an hour for a year, as on European markets. Where they change so often that the checker of proofs does not follow, it
// is not known, whatever was found.
func TestPossible(t *testing.T) {
	if found, known := Possible(t.Context(), pricedBySteps(t, 4*24*366, 900)); !known || !(found.Bound > 0) {
		t.Errorf("got %+v, known %v", found, known)
	}
	if found, known := Possible(t.Context(), pricedBySteps(t, 140_000, 60)); known {
		t.Errorf("got %+v, which is not certified", found)
	}
}
