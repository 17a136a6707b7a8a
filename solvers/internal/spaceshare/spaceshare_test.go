package spaceshare_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solvers/internal/spaceshare"
)

// workload is an instance, and the same for the naive form.
type workload struct {
	in *model.Instance
	n  *naive
}

// drawWorkload draws clusters of machines of different speeds with overheads, and moldable and rigid jobs. With background load every
// machine has some.
func drawWorkload(t *rapid.T, background bool) workload {
	b, n := model.NewBuilder("space sharing"), &naive{}
	kinds := [][]float64{{1}, {1}, {1, 2}, {0.5, 1, 2, 3}, {1, 1.3, 2.2, 5.5}, {1e-9, 1e12}}
	if background {
		kinds = kinds[:len(kinds)-1] // very long parts meet very many local jobs
	}
	speeds := rapid.SampledFrom(kinds).Draw(t, "speeds")
	type costs struct{ cswitch, latency, bandwidth float64 }
	var of []costs
	widest, all := 0, 0
	for c := range rapid.IntRange(1, 4).Draw(t, "clusters") {
		k := costs{rapid.SampledFrom([]float64{0, 0.0002, 0.25}).Draw(t, "context switch"), rapid.SampledFrom([]float64{0, 0.00005}).Draw(t, "latency"), 12.5}
		of = append(of, k)
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Overheads: &model.Overheads{ContextSwitch: k.cswitch},
			Network: &model.Network{Latency: k.latency, Bandwidth: k.bandwidth}}
		processors := 0
		for g := range rapid.IntRange(1, 3).Draw(t, "groups") {
			m := model.MachineSpec{ID: fmt.Sprint("m", c, g), Count: rapid.IntRange(1, 2).Draw(t, "count"), Processors: rapid.IntRange(1, 4).Draw(t, "processors"),
				Speed: rapid.SampledFrom(speeds).Draw(t, "speed")}
			if background {
				m.Background = &model.Background{Load: rapid.SampledFrom([]float64{0.1, 0.5}).Draw(t, "load"), Mean: 2}
			}
			spec.Machines = append(spec.Machines, m)
			for range m.Count * m.Processors {
				n.processors = append(n.processors, naiveProcessor{cluster: c, number: processors, speed: m.Speed, job: -1})
				processors++
			}
		}
		widest, all = max(widest, processors), all+processors
		b.Cluster(spec)
	}
	n.overhead = func(cluster int, message float64) float64 {
		if k := of[cluster]; message > 0 {
			return k.cswitch + k.latency + message/k.bandwidth
		}
		return of[cluster].cswitch
	}
	arrival := 0.0
	for k := range rapid.IntRange(1, 30).Draw(t, "jobs") {
		arrival += rapid.SampledFrom([]float64{0, 0, 0.5, 1, 4}).Draw(t, "gap")
		j := naiveJob{arrival: arrival, grid: rapid.IntRange(0, 3).Draw(t, "span") > 0, work: rapid.SampledFrom([]float64{0, 0.25, 1, 3, 8}).Draw(t, "work"),
			message: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "message")}
		limit := widest
		if j.grid {
			limit = all
		}
		j.most = rapid.IntRange(1, 2*all).Draw(t, "most")
		j.least = min(j.most, limit, rapid.SampledFrom([]int{1, 1, 1, 2, 5, 100}).Draw(t, "least"))
		j.tasks = max(j.least, rapid.IntRange(1, 3*j.most).Draw(t, "tasks"))
		n.jobs = append(n.jobs, j)
		span := "cluster"
		if j.grid {
			span = "grid"
		}
		b.Job(model.JobSpec{ID: fmt.Sprint("j", k), Arrival: j.arrival, Processors: model.Moldable(j.least, j.most), Tasks: j.tasks, Work: new(j.work),
			Message: j.message, Span: span})
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return workload{in, n}
}

// drawPolicy draws a policy, and gives the naive form the same options.
func drawPolicy(t *rapid.T, n *naive) sim.Discipline {
	n.options = spaceshare.Options{
		Start:    rapid.SampledFrom([]spaceshare.Start{spaceshare.Available, spaceshare.Wait}).Draw(t, "start"),
		Rounding: rapid.SampledFrom([]spaceshare.Rounding{spaceshare.Nearest, spaceshare.Ceil, spaceshare.Floor}).Draw(t, "rounding"),
		Alpha:    rapid.SampledFrom([]int{0, 1, 2, 3, 5, 1000}).Draw(t, "alpha"),
	}
	if n.static = rapid.IntRange(0, 2).Draw(t, "static") == 0; n.static {
		n.options.Start = spaceshare.Wait
		return spaceshare.MAP(n.options.Rounding)
	}
	return spaceshare.Dynamic(n.options)
}

