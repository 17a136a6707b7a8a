package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// plantedPower is an instance whose least energy_cost is known: its jobs are cut from the processors of all clusters during the cheapest stretch of the horizon, which they fill.
// The price in the stretch and those outside may be negative. With states, machines may be off outside at no power.
func plantedPower(t testing.TB, rng *rand.Rand, states bool) (in *model.Instance, optimum float64) {
	t.Helper()
	unit := []float64{1, 1e-9, 900, 0.1, 1e9}[rng.IntN(5)]
	per := []float64{1, 3.6e6}[rng.IntN(2)]
	cheap := []float64{-3, 0, 2}[rng.IntN(3)]
	if states {
		cheap = max(1, cheap)
	}
	before, stretch, after := 1+rng.IntN(4), 2+rng.IntN(6), 1+rng.IntN(4)
	b := model.NewBuilder("planted power").Minimise("energy_cost", 1)
	b.Spec().Horizon = &model.HorizonSpec{To: unit * float64(before+stretch+after)}
	b.Spec().Tariff = &model.TariffSpec{Per: per, Price: [][]float64{{0, cheap + 1 + float64(rng.IntN(3))}, {unit * float64(before), cheap}, {unit * float64(before+stretch), cheap + 1 + float64(rng.IntN(3))}}}
	price := func(k int) float64 { return b.Spec().Tariff.Price[k][1] * unit / per }
	jobs := 0
	for c := range 1 + rng.IntN(3) {
		power := &model.PowerSpec{Idle: float64(rng.IntN(4)), Busy: float64(1 + rng.IntN(3))}
		m := model.MachineSpec{ID: "m", Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(4), Power: power}
		if states {
			power.Off = []model.OffSpec{{Name: "off"}}
			power.Begin, power.End = "off", "off"
		} else {
			optimum += float64(m.Count) * power.Idle * (price(0)*float64(before) + price(2)*float64(after))
		}
		processors := m.Count * m.Processors
		optimum += price(1) * float64(stretch) * (float64(m.Count)*power.Idle + float64(processors)*power.Busy)
		id := fmt.Sprint("c", c)
		b.Cluster(model.ClusterSpec{ID: id, Machines: []model.MachineSpec{m}})
		var cut func(width, length int)
		cut = func(width, length int) {
			switch {
			case width > 1 && rng.IntN(2) == 0:
				at := 1 + rng.IntN(width-1)
				cut(at, length)
				cut(width-at, length)
			case length > 1 && rng.IntN(2) == 0:
				at := 1 + rng.IntN(length-1)
				cut(width, at)
				cut(width, length-at)
			default:
				b.Job(model.JobSpec{ID: fmt.Sprint("j", jobs), Processors: model.Rigid(width), Runtime: map[string]float64{id: unit * float64(length)}})
				jobs++
			}
		}
		cut(processors, stretch)
	}
	b.Job(model.JobSpec{ID: "nothing", Work: new(0.0)})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in, optimum
}

// Bounds of power reach planted optima and are not above them.
func TestBoundsOfPowerReachPlantedOptima(t *testing.T) {
	for seed := range race.Fewer(uint64(200), 20) {
		rng := rand.New(rand.NewPCG(seed, 505))
		states := seed%2 == 1
		in, optimum := plantedPower(t, rng, states)
		p := NewCertified(t.Context(), in)
		p.Improve(t.Context(), 20_000_000)
		value, known := p.Bound().Value()
		size := math.Abs(optimum)
		if optimum == 0 {
			size = 1e-9
		}
		loose := 1e-9 // that may be lacking
		if states {
			loose = 1e-3
		}
		if !known || value > optimum+1e-9*size || value < optimum-loose*size {
			t.Errorf("seed %d, states %v: bound %v %v, the optimum is %v", seed, states, value, known, optimum)
		}
		if r := proof.Check(t.Context(), in, p.Certificate()); r.Verdict != proof.Verified {
			t.Errorf("seed %d: %+v", seed, r)
		}
	}
}
