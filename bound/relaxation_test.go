package bound_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
)

// relaxed is the relaxation that the last proof of idle_time was made with, as a method from outside of the package gets it.
var relaxed *bound.Relaxation

var _ = bound.Register(bound.Method{Name: "look", Metric: "idle_time", Doc: "proves nothing", Source: "a test",
	New: func(r *bound.Relaxation, gate *bound.Gate) bound.Prover {
		relaxed = r
		return nothing{}
	}})

// nothing is a prover that proves nothing.
type nothing struct{}

func (nothing) Improve(context.Context, int64) bool { return false }

// A method from outside sees what ours see; the numbers are worked by hand. Cluster c has 2 processors of speed 1, d 4 of speed 2.
func TestRelaxationFromOutside(t *testing.T) {
	cluster := func(id string, count int, speed float64) model.ClusterSpec {
		return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: count, Speed: speed}}}
	}
	b := model.NewBuilder("relaxed").Minimise("idle_time", 1).Cluster(cluster("c", 2, 1)).Cluster(cluster("d", 4, 2))
	b.Job(model.JobSpec{ID: "first", Work: new(4.0), Arrival: 10, Processors: model.Rigid(2)})
	b.Job(model.JobSpec{ID: "wide", Work: new(6.0), Arrival: 11, Processors: model.Rigid(4), After: []string{"first"}})
	b.Job(model.JobSpec{ID: "too late", Work: new(4.0), Arrival: 12, Deadline: new(13.0), DeadlineHard: true})
	b.Job(model.JobSpec{ID: "perhaps", Work: new(4.0), Arrival: 12, Deadline: new(14.5), DeadlineHard: true})
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if proof := bound.New(t.Context(), in); relaxed == nil || relaxed.Instance() != in || len(proof.Duties()) != 4 {
		t.Fatal("the method got no relaxation of the instance")
	}
	r := relaxed
	if duties := []bound.Duty{r.Duty(0), r.Duty(1), r.Duty(2), r.Duty(3)}; r.All() || !slices.Equal(r.MustPlace(), []int{0, 1, 3}) || r.Owed() != 1 ||
		!slices.Equal(duties, []bound.Duty{bound.MustPlace, bound.MustPlace, bound.MustLeave, bound.MustPlace}) {
		t.Errorf("must place %v of all %v, duties %v", r.MustPlace(), r.All(), duties)
	}
	for j, want := range [][]float64{{0, 2, 2, 3}, {2, 3, 5, 0}, {2, 2, 4, 0}, {2, 2, 4, 0}} { // start, shortest time, end, tail
		if got := []float64{r.EarliestStart(j), r.ShortestTime(j), r.EarliestEnd(j), r.Tails()[j]}; !slices.Equal(got, want) {
			t.Errorf("job %d: earliest start, time, end and tail %v, want %v", j, got, want)
		}
	}
	if r.Released(1) != 1 || r.Deadline(2) != 3 || !(r.Lateness(2) > 0 && r.Lateness(2) < 1e-6) || !r.Solid() || r.Spreads() {
		t.Errorf("released %v, deadline %v, lateness %v, solid %v, spreads %v", r.Released(1), r.Deadline(2), r.Lateness(2), r.Solid(), r.Spreads())
	}
	areas, ok := r.Areas(t.Context())
	if !ok || !slices.Equal(areas[0], []float64{8, 4}) || !slices.Equal(areas[1], []float64{math.Inf(1), 12}) {
		t.Errorf("areas %v", areas)
	}
	prices, ok := r.AreaPrices(t.Context())
	if sum := 2*prices.Price[0] + 4*prices.Price[1]; !ok || math.Abs(sum-1) > 1e-9 {
		t.Errorf("prices %v make %v", prices.Price, sum)
	}
	plain := bound.Sum{Value: 5, Size: 5}
	if of, chained := r.PricedSum(5), r.Chained(plain); of.Value != 5 || of.Terms <= plain.Terms || chained.Value != 5 || chained.Terms <= plain.Terms {
		t.Errorf("the operations of prices and chains are not counted: %+v, %+v", of, chained)
	}
}

// A method that could not be told from another, or proves nothing by design, is a bug of the program.
func TestRegisterRefuses(t *testing.T) {
	for name, m := range map[string]bound.Method{
		"name taken":    {Name: "look", Metric: "idle_time", New: func(*bound.Relaxation, *bound.Gate) bound.Prover { return nothing{} }},
		"no name":       {Metric: "idle_time", New: func(*bound.Relaxation, *bound.Gate) bound.Prover { return nothing{} }},
		"no New":        {Name: "other", Metric: "idle_time"},
		"no metric":     {Name: "other", Metric: "nonsense", New: func(*bound.Relaxation, *bound.Gate) bound.Prover { return nothing{} }},
		"one a cluster": {Name: "other", Metric: "cp", New: func(*bound.Relaxation, *bound.Gate) bound.Prover { return nothing{} }},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: registered", name)
				}
			}()
			bound.Register(m)
		}()
	}
}
