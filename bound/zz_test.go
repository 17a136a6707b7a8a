package bound

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

func weekOfPower(t testing.TB, jobs int, states bool) *model.Instance {
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
	for j := range jobs {
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

func TestWeek(t *testing.T) {
	for _, states := range []bool{false, true} {
		in := weekOfPower(t, 10000, states)
		p := NewCertified(t.Context(), in)
		for total := int64(0); ; {
			start := time.Now()
			more := p.Improve(t.Context(), 1e9)
			total += int64(time.Since(start))
			x := p.terms[0].provers[0].(*pricedPower)
			fmt.Println(states, more, p.Bound(), x.tries, x.problem == nil, time.Duration(total))
			if !more {
				break
			}
		}
		c := p.Certificate()
		start := time.Now()
		fmt.Println(proof.Check(t.Context(), in, c), time.Since(start), len(c.Bytes()))
	}
}
func TestBatchTimes(t *testing.T) {
	for k := range 20 {
		in := powerBatch(t, k)
		for _, work := range []int64{5e6, 1e10} {
			start := time.Now()
			p := NewCertified(t.Context(), in)
			p.Improve(t.Context(), work)
			took := time.Since(start)
			c := p.Certificate()
			start = time.Now()
			r := proof.Check(t.Context(), in, c)
			x := p.terms[0].provers[0].(*pricedPower)
			fmt.Println(k, work, p.Bound(), x.tries, took, r.Verdict, time.Since(start), len(c.Bytes()))
		}
	}
}
