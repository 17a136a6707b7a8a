package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// powerMetrics are the metrics that the method bounds.
var powerMetrics = []string{"energy", "energy_cost", "carbon"}

// powerObjectives are objectives that the method bounds.
var powerObjectives = []map[string]float64{{"energy": 1}, {"energy_cost": 1}, {"carbon": 1}, {"energy_cost": 2, "carbon": 0.75}, {"energy": 1, "mean_wait": 3},
	{"energy_cost": 1, "over_deadline": 0.5}, {"energy": 0.25, "carbon": 1, "mean_response": 2, "over_deadline": 1e-3}, {"energy_cost": 1, "mean_wait": 0.1, "makespan": 0.1}}

// On tiny instances no bound is above the least of all schedules whose times are whole units, and every certificate is verified.
func TestNoBoundOfPowerIsAboveTheBestSchedule(t *testing.T) {
	seeds := race.Fewer(uint64(1500), 60)
	tight, tried, kinds := 0, 0, map[string]int{}
	for seed := range seeds {
		plain, unit := modeltest.TinyPower(rand.New(rand.NewPCG(seed, 9191)))
		objective := powerObjectives[seed%uint64(len(powerObjectives))]
		in, err := plain.WithObjective(objective)
		if err != nil {
			t.Fatal(err)
		}
		best, ok := modeltest.LeastPower(in, unit, 1_500)
		p := NewCertified(t.Context(), in)
		p.Improve(t.Context(), 3_000_000)
		value, known := p.Bound().Value()
		if c := p.Certificate(); known {
			if r := proof.Check(t.Context(), in, c); r.Verdict == proof.Refuted || r.Verdict != proof.Verified && c.NotCertified == "" {
				t.Fatalf("seed %d: %v ≥ %v: %+v\n%+v", seed, objective, value, r, in.Spec())
			}
		}
		if !ok {
			continue
		}
		if p.Owed() > best.Left {
			t.Errorf("seed %d: every schedule owes %d jobs is stated, one owes %d: %+v", seed, p.Owed(), best.Left, in.Spec())
		}
		if p.Owed() < best.Left {
			kinds["more owed than is known"]++
			continue
		}
		tried++
		if !known {
			kinds["no bound"]++
			continue
		}
		size := math.Abs(best.Objective) + 1e-9
		if value > best.Objective+1e-9*size {
			t.Errorf("seed %d: %v ≥ %v is stated, a schedule has %v: %+v", seed, objective, value, best.Objective, in.Spec())
		}
		if best.Objective < 0 {
			kinds["negative"]++
		}
		if value >= best.Objective-1e-6*size {
			tight++
		}
		if parts := p.Parts(); len(parts) > 0 && parts[0].Together && parts[0].Best {
			kinds["together"]++
		}
	}
	t.Logf("%d tried, %d tight, %v", tried, tight, kinds)
	if tried < race.Fewer(700, 40) || tight < race.Fewer(300, 25) || kinds["negative"] < race.Fewer(30, 5) {
		t.Errorf("%d tried, %d tight, %v", tried, tight, kinds)
	}
}

// certified is the verdict on a certificate of one metric.
func certified(t *rapid.T, in *model.Instance, c *proof.Certificate) proof.Report {
	alone, err := in.WithObjective(c.Objective)
	if err != nil {
		t.Fatal(err)
	}
	return proof.Check(t.Context(), alone, c)
}

// Whatever an instance states, what is proved is verified, and no bound is above what a schedule costs. See also solvers, where schedules are at hand.
func TestBoundsOfPowerAreVerified(t *testing.T) {
	proved := 0
	rapid.Check(t, func(t *rapid.T) {
		g := modeltest.Generator{Features: modeltest.AllFeatures&^model.BackgroundLoad | modeltest.NodeFeatures | modeltest.PowerFeatures, Wild: rapid.Bool().Draw(t, "wild")}
		spec := g.Spec(t)
		if spec.Horizon == nil {
			spec.Horizon = &model.HorizonSpec{To: 60}
		}
		if spec.Tariff == nil || spec.Tariff.Price == nil || spec.Tariff.Carbon == nil {
			spec.Tariff = &model.TariffSpec{Price: [][]float64{{0, 2}, {7, -1}, {9.5, 3}}, Carbon: [][]float64{{0, 1}, {3, 4}}, Per: 3.6e6}
		}
		for c := range spec.Clusters {
			if cluster := &spec.Clusters[c]; cluster.Tariff != nil && (cluster.Tariff.Price == nil || cluster.Tariff.Carbon == nil) {
				cluster.Tariff = nil
			}
			if m := &spec.Clusters[c].Machines[0]; m.Power == nil {
				m.Power = &model.PowerSpec{Idle: 3, Busy: 1}
			}
		}
		spec.Objective = map[string]float64{rapid.SampledFrom(powerMetrics).Draw(t, "metric"): rapid.SampledFrom([]float64{1, 1e9, 1e-9}).Draw(t, "weight")}
		if rapid.Bool().Draw(t, "together") {
			spec.Objective["over_deadline"], spec.Objective["mean_wait"] = 2, 0.5
		}
		in, err := model.New(spec)
		if err != nil {
			t.Skip(err)
		}
		p := NewCertified(t.Context(), in)
		p.Improve(t.Context(), 2_000_000)
		for k, c := range p.Certificates() {
			if r := certified(t, in, c); r.Verdict != proof.Verified {
				t.Fatalf("%v: %+v", p.Parts()[k], r)
			}
			proved++
		}
	})
	if proved == 0 {
		t.Error("nothing was proved")
	}
}

// endsAfter is a context that ends after it was asked so often.
type endsAfter struct {
	context.Context
	left int
}

// Err implements context.Context.
func (c *endsAfter) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// Wherever the context ends, what is proved by then is a bound, and its certificate holds; later calls do no harm.
func TestPowerIsBoundedUntilTheContextEnds(t *testing.T) {
	in := powerBatch(t, 1)
	whole := New(t.Context(), in)
	whole.Improve(t.Context(), 300_000_000)
	best := whole.Bound().Or(0)
	for k, left := range []int{1, 2, 3, 5, 8, 40, 100, 200, 300, 400, 500, 700, 1000} {
		if k%race.Fewer(1, 3) != 0 {
			continue
		}
		p := NewCertified(t.Context(), in)
		p.Improve(&endsAfter{t.Context(), left}, 300_000_000)
		first, known := p.Bound().Value()
		p.Improve(t.Context(), 1_000_000)
		if second, _ := p.Bound().Value(); known && (first > best*(1+1e-4) || second < first) {
			t.Errorf("%d: %v, then %v; without an end %v", left, first, second, best)
		}
		if c := p.Certificate(); c != nil {
			if r := proof.Check(t.Context(), in, c); r.Verdict != proof.Verified {
				t.Errorf("%d: %+v", left, r)
			}
		}
	}
}
