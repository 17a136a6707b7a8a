package bound_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// liar is a method that claims too much of the instance with its name, with an argument that does not prove it.
const liar = "liar"

var _ = bound.Register(bound.Method{Name: liar, Metric: "makespan", Certifies: true, Doc: "claims too much", Source: "a test",
	New: bound.OnceShown(func(_ context.Context, r *bound.Relaxation) (bound.Sum, func() *proof.Argument, bool) {
		argument := func() *proof.Argument { return &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}} }
		return bound.Sum{Value: 100}, argument, r.Instance().Name() == liar
	})})

// A method whose certificate is refuted is dropped with its bound; what others prove is certified.
func TestVerifiedDropsWhatIsRefuted(t *testing.T) {
	for _, objective := range []map[string]float64{{"makespan": 1}, {"makespan": 2, "mean_response": 1}} {
		for name, refuted := range map[string]int{liar: 1, "no lie": 0} {
			b := model.NewBuilder(name).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
			b.Job(model.JobSpec{ID: "a", Work: new(2.0)}, model.JobSpec{ID: "b", Work: new(3.0)})
			for metric, weight := range objective {
				b.Minimise(metric, weight)
			}
			in, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			want := 5 * objective["makespan"]
			if objective["mean_response"] > 0 {
				want += 3.5
			}
			p := bound.NewCertified(t.Context(), in)
			p.Improve(t.Context(), 10_000_000)
			c, report, dropped := p.Verified(t.Context())
			value, _ := c.Bound.Value()
			if report.Verdict != proof.Verified || len(dropped) != refuted || p.Bound() != c.Bound || value > want || value < want-1e-6 {
				t.Errorf("%s, %v: %v (expected %v), %+v, %v", name, objective, value, want, report, dropped)
			}
			if refuted > 0 && (dropped[0].Method != "method liar for makespan" || dropped[0].Bound < 99) {
				t.Errorf("%+v", dropped[0])
			}
		}
	}
}

// Certificates of instances that have everything at once, with decimal times: the checker verifies all of them, no schedule owes fewer jobs than is stated, and no
// bound is above what a schedule costs that owes no more.
func TestCertificatesOfEverythingTogether(t *testing.T) {
	race.OneGoroutine(t)
	counts, schedules, owing := map[string]int{}, 0, 0
	seeds := []uint64{3247, 17561, 17762, 18055, 19761} // which a rounded step of a tariff once made wrong
	for seed := range uint64(race.Fewer(1_500, 100)) {
		seeds = append(seeds, seed)
	}
	for _, seed := range seeds {
		in := modeltest.TinyTogether(rand.New(rand.NewPCG(seed, 57)))
		p := bound.NewCertified(t.Context(), in)
		p.Improve(t.Context(), 1_000_000)
		for _, c := range p.Certificates() {
			target, err := in.WithObjective(c.Objective)
			if err != nil {
				t.Fatal(err)
			}
			r := proof.Check(t.Context(), target, c)
			method := "each-choice"
			if len(c.Choices) == 0 {
				method = c.Parts[0].Method
			}
			if counts[method]++; r.Verdict == proof.Refuted {
				t.Errorf("seed %d, %s: %+v", seed, method, r)
			}
		}
		if c, r, dropped := p.Verified(t.Context()); c != nil && (r.Verdict == proof.Refuted || len(dropped) > 0) {
			t.Errorf("seed %d: %+v, %v", seed, r, dropped)
		}
		enumeration := modeltest.Enumeration{In: in, Most: 100}
		enumeration.Each(func(report model.Report, sol *model.Solution) {
			switch owes := in.Owed(sol); {
			case owes < p.Owed():
				t.Errorf("seed %d: every schedule owes %d is stated, one owes %d", seed, p.Owed(), owes)
			case owes > p.Owed():
				return
			}
			if schedules++; p.Owed() > 0 {
				owing++
			}
			if report.Refutes(p.Bound()) {
				t.Errorf("seed %d: the bound %v, a schedule that owes %d costs %v", seed, p.Bound(), p.Owed(), report.Objective)
			}
		})
	}
	for method, least := range map[string]int{"priced-power": 100, "critical-path": 100, "priced-time": 300, "each-alone": 1000, "energetic": 10, "learned-clauses": 10, "priced-counts": 1, "each-choice": 10} {
		if counts[method] < race.Fewer(least, least/50) {
			t.Errorf("%d certificates of %s: the test says little", counts[method], method)
		}
	}
	if schedules < race.Fewer(5_000, 200) || owing < race.Fewer(500, 20) {
		t.Errorf("%d schedules, %d of them owe jobs: the test says little", schedules, owing)
	}
	t.Log(counts, schedules, owing)
}

