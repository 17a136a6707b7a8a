package bound

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// sharedOut has up to three jobs that choose their processors, share out their tasks unevenly, run on processors of several speeds, or spread over clusters.
func sharedOut(t testing.TB, rng *rand.Rand) *model.Instance {
	b := model.NewBuilder("shared")
	b.Spec().Horizon = &model.HorizonSpec{To: 100}
	some := func() float64 { return float64(rng.IntN(3)) / 4 }
	processors := 3 + rng.IntN(2)
	for c := range 1 + rng.IntN(2) {
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c)}
		for m := range 1 + rng.IntN(2) {
			if processors == 0 {
				break
			}
			n, count := 1+rng.IntN(processors), 1
			if n == 1 && processors > 1 {
				count += rng.IntN(2)
			}
			processors -= n * count
			spec.Machines = append(spec.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Count: count, Processors: n, Speed: float64(1 + rng.IntN(2)), Power: &model.PowerSpec{Busy: float64(rng.IntN(3))}})
		}
		if spec.Machines == nil {
			break
		}
		if rng.IntN(3) == 0 {
			spec.Overheads = &model.Overheads{ContextSwitch: some()}
		}
		b.Cluster(spec)
	}
	onMachines := rng.IntN(3) == 0
	for j := range 1 + rng.IntN(3) {
		least := 1 + rng.IntN(2)
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Moldable(least, least+rng.IntN(3)), Tasks: 1 + rng.IntN(3), Work: new(float64(rng.IntN(5))), Arrival: 2 * some()}
		if onMachines {
			job.Span = "machine"
		} else if rng.IntN(4) == 0 {
			job.Span = "grid"
		}
		if rng.IntN(2) == 0 {
			job.Deadline = new(float64(rng.IntN(8)))
		}
		if rng.IntN(5) == 0 {
			job.Work, job.Runtime = nil, map[string]float64{"c0": float64(1 + rng.IntN(5))}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// share is what a job may hold: a processor, by number over all clusters, and a time from its start on.
type share struct {
	processor int
	time      float64
	busy      float64 // power
}

// sharesOf lists all that the job may hold: for each set of processors, each way to share out the tasks, where every processor has one at least if there are
// enough.
func sharesOf(in *model.Instance, j int) (list [][]share) {
	type processor struct {
		cluster, machine int
		speed, busy      float64
	}
	var all []processor
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			for k := range m.Count * m.Units {
				all = append(all, processor{c, 100*g + k/m.Units, m.Speed, m.Power.Busy})
			}
		}
	}
	job := &in.Jobs()[j]
	for set := 1; set < 1<<len(all); set++ {
		n := bits.OnesCount(uint(set))
		var chosen []int
		clusters, machines := map[int]bool{}, map[[2]int]bool{}
		for p := range all {
			if set>>p&1 == 1 {
				chosen = append(chosen, p)
				clusters[all[p].cluster], machines[[2]int{all[p].cluster, all[p].machine}] = true, true
			}
		}
		if n < job.Min || n > job.Max || len(clusters) > 1 && in.SpreadOver(j) == nil || len(machines) > 1 && job.Span == model.SpanMachine {
			continue
		}
		var give func(k, left int, held []share)
		give = func(k, left int, held []share) {
			if k == n {
				if left == 0 {
					list = append(list, slices.Clone(held))
				}
				return
			}
			p := chosen[k]
			for b := 1; b <= left-(n-k-1); b++ {
				if time := in.Busy(j, all[p].cluster, all[p].speed, b); !math.IsNaN(time) {
					give(k+1, left-b, append(held, share{p, time, all[p].busy}))
				}
			}
		}
		if n <= job.Tasks {
			give(0, job.Tasks, nil)
			continue
		}
		// More processors than tasks: all are held, each for as long as a task takes on some of them; that is no less than on the fastest of them.
		least := math.Inf(1)
		for _, p := range chosen {
			least = min(least, in.Busy(j, all[p].cluster, all[p].speed, 1))
		}
		if !math.IsNaN(least) && len(clusters) == 1 {
			var held []share
			for _, p := range chosen {
				held = append(held, share{p, least, all[p].busy})
			}
			list = append(list, held)
		}
	}
	return list
}

