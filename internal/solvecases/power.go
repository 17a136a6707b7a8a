package solvecases

import (
	"fmt"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// Power is a batch of one machine under prices by the interval, with a state that saves power.
func Power(seed uint64) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 9))
	b := model.NewBuilder("power").Minimise("energy_cost", 1)
	power := &model.PowerSpec{Idle: 2, Busy: 2, Begin: "off", End: "off",
		Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1, Power: 1}, Up: model.WaySpec{Time: 2, Power: 5}}}}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: power}}})
	const horizon = 60
	tariff := &model.TariffSpec{}
	for t := range horizon {
		tariff.Price = append(tariff.Price, []float64{float64(t), float64(rng.IntN(10))})
	}
	b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{To: horizon}
	for j := range 8 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + rng.IntN(5)))})
	}
	return b
}
