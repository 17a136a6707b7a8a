package bound

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/allot-opt/allot/bound/internal/counts"
	"github.com/allot-opt/allot/model"
)

// closing is a prover that proves something, then falls into NaN, then proves too much.
type closing struct {
	proved *Gate
	calls  int
}

func (c *closing) Improve(context.Context, int64) bool {
	c.calls++
	c.proved.Prove(Sum{Value: []float64{0, 1, math.NaN(), 1000}[min(c.calls, 3)]})
	return true
}

func TestProofStopsAProverThatFailed(t *testing.T) {
	in, err := model.NewBuilder("one").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).Job(model.JobSpec{ID: "j", Work: new(5.0)}).Build()
	if err != nil {
		t.Fatal(err)
	}
	p := New(context.Background(), in)
	gate := &Gate{}
	prover := &closing{proved: gate}
	p.terms[0].provers, p.terms[0].gates, p.terms[0].busy = []Prover{prover}, []*Gate{gate}, []bool{true}
	for range 5 {
		p.Improve(context.Background(), 1)
	}
	if value, ok := p.Bound().Value(); prover.calls != 2 || !ok || value != 5 { // 1, raised to the next multiple of 5
		t.Errorf("%d calls, %v (%t)", prover.calls, value, ok)
	}
}

// rigid is a rigid job.
func rigid(id string, processors int, work float64) model.JobSpec {
	return model.JobSpec{ID: id, Processors: model.Rigid(processors), Work: &work}
}

// machine is a cluster of one machine.
func machine(id string, processors int, speed float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Processors: processors, Speed: speed}}}
}

// partsOf is what every method proves of the objective in a long run.
func partsOf(t *testing.T, b *model.Builder) (*model.Instance, []Part) {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p := New(context.Background(), in)
	for range 200 {
		if !p.Improve(context.Background(), 1_000_000) {
			break
		}
	}
	return in, p.Parts()
}

// If the optimum is 0, the cuts of the bundle soon promise no gain. The step length must not grow without limit then.
func TestPricedTimeProvesNothingWhereNothingIsLate(t *testing.T) {
	one := model.NewBuilder("one").Minimise("over_deadline", 1).Cluster(machine("c1", 3, 1), machine("c2", 2, 2))
	j := rigid("j", 2, 14)
	j.Deadline = new(12.0)
	one.Job(j)
	four := model.NewBuilder("four").Minimise("over_deadline", 1).Cluster(machine("c0", 5, 1), machine("c1", 3, 1))
	for k, s := range []struct {
		size      int
		work, due float64
	}{{2, 5, 11}, {3, 6, 6}, {1, 8, 21}, {2, 6, 10}} {
		j := rigid(fmt.Sprint(k), s.size, s.work)
		j.Deadline = &s.due
		four.Job(j)
	}
	for _, b := range []*model.Builder{one, four} {
		in, parts := partsOf(t, b)
		if len(parts) != 2 {
			t.Errorf("%s: %d methods prove something, expected 2", in.Name(), len(parts))
		}
		for _, part := range parts {
			if part.Value != 0 {
				t.Errorf("%s: %s proves %v", in.Name(), part.Method, part.Value)
			}
		}
	}
}

// Prices that overflow end the method. They do not count as a box that holds nothing.
func TestPricesThatOverflowProveNothing(t *testing.T) {
	in := randomTiny(t, 3)
	r := newRelaxation(context.Background(), in)
	for _, far := range []float64{math.NaN(), math.Inf(1), 1e299, -1e299, math.MaxFloat64} {
		mcp := counts.NewProver(r.counts, &Gate{})
		mcp.Start(context.Background())
		x := make([]float64, mcp.Counts().Size)
		for k := range x {
			x[k] = far
		}
		value, _, ok := mcp.Counts().Evaluate(context.Background(), mcp.Root(), x, 0)
		if sum := mcp.Counts().Sum(value, x); ok && value > 0 {
			if low, sound := sum.Low(); sound && low > 0 {
				t.Errorf("prices of %v prove %v of mcp", far, low)
			}
		}
		for _, metric := range []string{"mean_response", "over_deadline"} {
			gate := &Gate{}
			sum := methodOf(metric).New(r, gate).(*ascent)
			sum.start(context.Background())
			clear(sum.next)
			sum.evaluate(context.Background())
			sum.next[1] = far
			before, _ := gate.Bound().Value()
			sum.evaluate(context.Background())
			if after, _ := gate.Bound().Value(); after > before {
				t.Errorf("prices of %v prove %v of %s", far, after, metric)
			}
		}
	}
}