// A job so short that rounding may be as long may start in the last instant before a machine closes, where the exact end of the job before it lies before and the
// rounded one does not.
func TestShortestJobsBeforeClosedTimes(t *testing.T) {
	b := model.NewBuilder("short").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m",
		Closed: []model.ClosedSpec{{To: new(0.2)}, {From: 0.6000000000000001, To: new(0.9)}}}}})
	b.Job(model.JobSpec{ID: "first", Work: new(0.4)}, model.JobSpec{ID: "second", Work: new(1e-17), After: []string{"first"}})
	expectVerified(t, b, 0.59, 0.61)
}

// A job that may hold less than all its processors pays the least price since its earliest start. Rounded, that start is the time at which the price rises; in
// exact numbers it is right before.
func TestExactStartsBeforeSteps(t *testing.T) {
	b := model.NewBuilder("start").Minimise("energy_cost", 1)
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Power: &model.PowerSpec{Busy: 1}}}})
	b.Job(model.JobSpec{ID: "first", Work: new(0.4), Arrival: 0.2}, model.JobSpec{ID: "second", Work: new(0.1), Processors: model.Rigid(2), Tasks: 3, After: []string{"first"}})
	b.Spec().Tariff = &model.TariffSpec{Price: [][]float64{{0, 1}, {0.6000000000000001, 5}}}
	b.Spec().Horizon = &model.HorizonSpec{To: 3}
	expectVerified(t, b, 1.4, 1.55)
}

// A piece of a job may end before the others, and so before a machine closes.
func TestShortPiecesBeforeClosedTimes(t *testing.T) {
	b := model.NewBuilder("pieces").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}, {ID: "n", Closed: []model.ClosedSpec{{From: 1, To: new(5.0)}}}}})
	b.Job(model.JobSpec{ID: "j", Work: new(1.0), Processors: model.Rigid(2), Tasks: 3})
	in := expectVerified(t, b, 2-1e-9, 2)
	piece := func(processor, tasks int, end float64) model.Piece {
		return model.Piece{Cluster: "c", Processors: model.Processors(processor), Tasks: tasks, End: end}
	}
	sol := &model.Solution{Jobs: []model.Placement{{Job: "j", End: 2, Pieces: []model.Piece{piece(0, 2, 2), piece(1, 1, 1)}}}}
	if report := model.Check(in, sol); !report.OK() {
		t.Error(report.Violations)
	}
	claim := proof.Part{Metric: "makespan", Bound: 3, By: &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: []int{0}}}}
	c := &proof.Certificate{Schema: proof.Schema, InstanceSHA256: in.SHA256(), Objective: in.StatedObjective(), Bound: model.ProvedBound(3), Parts: []proof.Part{claim}}
	if report := proof.Check(t.Context(), in, c); report.Verdict != proof.Refuted {
		t.Errorf("a makespan of at least 3: %+v", report)
	}
}

// expectVerified expects a bound between two numbers whose certificate is verified.
func expectVerified(t *testing.T, b *model.Builder, least, most float64) *model.Instance {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := bound.NewCertified(t.Context(), in)
	p.Improve(t.Context(), 1_000_000)
	c, report, dropped := p.Verified(t.Context())
	if value, _ := c.Bound.Value(); report.Verdict != proof.Verified || len(dropped) > 0 || value < least || value > most {
		t.Errorf("%v %+v %v", value, report, dropped)
	}
	return in
}
