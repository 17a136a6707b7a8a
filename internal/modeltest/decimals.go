package modeltest

import (
	"math/big"
	"math/rand/v2"

	"github.com/allot-opt/allot/model"
)

// Decimals turns small whole times into multiples of a unit that people write and float64 numbers do not hold, such as 0.1, from an origin on. A multiple is the
// number nearest to its decimal, or the rounded product, or the number beside it: where two times are meant to be the same, they differ now and then.
type Decimals struct {
	*rand.Rand
	Origin float64

	unit *big.Rat
}

// NewDecimals draws a unit and an origin.
func NewDecimals(rng *rand.Rand) *Decimals {
	texts := []string{"0.1", "0.1", "0.3", "1.1", "60.1", "8e-9", "0.001", "0.7", "1", "3600"}
	text := texts[rng.IntN(len(texts))]
	d := &Decimals{Rand: rng}
	d.unit, _ = new(big.Rat).SetString(text)
	switch {
	case rng.IntN(8) == 0 && text != "8e-9" && text != "0.001":
		d.Origin = pickOne(rng, 1.7e9, 1_764_288_000.5)
	case rng.IntN(3) == 0:
		d.Origin = d.Length(pickOne(rng, 1, 3, 1000))
	}
	return d
}

// Length is x units.
func (d *Decimals) Length(x float64) float64 {
	exact := new(big.Rat).SetFloat64(x)
	decimal, _ := exact.Mul(exact, d.unit).Float64()
	if d.IntN(3) > 0 {
		return decimal
	}
	unit, _ := d.unit.Float64()
	return x * unit
}

// At is the time x units after the origin.
func (d *Decimals) At(x float64) float64 {
	if d.IntN(3) == 0 {
		return d.Origin + d.Length(x)
	}
	exact := new(big.Rat).SetFloat64(x)
	decimal, _ := exact.Add(exact.Mul(exact, d.unit), new(big.Rat).SetFloat64(d.Origin)).Float64()
	return decimal
}

// Retime states all times of an instance in the unit, from the origin on. Speeds and what is not a time stay. A job that runs already does so from time 0 on: then
// the origin is 0.
func (d *Decimals) Retime(spec *model.InstanceSpec) {
	for j := range spec.Jobs {
		if spec.Jobs[j].Running != nil {
			d.Origin = 0
		}
	}
	length := func(x *float64) {
		if x != nil {
			*x = d.Length(*x)
		}
	}
	at := func(x *float64) {
		if x != nil {
			*x = d.At(*x)
		}
	}
	steps := func(list [][]float64) {
		for k := range list {
			list[k] = []float64{d.At(list[k][0]), list[k][1]}
		}
	}
	tariff := func(t *model.TariffSpec) {
		if t != nil {
			steps(t.Price)
			steps(t.Carbon)
			length(&t.Period)
		}
	}
	if spec.Horizon != nil {
		at(&spec.Horizon.From)
		at(&spec.Horizon.To)
	}
	tariff(spec.Tariff)
	for c := range spec.Clusters {
		cluster := &spec.Clusters[c]
		tariff(cluster.Tariff)
		steps(cluster.PowerCap)
		if cluster.Overheads != nil {
			length(&cluster.Overheads.ContextSwitch)
		}
		for g := range cluster.Machines {
			m := &cluster.Machines[g]
			for k := range m.Closed {
				at(&m.Closed[k].From)
				at(m.Closed[k].To)
			}
			if m.Power != nil {
				length(m.Power.SuspendAfter)
				for k := range m.Power.Off {
					length(&m.Power.Off[k].Down.Time)
					length(&m.Power.Off[k].Up.Time)
				}
			}
		}
	}
	for j := range spec.Jobs {
		job := &spec.Jobs[j]
		at(&job.Arrival)
		at(job.Deadline)
		length(job.Work)
		length(job.Estimate)
		for c, x := range job.Runtime {
			job.Runtime[c] = d.Length(x)
		}
		if job.Running != nil {
			job.Arrival = 0
			length(&job.Running.Elapsed)
		}
	}
}