// The checker accepts each schedule, so no bound may exceed its cost.
func TestNoBoundIsAboveAScheduleThatUsesWhatTheModelAllows(t *testing.T) {
	place := func(job, set string, start, end float64) model.Placement {
		s, _ := model.ParseProcessorSet(set)
		return model.Placement{Job: job, Cluster: "c", Processors: s, Start: start, End: end}
	}
	piece := func(cluster, set string, tasks int, start, end float64) model.Piece {
		s, _ := model.ParseProcessorSet(set)
		return model.Piece{Cluster: cluster, Processors: s, Tasks: tasks, Start: start, End: end}
	}
	loaded := machine("c", 2, 1)
	loaded.Machines[0].Background = &model.Background{Load: 0.1, Mean: 2}
	loaded.Weights = &model.WeightsSpec{OverDeadline: new(0.0), Makespan: new(0.0), IdleTime: new(1.0)}
	three, wide, grid := rigid("a", 2, 1), rigid("a", 2, 1), rigid("a", 2, 1)
	three.Tasks, wide.Tasks, grid.Span = 3, 3, "grid"
	for _, c := range []struct {
		name, metric string
		clusters     []model.ClusterSpec
		jobs         []model.JobSpec
		schedule     []model.Placement
	}{
		{"a processor with fewer tasks is released early", "makespan", []model.ClusterSpec{machine("c", 2, 1)},
			[]model.JobSpec{three, rigid("b", 1, 1)},
			[]model.Placement{{Job: "a", End: 2, Pieces: []model.Piece{piece("c", "0", 2, 0, 2), piece("c", "1", 1, 0, 1)}}, place("b", "1", 1, 2)}},
		{"wide jobs overlap once a processor is released early", "makespan", []model.ClusterSpec{machine("c", 3, 1)},
			[]model.JobSpec{wide, rigid("b", 2, 2)},
			[]model.Placement{{Job: "a", End: 2, Pieces: []model.Piece{piece("c", "0", 2, 0, 2), piece("c", "1", 1, 0, 1)}}, place("b", "1-2", 1, 3)}},
		{"a job that fits a cluster spreads all the same", "makespan", []model.ClusterSpec{machine("c", 2, 1), machine("d", 2, 1)},
			[]model.JobSpec{grid, rigid("b", 1, 1), rigid("e", 1, 1)},
			[]model.Placement{{Job: "a", End: 1, Pieces: []model.Piece{piece("c", "0", 1, 0, 1), piece("d", "0", 1, 0, 1)}}, place("b", "1", 0, 1), {Job: "e", Cluster: "d", Processors: place("e", "1", 0, 1).Processors, End: 1}}},
		{"background load fills what would be idle", "mcp", []model.ClusterSpec{loaded},
			[]model.JobSpec{rigid("a", 1, 10), rigid("b", 1, 5)},
			[]model.Placement{place("a", "0", 0, 10), place("b", "1", 0, 10)}},
	} {
		in, parts := partsOf(t, model.NewBuilder(c.name).Minimise(c.metric, 1).Cluster(c.clusters...).Job(c.jobs...))
		s := &model.Solution{Jobs: c.schedule}
		report := model.Check(in, s)
		if !report.OK() {
			t.Fatalf("%s: %v", c.name, report.Violations[0])
		}
		for _, part := range parts {
			if part.Value > report.Objective*(1+1e-12) {
				t.Errorf("%s: %s proves %v, the schedule has %v", c.name, part.Method, part.Value, report.Objective)
			}
		}
	}
}

// Three jobs need the one copy of a licence, each has another after it: the bound is tight, so that a tail that is left out, or too
// long, shows.
func TestEnergeticTails(t *testing.T) {
	for _, c := range []struct {
		tails [3]float64
		want  float64
	}{{[3]float64{5, 5, 5}, 11}, {[3]float64{5, 4, 3}, 9}, {[3]float64{0.5, 0.25, 8}, 10}, {[3]float64{3.14159, 2.71828, 1.41421}, 7.41421}} {
		b := model.NewBuilder("tails").Cluster(machine("c", 10, 1))
		b.Spec().Licences = map[string]int{"l": 1}
		for k, tail := range c.tails {
			first, next := rigid(fmt.Sprint("a", k), 1, 2), rigid(fmt.Sprint("b", k), 1, tail)
			first.Licences, next.After = map[string]int{"l": 1}, []string{first.ID}
			b.Job(first, next)
		}
		_, parts := partsOf(t, b)
		for _, part := range parts {
			if part.Value > c.want*(1+1e-12) {
				t.Errorf("tails %v: %s proves %v, %v is possible", c.tails, part.Method, part.Value, c.want)
			}
			if part.Method == "energetic" && part.Value < c.want*(1-2e-4) {
				t.Errorf("tails %v: energetic proves %v of %v", c.tails, part.Value, c.want)
			}
		}
	}
}
