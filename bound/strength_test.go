package bound

import (
	"context"
	"math"
	"math/rand/v2"
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
			value, ok := p.Value()
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
	for seed := range race.Fewer(uint64(300), 60) {
		r := newRelaxation(context.Background(), randomTiny(t, seed))
		rng := rand.New(rand.NewPCG(seed, 79))
		for _, metric := range []string{"mean_response", "over_deadline"} {
			sum := methodOf(metric).New(r).(*pricedSum)
			sum.start(context.Background())
			if sum.priced == nil {
				continue
			}
			p := sum.priced
			x := make([]float64, p.size)
			for k := range x {
				x[k] = 0.2 * (rng.NormFloat64() + 0.5)
			}
			value, _, _ := sum.evaluate(context.Background(), x)
			above := 0.0 // what the jobs cost at the starts tried, less what the clusters are paid
			for i := range p.clusters {
				above -= p.clusters[i].paid[len(p.limits)-1]
			}
			for k, j := range r.must {
				cheapest := math.Inf(1)
				for c := range p.clusters {
					if p.clusters[c].jobs[k].kind < 0 {
						continue
					}
					for _, start := range startsOfAll(p.limits, r.start[j], p.durationOn(r, k, c), rng) {
						end := start + p.durationOn(r, k, c)
						cost := end / float64(len(r.must))
						if metric == "over_deadline" {
							cost = max(0, end-r.deadline(j))
						}
						cheapest = min(cheapest, cost+p.paidBy(k, c, start, end, x))
					}
				}
				above += cheapest
			}
			if value > above+1e-9*(1+math.Abs(value)) {
				t.Errorf("seed %d, %s: the prices are said to prove %v, some starts cost %v", seed, metric, value, above)
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
