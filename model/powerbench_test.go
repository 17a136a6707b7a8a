package model_test

import (
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
)

// BenchmarkPower evaluates 10,000 jobs over a week on 100 machines that sleep between jobs under hourly prices, beside the same without power.
func BenchmarkPower(b *testing.B) {
	for _, powered := range []bool{false, true} {
		const week = 7 * 24 * 3600.0
		spec := model.InstanceSpec{Horizon: &model.HorizonSpec{To: week}}
		m := model.MachineSpec{ID: "m", Count: 100, Processors: 4}
		if powered {
			m.Power = &model.PowerSpec{Idle: 90, Busy: 40, Off: []model.OffSpec{
				{Name: "off", Power: 5, Down: model.WaySpec{Time: 60, Power: 90}, Up: model.WaySpec{Time: 300, Power: 150}},
				{Name: "nap", Power: 40, Down: model.WaySpec{Time: 5, Power: 90}, Up: model.WaySpec{Time: 10, Power: 150}}}}
			tariff := &model.TariffSpec{Per: 3.6e6}
			for h := range 168 {
				tariff.Price = append(tariff.Price, []float64{float64(h) * 3600, float64(h*h%17) / 100})
			}
			spec.Tariff, spec.Objective = tariff, map[string]float64{"energy_cost": 1}
		}
		spec.Clusters = []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{m}}}
		sol := &model.Solution{}
		for j := range 10_000 {
			id, machine, nth := fmt.Sprint("j", j), j%100, j/100
			spec.Jobs = append(spec.Jobs, model.JobSpec{ID: id, Work: new(float64(1000 + j*37%3000)), Processors: model.Rigid(4)})
			start := float64(nth*6000 + j*13%1900)
			sol.Jobs = append(sol.Jobs, model.Placement{Job: id, Cluster: "c", Processors: model.NewProcessorSet(model.Range{First: 4 * machine, Last: 4*machine + 3}),
				Start: start, End: start + float64(1000+j*37%3000)})
		}
		in, err := model.New(spec)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint("power=", powered), func(b *testing.B) {
			for b.Loop() {
				if _, err := model.EvaluateObjective(in, sol); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