// No bound is above the best of all schedules, where jobs share out their tasks in all ways that the rules allow; and no certificate claims more.
func TestNoBoundIsAboveTheBestSharing(t *testing.T) {
	metrics := []string{"mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown", "over_deadline", "missed"}
	tight, tried, loose, byPrices, groups := map[string]int{}, map[string]int{}, 0, 0, 0
	for seed := range race.Fewer(uint64(700), 60) {
		rng := rand.New(rand.NewPCG(seed, 91))
		in := sharedOut(t, rng)
		n := len(in.Jobs())
		ways := make([][][]share, n)
		for j := range ways {
			ways[j] = sharesOf(in, j)
		}
		if slices.ContainsFunc(ways, func(list [][]share) bool { return len(list) == 0 }) {
			continue
		}
		if !newRelaxation(t.Context(), in).solid {
			loose++
		}
		best := map[string]float64{}
		var place func(done int, free [8]float64, sums [6]float64)
		place = func(done int, free [8]float64, sums [6]float64) {
			if done == 1<<n-1 {
				for k, metric := range metrics {
					value := sums[k]
					if k < 4 {
						value /= float64(n)
					}
					if old, known := best[metric]; !known || value < old || math.IsNaN(value) {
						best[metric] = value
					}
				}
				return
			}
			for j := range n {
				if done>>j&1 == 1 {
					continue
				}
				job := &in.Jobs()[j]
				for _, way := range ways[j] {
					start, longest := job.Arrival, 0.0
					for _, s := range way {
						start, longest = max(start, free[s.processor]), max(longest, s.time)
					}
					if longest == 0 {
						start = job.Arrival
					}
					next, end, now := free, start+longest, sums
					for _, s := range way {
						if s.time > 0 {
							next[s.processor] = start + s.time
						}
					}
					now[0] += end - job.Arrival
					now[1] += start - job.Arrival
					now[2] += (end - job.Arrival) / longest
					now[3] += max(1, (end-job.Arrival)/max(10, longest))
					now[4] += max(0, end-job.Deadline)
					if model.Late(end, job.Deadline) {
						now[5]++
					}
					place(done|1<<j, next, now)
				}
			}
		}
		place(0, [8]float64{}, [6]float64{})
		best["energy"] = 0
		for j := range ways {
			least := math.Inf(1)
			for _, way := range ways[j] {
				energy := 0.0
				for _, s := range way {
					energy += s.time * s.busy
				}
				least = min(least, energy)
			}
			best["energy"] += least
		}
		for _, metric := range append(metrics, "energy") {
			own, err := in.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := NewCertified(context.Background(), own)
			p.Improve(context.Background(), 3_000_000)
			value, _ := p.Bound().Value()
			if value > best[metric]*(1+1e-9)+1e-9 {
				t.Fatalf("seed %d: %v of %s, a schedule has %v: %+v", seed, value, metric, best[metric], in.Spec())
			}
			if tried[metric]++; value >= best[metric]*(1-1e-9) {
				tight[metric]++
			}
			c := p.Certificate()
			if r := proof.Check(t.Context(), own, c); r.Verdict != proof.Verified {
				t.Errorf("seed %d: %s ≥ %v: %v", seed, metric, value, r)
			}
			for _, part := range c.Parts { // claims of more than a schedule costs, by the same prices
				if part.By == nil || part.By.TimePrices == nil || math.IsNaN(best[metric]) {
					continue
				}
				byPrices++
				if slices.ContainsFunc(part.By.TimePrices.Clusters, func(p proof.ClusterPrices) bool { return p.Groups != nil }) {
					groups++
				}
				claim := *c
				part.Bound, part.Step = best[metric]*(1+1e-6)+1e-6, 0
				claim.Parts = []proof.Part{part}
				claim.Bound = model.ProvedBound(claim.Parts[0].Bound)
				if r := proof.Check(t.Context(), own, &claim); r.Verdict == proof.Verified {
					t.Errorf("seed %d: %s ≥ %v is verified, a schedule has %v", seed, metric, claim.Parts[0].Bound, best[metric])
				}
			}
		}
	}
	t.Logf("tight %v of %v, %d proved by prices of time, %d of groups, %d with jobs that are no rectangles", tight, tried, byPrices, groups, loose)
	if 20*groups < tried["missed"] || 2*loose < tried["missed"] || byPrices < tried["missed"]/3 {
		t.Error("the test says little")
	}
}
