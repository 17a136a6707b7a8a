package plan

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// The last start of a job that ends by a time does not end later, whatever is rounded, and is within what is rounded of the latest.
func TestLastStartEndsByTheTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		length := rapid.SampledFrom([]float64{0.1, 0.3, 1.1, 8e-9, 60.1, 3, 1e9 + 0.7}).Draw(t, "length") * float64(rapid.IntRange(1, 1000).Draw(t, "times"))
		end := rapid.SampledFrom([]float64{0.1, 7, 1.7e9, 1e300}).Draw(t, "clock") + rapid.Float64Range(0, 1e6).Draw(t, "end")
		start := lastStart(end, length)
		if model.End(start, length) > end {
			t.Fatalf("a job of %v that starts at %v ends at %v, after %v", length, start, model.End(start, length), end)
		}
		if spacing := math.Nextafter(max(end, length), math.Inf(1)) - max(end, length); start < end-length-4*spacing {
			t.Fatalf("a job of %v could start at %v to end by %v, found %v", length, end-length, end, start)
		}
		if late := lastStart(math.Inf(1), length); !math.IsInf(late, 1) {
			t.Fatalf("a job that never has to end starts by %v", late)
		}
	})
}

// On a machine that can be off only some of the starts that touch no other job are tried, however many prices there are: what a look counts grows by what the steps of the tariff take alone.
func TestStartsApartAreFew(t *testing.T) {
	work := func(steps int) int64 {
		rng := rand.New(rand.NewPCG(uint64(steps), 57))
		b := model.NewBuilder("apart").Minimise("energy_cost", 1)
		power := &model.PowerSpec{Idle: 50, Busy: 50 + 1.0/1024, Begin: "off", End: "off",
			Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 0.25, Power: 100}, Up: model.WaySpec{Time: 0.25, Power: 100}}}}
		b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Power: power}}})
		tariff := &model.TariffSpec{Per: 1}
		for k := range steps {
			tariff.Price = append(tariff.Price, []float64{float64(k), 1 + rng.Float64()})
		}
		b.Spec().Tariff, b.Spec().Horizon = tariff, &model.HorizonSpec{To: float64(steps)}
		b.Job(model.JobSpec{ID: "j", Work: new(0.5)})
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r := NewResources(in)
		if _, cheap := r.clusters[0].(*cheapCluster); !cheap {
			t.Fatalf("%T", r.clusters[0])
		}
		if _, ok := r.Earliest(0, 0, 1, 0); !ok {
			t.Fatal("no start")
		}
		return r.Work()
	}
	if few, many := work(100), work(400); many-few > 1000 {
		t.Errorf("a look counts %d at 100 steps and %d at 400: each start is tried", few, many)
	}
}
