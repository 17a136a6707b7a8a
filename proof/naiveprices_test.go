package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// This file computes what prices of time prove in the plainest way: a unit of time after the other, all sets of jobs, all starts.

// rigid is a random instance of rigid jobs on equal processors whose times are whole numbers, so that a best start is one too.
func rigid(t testing.TB, rng *rand.Rand, weighted bool) *naive {
	t.Helper()
	b, n := model.NewBuilder("rigid"), &naive{}
	for c := range 1 + rng.IntN(3) {
		spec := cluster(fmt.Sprint("c", c), 1+rng.IntN(4), float64(1+rng.IntN(2)))
		if rng.IntN(8) == 0 {
			spec.Allocation = "machine"
			spec.Machines[0].Processors, spec.Machines[0].Count, spec.Machines[0].Speed = 2, 1+rng.IntN(3), 1
		}
		if weighted && rng.IntN(3) > 0 {
			weight := func() *float64 { return new(float64(rng.IntN(4))) }
			spec.Weights = &model.WeightsSpec{OverDeadline: weight(), Makespan: weight(), IdleTime: weight()}
		}
		b.Cluster(spec)
	}
	for j := range 1 + rng.IntN(4) {
		spec := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: 5 + float64(rng.IntN(2)*rng.IntN(4)), Processors: model.Rigid(1 + rng.IntN(2)), Work: new(float64(rng.IntN(5)) * 2)}
		if rng.IntN(2) == 0 {
			spec.Deadline = new(float64(rng.IntN(14)))
		}
		if j > 0 && rng.IntN(4) == 0 {
			spec.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
		b.Job(spec)
		n.specs = append(n.specs, spec)
	}
	n.in = built(t, b)
	if n.look(); !n.all {
		return rigid(t, rng, weighted)
	}
	return n
}

// priced are random limits and prices.
func (n *naive) priced(rng *rand.Rand, past []float64) (limits []float64, clusters []proof.ClusterPrices) {
	limits = []float64{0}
	for range 1 + rng.IntN(3) {
		limits = append(limits, limits[len(limits)-1]+float64(1+rng.IntN(4)))
	}
	for c := range n.in.Clusters() {
		var p proof.ClusterPrices
		for range limits[1:] {
			price := float64(rng.IntN(9)-1) / 4
			if past != nil && rng.IntN(2) == 0 {
				price = past[c]
			}
			p.Processor = append(p.Processor, price)
		}
		for _, size := range rng.Perm(2) {
			if rng.IntN(3) == 0 {
				p.Sizes = append(p.Sizes, proof.SizePrice{Size: size + 1, Price: float64(rng.IntN(5)-2) / 4})
			}
		}
		clusters = append(clusters, p)
	}
	return limits, clusters
}

// pays is what a job of the size pays for a unit of time that begins at the time; past is the price of a processor after the last limit.
func pays(limits []float64, p *proof.ClusterPrices, size int, at, past float64) float64 {
	if at >= limits[len(limits)-1] {
		return past * float64(size)
	}
	bucket := 0
	for limits[bucket+1] <= at {
		bucket++
	}
	price := float64(size) * p.Processor[bucket]
	for _, s := range p.Sizes {
		if s.Size == size {
			price += s.Price
		}
	}
	return max(0, price)
}

// most is what the jobs that run at once on the cluster pay at most, up to a time: the best of all sets that fit.
func (n *naive) most(limits []float64, p *proof.ClusterPrices, c int, until float64) (sum float64) {
	for at := range int(until) {
		best := 0.0
		for set := range 1 << len(n.in.Jobs()) {
			held, paid := 0, 0.0
			for j := range n.in.Jobs() {
				if set&(1<<j) != 0 {
					size, _ := n.on(j, c)
					if !n.in.CanRun(j, c) {
						held = math.MaxInt32
					}
					held, paid = held+size, paid+pays(limits, p, size, float64(at), 0)
				}
			}
			if held <= n.in.Clusters()[c].Processors {
				best = max(best, paid)
			}
		}
		sum += best
	}
	return sum
}

// cheapest is the least of a job on a cluster, over all starts so that it ends by the time, of what it costs by its end and of what it pays; +Inf: it cannot
// end by then. No start after the last limit and the last head is better than one before, unless time only gets dearer.
func (n *naive) cheapest(limits []float64, p *proof.ClusterPrices, j, c int, by, past float64, cost func(end, held float64) float64) float64 {
	least := math.Inf(1)
	if !n.in.CanRun(j, c) {
		return least
	}
	size, time := n.on(j, c)
	for start := n.head[j]; start <= max(n.head[j], 30) && start+time <= by; start++ {
		sum := cost(start+time, float64(size)*time)
		for at := start; at < start+time; at++ {
			sum += pays(limits, p, size, at, past)
		}
		least = min(least, sum)
	}
	return least
}

func TestPricesOverTimeProveWhatTheyShould(t *testing.T) {
	rng, seen := rand.New(rand.NewPCG(2, 7)), tally{}
	for range race.Fewer(400, 80) {
		n := rigid(t, rng, false)
		limits, clusters := n.priced(rng, nil)
		last := limits[len(limits)-1]
		for _, metric := range []string{"mean_response", "over_deadline"} {
			value := 0.0
			for c := range clusters {
				value -= n.most(limits, &clusters[c], c, last)
			}
			for j := range n.in.Jobs() {
				job, best := &n.in.Jobs()[j], math.Inf(1)
				for c := range clusters {
					best = min(best, n.cheapest(limits, &clusters[c], j, c, math.Inf(1), 0, func(end, _ float64) float64 {
						if metric == "mean_response" {
							return (end + n.first - job.Arrival) / float64(len(n.specs))
						}
						return max(0, end+n.first-job.Deadline)
					}))
				}
				value += best
			}
			by := proof.Argument{TimePrices: &proof.TimePrices{Limits: limits, Clusters: clusters}}
			if value <= 0 {
				n.says(t, seen, metric+" of nothing", metric, 1e-9, proof.Refuted, by)
			} else {
				n.proves(t, seen, metric, metric, value, by)
			}
		}
	}
	if seen["mean_response"] < race.Fewer(50, 8) || seen["over_deadline"] < race.Fewer(50, 8) {
		t.Errorf("%v: the test says little", seen)
	}
}
