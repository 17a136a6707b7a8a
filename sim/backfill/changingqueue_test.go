package backfill

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/sim"
)

// randomRanking draws an order in which jobs overtake others.
func randomRanking(rng *rand.Rand) Ranking {
	pick := func(values ...float64) float64 { return values[rng.IntN(len(values))] }
	r := Ranking{Order: []string{byWFP3, byMultifactor, byWFP3, byMultifactor, byShortest, byLongest, bySmallest, byF1}[rng.IntN(8)]}
	if rng.IntN(2) == 0 || r.Order != byWFP3 && r.Order != byMultifactor {
		r.BoundWait = new(pick(0, 2, 15, 100))
	}
	r.Factors = Factors{
		WeightAge: pick(0, 1000, 1000, -1000), MaxAge: pick(3, 20, 1000), WeightSize: pick(0, 300, -300), FavourSmall: rng.IntN(2) == 0, WeightShare: pick(0, 0, 5000, -5000),
		HalfLife: pick(0, 7, 1e6), Damping: pick(1, 2.5), WeightClass: 1, MaxClass: 1,
	}
	return r
}

// randomDeep draws a workload of which many jobs wait at once: of few or of many sizes and estimates, with ties, or all at once.
func randomDeep(rng *rand.Rand, most int) (specs []sim.Spec, processors int32) {
	specs, processors = randomTrace(rng)
	if rng.IntN(3) > 0 {
		return specs, processors
	}
	n, between, fraction := 1+rng.IntN(most), rng.IntN(3), rng.Float64()
	specs = specs[:0]
	at := 1e9 * float64(rng.IntN(2))
	for range n {
		at += fraction * float64(rng.IntN(between+1))
		s := sim.Spec{Arrival: at, Processors: 1 + rng.Int32N(processors), Runtime: fraction * float64(rng.IntN(40))}
		if rng.IntN(4) > 0 {
			s.Processors = 1 + s.Processors/6
		}
		if s.Estimate = s.Runtime * float64(1+rng.IntN(3)); rng.IntN(2) == 0 {
			s.Estimate += rng.Float64()
		}
		specs = append(specs, s)
	}
	return specs, processors
}

// TestChangingOrders compares orders in which jobs overtake others, and bounds of the wait in all orders, with a queue that is sorted at each instant, start by start.
func TestChangingOrders(t *testing.T) {
	for seed := range uint64(40000 / thoroughness) {
		rng := rand.New(rand.NewPCG(seed, 29))
		specs, processors := randomDeep(rng, 150)
		if seed%500 == 0 {
			specs, processors = randomDeep(rng, 1500)
		}
		for k := range specs {
			specs[k].User = rng.Int32N(4)
		}
		r, depth, kill := randomRanking(rng), []int{0, 1, 1, 2, 5, 1000}[rng.IntN(6)], rng.IntN(4) == 0
		scorer := newScorer(r, int(processors))
		want := replay(t, slices.Clone(specs), processors, &sorted{step: 1, depth: depth, processors: int(processors), scorer: scorer}, kill)
		got := replay(t, slices.Clone(specs), processors, newOrdered(1, depth, int(processors), r), kill)
		for k := range want {
			if want[k] != got[k] {
				t.Fatalf("seed %d, %+v, depth %d: job %d of %d starts at %v, with a sorted queue at %v\n%s", seed, r, depth, k, len(specs), got[k], want[k], shown(specs, processors))
			}
		}
	}
}

// TestChangingQueue compares each answer of a queue with a look at all jobs, while thousands join and leave, so that blocks are halved and empty.
func TestChangingQueue(t *testing.T) {
	for seed := range uint64(24) {
		rng := rand.New(rand.NewPCG(seed, 30))
		r := randomRanking(rng)
		r.Order = []string{byWFP3, byMultifactor}[seed%2]
		s := newScorer(r, 64)
		q := newRankedJobs(s)
		var all []*sim.Job
		now := 0.0
		for number := range int64(6000 / thoroughness) {
			now += float64(rng.IntN(3)) * rng.Float64()
			j := &sim.Job{Number: number, Processors: 1 + rng.Int32N(3), Handle: int32(number), Arrival: now, Estimate: rng.Float64() * float64(rng.IntN(100)), User: rng.Int32N(3)}
			s.arrived(j)
			s.begin(now)
			q.push(rankedJob{s.score(now, j, j.Estimate, int(j.Processors), 0), j})
			all = append(all, j)
			if number%7 > 0 {
				continue
			}
			q.begin(now)
			naively := func(may func(rankedJob) bool) (best rankedJob) {
				for _, j := range all {
					if r := (rankedJob{s.score(now, j, j.Estimate, int(j.Processors), 0), j}); may(r) && (best.job == nil || byPriority(r, best) < 0) {
						best = r
					}
				}
				return best
			}
			head, _ := q.head()
			next, _ := q.after(head)
			last := now + rng.Float64()*20
			short, _ := q.first(now, 2, func(int32) float64 { return last })
			for name, c := range map[string]struct{ got, want rankedJob }{
				"head": {head, naively(func(rankedJob) bool { return true })}, "after": {next, naively(func(r rankedJob) bool { return byPriority(r, head) > 0 })},
				"first": {short, naively(func(r rankedJob) bool { return r.job.Processors <= 2 && now+r.job.Estimate <= last })},
			} {
				if c.got != c.want {
					t.Fatalf("seed %d, %+v at %v, %s: %v, expected %v", seed, r, now, name, c.got, c.want)
				}
			}
			for _, leaves := range []rankedJob{short, head} {
				if k := slices.Index(all, leaves.job); k >= 0 && rng.IntN(20) > 0 {
					q.remove(leaves)
					all = slices.Delete(all, k, k+1)
				}
			}
			for number > 3000/thoroughness && len(all) > 0 && rng.IntN(4) > 0 {
				r, _ := q.head()
				q.remove(r)
				all = slices.Delete(all, slices.Index(all, r.job), slices.Index(all, r.job)+1)
			}
		}
	}
}
