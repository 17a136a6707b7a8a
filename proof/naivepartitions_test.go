package proof_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/proof"
)

// This file decides what partitions prove in the plainest way: by every assignment of the jobs to clusters, every part of each set, and every order.

// setOf is what a set of jobs has at least on a cluster, as in docs/proofs.md.
type setOf struct{ makespan, late, both float64 }

// setCost is what the set of jobs has at least on cluster c; false: one of them cannot run there.
func (n *naive) setCost(a *proof.Partitions, c int, jobs []int) (least setOf, ok bool) {
	over, makespan, idle := n.weights(c)
	m := n.in.Clusters()[c].Processors
	weigh := func(span, late float64) float64 { return (makespan+idle*float64(m))*span + over*late }
	first, ends, dues := math.Inf(1), []float64(nil), []float64(nil)
	for _, j := range jobs {
		size, time := n.on(j, c)
		if size == 0 || math.IsInf(time, 1) {
			return setOf{}, false
		}
		due := n.in.Jobs()[j].Deadline - n.first
		first, ends, dues = min(first, n.head[j]), append(ends, n.head[j]+time), append(dues, due)
		least.late += max(0, n.head[j]+time-due)
	}
	slices.Sort(ends)
	slices.Sort(dues)
	share := func(weight func(size int) int, capacity int) {
		var times []float64
		for _, j := range jobs {
			size, time := n.on(j, c)
			times = append(times, float64(weight(size))*time/float64(capacity))
		}
		slices.Sort(times)
		sum := first
		for k, x := range times {
			sum += x
			ends[k] = max(ends[k], sum)
		}
	}
	share(func(size int) int { return size }, m)
	for _, f := range a.Functions {
		weight := func(size int) int {
			for _, w := range f.Weights[c] {
				if w.Size == size {
					return w.Weight
				}
			}
			return 0
		}
		var heaviest func(room int) int
		heaviest = func(room int) (most int) {
			for _, w := range f.Weights[c] {
				if w.Size <= room {
					most = max(most, w.Weight+heaviest(room-w.Size))
				}
			}
			return most
		}
		if capacity := heaviest(m); capacity > 0 {
			share(weight, capacity)
		}
	}
	paired := 0.0
	for k := range ends {
		paired += max(0, ends[k]-dues[k])
	}
	least.makespan, least.late = ends[len(ends)-1], max(least.late, paired)
	for k := range jobs {
		if len(jobs) > 1 {
			part, _ := n.setCost(a, c, append(slices.Clone(jobs[:k]), jobs[k+1:]...))
			least = setOf{max(least.makespan, part.makespan), max(least.late, part.late), max(least.both, part.both)}
		}
	}
	least.both = max(least.both, weigh(least.makespan, least.late))
	if len(jobs) <= a.Orders {
		best := setOf{math.Inf(1), math.Inf(1), math.Inf(1)}
		n.orders(c, jobs, func(span, late float64) {
			best = setOf{min(best.makespan, span), min(best.late, late), min(best.both, weigh(span, late))}
		})
		least = setOf{max(least.makespan, best.makespan), max(least.late, best.late), max(least.both, best.both)}
	}
	return least, true
}

// orders calls yield with the makespan and the time over deadlines of the jobs in each order. A job starts at the first time, not before the job before it,
// at which few enough of the processors are held.
func (n *naive) orders(c int, jobs []int, yield func(span, late float64)) {
	type run struct {
		from, to float64
		size     int
	}
	var extend func(runs []run, left []int, last, span, late float64)
	extend = func(runs []run, left []int, last, span, late float64) {
		if len(left) == 0 {
			yield(span, late)
		}
		for k, j := range left {
			size, time := n.on(j, c)
			starts := []float64{max(last, n.head[j])}
			for _, r := range runs {
				starts = append(starts, max(last, n.head[j], r.to))
			}
			slices.Sort(starts)
			for _, start := range starts {
				held := size
				for _, r := range runs {
					if r.from <= start && start < r.to {
						held += r.size
					}
				}
				if time == 0 || held <= n.in.Clusters()[c].Processors {
					rest := append(slices.Clone(left[:k]), left[k+1:]...)
					extend(append(slices.Clone(runs), run{start, start + time, size}), rest, start, max(span, start+time), late+max(0, start+time-(n.in.Jobs()[j].Deadline-n.first)))
					break
				}
			}
		}
	}
	extend(nil, jobs, 0, 0, 0)
}

// shared is what partitions prove.
func (n *naive) shared(a *proof.Partitions) float64 {
	jobs, clusters := len(n.specs), len(n.in.Clusters())
	ways := 1
	for range jobs {
		ways *= clusters
	}
	known := map[[2]int]float64{}
	best := math.Inf(1)
	for way := range ways {
		sum := 0.0
		for c := range clusters {
			var own []int
			mask, held := 0, 0.0
			for j, rest := 0, way; j < jobs; j, rest = j+1, rest/clusters {
				if rest%clusters == c {
					own, mask, held = append(own, j), mask|1<<j, held+n.area(j, c)
				}
			}
			if own == nil {
				continue
			}
			key := [2]int{c, mask}
			if _, seen := known[key]; !seen {
				known[key] = math.Inf(1)
				if cost, ok := n.setCost(a, c, own); ok {
					_, _, idle := n.weights(c)
					known[key] = float64(len(own)) * (cost.both - idle*held)
				}
			}
			sum += known[key]
		}
		best = min(best, sum/float64(jobs))
	}
	return best
}

func TestPartitionsProveWhatTheyShould(t *testing.T) {
	rng, seen := rand.New(rand.NewPCG(3, 9)), tally{}
	for range race.Fewer(400, 60) {
		n := rigid(t, rng, true)
		a := &proof.Partitions{Orders: rng.IntN(5)}
		for range rng.IntN(3) {
			f := proof.SizeFunction{Weights: make([][]proof.Weight, len(n.in.Clusters()))}
			for c := range f.Weights {
				for size := range n.in.Clusters()[c].Processors {
					if rng.IntN(4) > 0 {
						f.Weights[c] = append(f.Weights[c], proof.Weight{Size: size + 1, Weight: rng.IntN(4)})
					}
				}
			}
			a.Functions = append(a.Functions, f)
		}
		if value := n.shared(a); value > 1e-3 {
			n.proves(t, seen, "partitions", "mcp", value, proof.Argument{Partitions: a})
		}
	}
	if seen["partitions"] < race.Fewer(200, 20) {
		t.Errorf("the test says little: %v", seen)
	}
}
