package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// A proof that is told of an optimal schedule gets to its objective for a quarter of the instances: it gives up only what is dearer.
func TestProofsReachTheLimit(t *testing.T) {
	seeds := race.Fewer(uint64(200), 60)
	late, reached := 0, 0 // proofs that the limit found below the optimum, and those of them that then got there
	for seed := range seeds {
		plain := randomTiny(t, seed)
		best, ok := optima(plain)
		if !ok {
			continue
		}
		in, err := plain.WithObjective(map[string]float64{"mcp": 1})
		if err != nil {
			t.Fatal(err)
		}
		tight := func(p *Proof) bool {
			value, ok := p.Bound().Value()
			return ok && value >= best["mcp"]*(1-1e-9)
		}
		proof := New(context.Background(), in)
		proof.Improve(context.Background(), 1)
		if tight(proof) {
			continue
		}
		late++
		proof.Limit(best["mcp"])
		proof.Improve(context.Background(), 3_000_000)
		if tight(proof) {
			reached++
		}
	}
	t.Logf("%d of %d", reached, late)
	if late < int(seeds)/10 || 5*reached < late {
		t.Errorf("%d of %d proofs reach the optimum that they are told of, expected a fifth of them", reached, late)
	}
}

// At any prices a job costs at no start less than what is said to be the least: what it pays is added up here bucket by bucket, at random
// starts and at those that end with a bucket.
func TestNoStartIsCheaperThanTheCheapest(t *testing.T) {
	ctx := context.Background()
	for seed := range race.Fewer(uint64(300), 60) {
		r := newRelaxation(ctx, randomTiny(t, seed))
		limits := r.bucketLimits(ctx)
		if limits == nil {
			continue
		}
		K := len(r.in.Clusters())
		rng := rand.New(rand.NewPCG(seed, 79))
		for _, w := range []pricedWeights{{end: 1}, {over: 1}} {
			p := newPriced(r, limits, slices.Repeat([]pricedWeights{w}, K), make([]float64, K))
			x := make([]float64, p.size)
			for k := range x {
				x[k] = 0.2 * (rng.NormFloat64() + 0.5)
			}
			p.set(ctx, x)
			for c := range p.clusters {
				for k, j := range r.must {
					if p.clusters[c].jobs[k].kind < 0 {
						continue
					}
					cost, at := make([]float64, len(limits)+1), make([]int32, len(limits)+1)
					p.clusters[c].cheapest(k, limits, cost, at)
					least, duration := cost[len(limits)], p.durationOn(r, k, c)
					for _, start := range startsOfAll(limits, r.start[j], duration, rng) {
						end := start + duration
						if own := w.end*end + w.over*max(0, end-r.deadline(j)) + p.paidBy(k, c, start, end, x); own < least-1e-9*(1+math.Abs(least)) {
							t.Fatalf("seed %d, weights %v, job %d on %d: it costs %v at %v, the least is said to be %v", seed, w, j, c, own, start, least)
						}
					}
				}
			}
		}
	}
}

// startsOfAll are starts from the release on: those that end with a bucket and as many at random.
func startsOfAll(limits []float64, release, duration float64, rng *rand.Rand) []float64 {
	var starts []float64
	for _, t := range limits {
		if t-duration >= release {
			starts = append(starts, t-duration)
		}
		starts = append(starts, release+1.2*limits[len(limits)-1]*rng.Float64())
	}
	return starts
}

// durationOn is how long the k-th of the jobs takes on the cluster.
func (p *priced) durationOn(r *Relaxation, k, c int) float64 {
	return r.in.DurationOn(r.must[k], c, p.clusters[c].sizes[p.clusters[c].jobs[k].kind])
}

// paidBy is what the k-th of the jobs pays on the cluster by the prices x, bucket by bucket.
func (p *priced) paidBy(k, c int, start, end float64, x []float64) float64 {
	i, paid := &p.clusters[c], 0.0
	kind := i.jobs[k].kind
	for t := range len(p.limits) - 1 {
		if held := min(end, p.limits[t+1]) - max(start, p.limits[t]); held > 0 {
			paid += held * max(0, float64(i.sizes[kind])*x[i.rho+t]+x[i.theta+kind])
		}
	}
	return paid
}
