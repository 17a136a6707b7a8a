package backfill

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// randomWide is a workload of moldable and rigid jobs of every span on several clusters, with machines of several speeds, and with licences
// from pools of the grid and of clusters where asked for.
func randomWide(rng *rand.Rand, licences bool) (*wide, *model.Instance) {
	n := &wide{clusters: 1 + rng.IntN(4), step: []float64{1, 0.5, 2}[rng.IntN(3)], copies: []int{2 + rng.IntN(3)}}
	b := model.NewBuilder("wide")
	if licences {
		b.Spec().Licences = map[string]int{"l": n.copies[0]}
	} else {
		n.copies[0] = math.MaxInt
	}
	speeds := [][]float64{{1}, {1}, {1, 2}, {0.5, 1, 3}, {1, 1.25, 5.5}}[rng.IntN(5)]
	links := [][]float64{{8}, {2, 8}}[rng.IntN(2)]
	var switches []float64
	all, widest := 0, 0
	for c := range n.clusters {
		switches = append(switches, []float64{0, 0.25}[rng.IntN(2)])
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Overheads: &model.Overheads{ContextSwitch: switches[c]}, Network: &model.Network{Latency: 0.125, Bandwidth: 4}}
		here := 0
		for g := range 1 + rng.IntN(3) {
			m := model.MachineSpec{ID: fmt.Sprint("m", c, g), Count: 1 + rng.IntN(2), Processors: 1 + rng.IntN(4), Speed: speeds[rng.IntN(len(speeds))], Bandwidth: links[rng.IntN(len(links))]}
			spec.Machines = append(spec.Machines, m)
			for range m.Count {
				n.machines = append(n.machines, wideMachine{c, m.Processors, m.Speed, m.Bandwidth})
			}
			here += m.Count * m.Processors
		}
		n.pool = append(n.pool, 0)
		if licences && rng.IntN(3) == 0 {
			n.pool[c], n.copies = len(n.copies), append(n.copies, rng.IntN(4))
			spec.Licences = map[string]int{"l": n.copies[n.pool[c]]}
		}
		all, widest = all+here, max(widest, here)
		b.Cluster(spec)
	}
	n.overhead = func(cluster int, message float64) float64 {
		if message == 0 {
			return switches[cluster]
		}
		return switches[cluster] + 0.125 + message/4
	}
	at, gap := 0.0, rng.IntN(4)
	for k := range 1 + rng.IntN(25) {
		at += float64(rng.IntN(gap + 1))
		j := wideJob{arrival: at, span: []string{"grid", "grid", "grid", "cluster", "machine"}[rng.IntN(5)], work: float64(rng.IntN(6)), estimate: math.NaN(),
			message: []float64{0, 1}[rng.IntN(2)], input: []float64{0, 0, 4}[rng.IntN(3)]}
		j.least = 1 + rng.IntN([]int{1, 2, widest, all + 1}[rng.IntN(4)])
		j.most = j.least + rng.IntN([]int{1, 2, 2 * all}[rng.IntN(3)])
		j.tasks = []int{j.most, j.least, 1 + rng.IntN(3*j.most), 1 + rng.IntN(3)}[rng.IntN(4)]
		spec := model.JobSpec{ID: fmt.Sprint("j", k), Arrival: j.arrival, Processors: model.Moldable(j.least, j.most), Tasks: j.tasks, Span: j.span, Work: new(j.work),
			Message: j.message, Input: j.input}
		if rng.IntN(2) == 0 {
			j.estimate = max(0, j.work+float64(rng.IntN(5)-1))
			spec.Estimate, spec.ReferenceSpeed = new(j.estimate), 1
		}
		if licences {
			if j.copies = max(0, rng.IntN(4)-1); j.copies > 0 {
				spec.Licences = map[string]int{"l": j.copies}
			}
		}
		n.jobs = append(n.jobs, j)
		b.Job(spec)
	}
	in, err := b.Build()
	if err != nil {
		panic(err)
	}
	return n, in
}

// TestSpreadNaive compares the policies with the naive form, part by part, on jobs that are moldable or may spread. Every schedule passes the
// checker.
func TestSpreadNaive(t *testing.T) {
	for _, kind := range []struct {
		name       string
		discipline func(step float64) sim.Discipline
		decide     func(*wide, []*wideJob)
	}{
		{"fcfs", func(float64) sim.Discipline { return FCFS(Ranking{}) }, wideFCFS},
		{"easy", func(step float64) sim.Discipline { return EASY(step, 1, Ranking{}) }, wideEASY},
		{"flexible", func(step float64) sim.Discipline { return Flexible(step, DefaultPriorities()) }, wideFlexible},
	} {
		t.Run(kind.name, func(t *testing.T) {
			spread, overtook, never := 0, 0, 0
			for seed := range race.Fewer(uint64(300), 75) {
				rng := rand.New(rand.NewPCG(seed, 13))
				n, in := randomWide(rng, kind.name != "flexible" && seed%2 == 0)
				n.run(kind.decide)
				sol, _, err := sim.Simulate(context.Background(), in, kind.discipline(n.step), sim.Options{})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				if report := model.Check(in, sol); !report.OK() {
					t.Fatalf("seed %d: %v", seed, report.Violations[0])
				}
				placed := map[string]model.Placement{}
				for _, p := range sol.Jobs {
					placed[p.Job] = p
				}
				last := 0.0
				for k := range n.jobs {
					j, id := &n.jobs[k], fmt.Sprint("j", k)
					p, ok := placed[id]
					if ok == j.gone {
						t.Fatalf("seed %d: job %s placed: %v; the naive form says that it can never run: %v", seed, id, ok, j.gone)
					}
					if j.gone {
						never++
						continue
					}
					sameParts(t, seed, id, n, j, in, p)
					if len(p.Pieces) > 1 {
						spread++
					}
					if j.start < last {
						overtook++
					}
					last = max(last, j.start)
				}
			}
			if spread < race.Enough(300) || never < race.Enough(100) || overtook < race.Enough(150) && kind.name != "fcfs" {
				t.Errorf("%d jobs spread, %d overtook others, %d can never run: too few to compare", spread, overtook, never)
			}
		})
	}
}

// sameParts compares a placement with the naive form's: times, and processors and tasks cluster by cluster.
func sameParts(t *testing.T, seed uint64, id string, n *wide, j *wideJob, in *model.Instance, p model.Placement) {
	t.Helper()
	if p.Start != j.start || p.End != j.end {
		t.Fatalf("seed %d: job %s runs from %v to %v, the naive form says %v to %v", seed, id, p.Start, p.End, j.start, j.end)
	}
	pieces := p.Pieces
	if len(pieces) == 0 {
		pieces = []model.Piece{{Cluster: p.Cluster, Processors: p.Processors, Tasks: j.tasks}}
	}
	held, tasks := make([]int, len(n.machines)), make([]int, n.clusters)
	for _, piece := range pieces {
		c, _ := in.ClusterIndex(piece.Cluster)
		tasks[c] += piece.Tasks
		first := 0
		for m := range n.machines {
			if n.machines[m].cluster != c {
				continue
			}
			next := first + n.machines[m].processors
			for _, r := range piece.Processors {
				held[m] += max(0, min(r.Last+1, next)-max(r.First, first))
			}
			first = next
		}
	}
	if fmt.Sprint(held, tasks) != fmt.Sprint(j.held, j.runs) {
		t.Fatalf("seed %d: job %s holds %v by machine and runs %v tasks by cluster, the naive form says %v and %v", seed, id, held, tasks, j.held, j.runs)
	}
}