// at is the place of a processor in the naive form's list.
func (n *naive) at(cluster, number int) int {
	for k, p := range n.processors {
		if p.cluster == cluster && p.number == number {
			return k
		}
	}
	return -1
}

// simulated runs the policy. The checker must accept the schedule, and every job must be in it.
func simulated(t *rapid.T, in *model.Instance, policy sim.Discipline) map[string]model.Placement {
	sol, _, err := sim.Simulate(context.Background(), in, policy, sim.Options{Seed: 5})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, sol); !report.OK() {
		t.Fatal(report.Violations[0])
	}
	if len(sol.Unscheduled) > 0 {
		t.Fatal(sol.Unscheduled[0])
	}
	placed := map[string]model.Placement{}
	for _, p := range sol.Jobs {
		placed[p.Job] = p
	}
	return placed
}

// numbers lists the processors of a set.
func numbers(set model.ProcessorSet) []int {
	var list []int
	for _, r := range set {
		for k := r.First; k <= r.Last; k++ {
			list = append(list, k)
		}
	}
	return list
}

// same compares the naive form with the schedule, job by job and processor by processor.
func same(t *rapid.T, w workload, placed map[string]model.Placement) {
	for k := range w.n.jobs {
		j, id := &w.n.jobs[k], fmt.Sprint("j", k)
		p := placed[id]
		if !j.started || p.Start != j.start || p.End != j.end {
			t.Fatalf("job %s runs from %v to %v, the naive form says %v to %v", id, p.Start, p.End, j.start, j.end)
		}
		held := 0
		p.Parts(j.tasks, func(piece model.Piece) {
			cluster, _ := w.in.ClusterIndex(piece.Cluster)
			tasks, end := 0, 0.0
			for _, number := range numbers(piece.Processors) {
				at := w.n.at(cluster, number)
				if j.runs[at] == 0 {
					t.Fatalf("job %s holds processor %d of %s, by the naive form only %v", id, number, piece.Cluster, j.runs)
				}
				if !w.n.static && j.ends[at] != piece.End {
					t.Fatalf("job %s: processor %d of %s ends at %v, the naive form says %v", id, number, piece.Cluster, piece.End, j.ends[at])
				}
				held, tasks, end = held+1, tasks+j.runs[at], max(end, j.ends[at])
			}
			if tasks != piece.Tasks || end != piece.End {
				t.Fatalf("job %s: piece on %s of %d tasks until %v, the naive form says %d until %v", id, piece.Processors, piece.Tasks, piece.End, tasks, end)
			}
		})
		if held != len(j.runs) {
			t.Fatalf("job %s holds %d processors, the naive form says %d", id, held, len(j.runs))
		}
	}
}

// The policies equal the naive form, start by start and piece by piece.
func TestNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorkload(t, false)
		policy := drawPolicy(t, w.n)
		placed := simulated(t, w.in, policy)
		w.n.run()
		same(t, w, placed)
	})
}

// With background load the naive form takes the ends that happened from the schedule: the policies decide as it does, knowing no other.
func TestNaiveWithBackground(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorkload(t, true)
		policy := drawPolicy(t, w.n)
		placed := simulated(t, w.in, policy)
		w.n.stretched = func(job, processor int, start, end float64) float64 {
			p, found := placed[fmt.Sprint("j", job)], 0.0
			p.Parts(1, func(piece model.Piece) {
				at := w.n.processors[processor]
				if cluster, _ := w.in.ClusterIndex(piece.Cluster); cluster != at.cluster || !slices.Contains(numbers(piece.Processors), at.number) {
					return
				}
				if piece.Processors.Len() != 1 {
					t.Fatalf("job %d: the processors %v of %s have one end", job, piece.Processors, piece.Cluster)
				}
				found = piece.End
			})
			if p.Start != start || found < end {
				t.Fatalf("job %d on processor %d: the naive form starts it at %v until %v or later, the schedule says %v until %v", job, processor, start, end, p.Start, found)
			}
			return found
		}
		w.n.run()
		same(t, w, placed)
	})
}
