package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/bound/internal/priced"
	"github.com/allot-opt/allot/internal/race"
)

// A proof that is told the optimum while its bound is lower reaches the optimum in at least a fifth of the cases, because it ignores
// only schedules that cost more.
func TestProofsReachTheLimit(t *testing.T) {
	seeds := race.Fewer(uint64(200), 60)
	late, reached := 0, 0 // proofs whose bound was below the optimum when told; those that then reached it
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
		tight := func(p *Portfolio) bool {
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

// At any prices no start of a job costs less than the least cost that Cheapest states. The test adds up what the job pays
// bucket by bucket, at random starts and at those that end with a bucket.
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
		for _, w := range []priced.Weights{{End: 1}, {Over: 1}} {
			p := priced.New(r.priced(), limits, slices.Repeat([]priced.Weights{w}, K), make([]float64, K))
			x := make([]float64, p.Size)
			for k := range x {
				x[k] = 0.2 * (rng.NormFloat64() + 0.5)
			}
			p.Set(ctx, x)
			for c := range p.Clusters {
				for k, j := range r.must {
					if p.Clusters[c].Jobs[k].Kind < 0 {
						continue
					}
					cost, at := make([]float64, len(limits)+1), make([]int32, len(limits)+1)
					p.Clusters[c].Cheapest(k, limits, cost, at)
					least, duration := cost[len(limits)], durationOn(p, r, k, c)
					for _, start := range startsOfAll(limits, r.start[j], duration, rng) {
						end := start + duration
						if own := w.End*end + w.Over*max(0, end-r.Deadline(j)) + paidBy(p, k, c, start, end, x); own < least-1e-9*(1+math.Abs(least)) {
							t.Fatalf("seed %d, weights %v, job %d on %d: it costs %v at %v, the least is said to be %v", seed, w, j, c, own, start, least)
						}
					}
				}
			}
		}
	}
}

// startsOfAll are starts from the release on: those that end with a bucket, and as many random ones.
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
func durationOn(p *priced.Problem, r *Relaxation, k, c int) float64 {
	return r.in.DurationOn(r.must[k], c, p.Clusters[c].Sizes[p.Clusters[c].Jobs[k].Kind])
}

// paidBy is what the k-th of the jobs pays on the cluster by the prices x, bucket by bucket.
func paidBy(p *priced.Problem, k, c int, start, end float64, x []float64) float64 {
	i, paid := &p.Clusters[c], 0.0
	kind := i.Jobs[k].Kind
	for t := range len(p.Limits) - 1 {
		if held := min(end, p.Limits[t+1]) - max(start, p.Limits[t]); held > 0 {
			paid += held * max(0, float64(i.Sizes[kind])*x[i.Rho+t]+x[i.Theta+kind])
		}
	}
	return paid
}
