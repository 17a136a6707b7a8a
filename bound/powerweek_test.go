package bound

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// weekOfPower has 10,000 jobs that arrive over three days on two clusters of 32 machines, with prices by the hour over a week.
func weekOfPower(t testing.TB, states bool) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(5, 4242))
	b := model.NewBuilder("week").Minimise("energy_cost", 1)
	tariff := &model.TariffSpec{Per: 3.6e6}
	for h := range 168 {
		tariff.Price = append(tariff.Price, []float64{float64(h) * 3600, float64(5+rng.IntN(20)+10*((h%24)/12)) / 100})
	}
	b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{To: 168 * 3600}
	for c := range 2 {
		power := &model.PowerSpec{Idle: 100, Busy: 20}
		if states {
			power.Off = []model.OffSpec{{Name: "sleep", Power: 9, Down: model.WaySpec{Time: 60, Power: 100}, Up: model.WaySpec{Time: 300, Power: 150}}}
		}
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 32, Processors: 16, Speed: 1 + 0.3*float64(c), Power: power}}})
	}
	for j := range 10_000 {
		spec := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(8)), Work: new(float64(60 * (10 + rng.IntN(500)))), Arrival: float64(rng.IntN(3 * 86400))}
		if rng.IntN(3) == 0 {
			spec.Power = new(float64(rng.IntN(40)))
		}
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// BenchmarkPowerWeek bounds energy_cost of 10,000 jobs over a week with a fixed amount of work.
func BenchmarkPowerWeek(b *testing.B) {
	for _, states := range []bool{false, true} {
		b.Run(fmt.Sprintf("states=%v", states), func(b *testing.B) {
			in := weekOfPower(b, states)
			for b.Loop() {
				p := New(b.Context(), in)
				p.Improve(b.Context(), 3_000_000_000)
				value, _ := p.Bound().Value()
				b.ReportMetric(value, "bound")
			}
		})
	}
}
