package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// powerBatch is batch k of the twenty on which bounds of energy_cost are measured: 20 to 100 rigid jobs of quarters of hours on one to three clusters, with prices
// by the hour over one or two days. A price is that of the hour of the day, with its peaks in the morning and the evening, times noise; in every fourth batch
// the sun makes some negative. Every third batch has jobs that arrive later; the machines of every second may sleep. Jobs need some 40 to 70 % of all processors.
func powerBatch(t testing.TB, k int) *model.Instance {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(k), 4242))
	jobs, days, clusters := 20+80*k/19, 1+rng.IntN(2), 1+k%3
	horizon := float64(days) * 86400
	b := model.NewBuilder(fmt.Sprint("power-", k)).Minimise("energy_cost", 1)
	tariff := &model.TariffSpec{Per: 3.6e6}
	for h := range 24 * days {
		price := 0.12 + 0.05*math.Sin(float64(h%24-5)*math.Pi/12) + 0.04*math.Cos(float64(h%24-19)*math.Pi/6)
		price *= 0.8 + 0.4*rng.Float64()
		if k%4 == 3 && h%24 >= 11 && h%24 <= 14 {
			price -= 0.2 * rng.Float64()
		}
		tariff.Price = append(tariff.Price, []float64{float64(h) * 3600, math.Round(1e4*price) / 1e4})
	}
	b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{To: horizon}
	processors, widest := 0, 0
	for c := range clusters {
		units, count := 4<<rng.IntN(2), 1+rng.IntN(3)
		power := &model.PowerSpec{Idle: float64(60 + 10*rng.IntN(12)), Busy: float64(8 + rng.IntN(20))}
		if k%2 == 1 {
			power.Off = []model.OffSpec{{Name: "sleep", Power: 9, Down: model.WaySpec{Time: 60, Power: power.Idle}, Up: model.WaySpec{Time: 300, Power: 1.5 * power.Idle}}}
		}
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: count, Processors: units, Speed: 1 + 0.25*float64(rng.IntN(3)), Power: power}}})
		processors, widest = processors+units*count, max(widest, units*count)
	}
	left := (0.4 + 0.3*rng.Float64()) * float64(processors) * horizon
	for j := range jobs {
		size := min(1<<rng.IntN(4), widest)
		if rng.IntN(3) == 0 {
			size = 1 + rng.IntN(min(6, widest))
		}
		mean := left / float64(jobs-j) / float64(size)
		length := min(mean*(0.4+1.2*rng.Float64()), 0.45*horizon)
		length = max(900, 900*math.Round(length/900))
		left -= length * float64(size)
		spec := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(size), Work: new(length)}
		if rng.IntN(4) == 0 {
			spec.Power = new(float64(5 + rng.IntN(35)))
		}
		if k%3 == 2 {
			spec.Arrival = 900 * float64(rng.IntN(1+int(horizon/3/900)))
		}
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}
