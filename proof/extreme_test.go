package proof_test

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// extremes draws numbers of very different magnitudes, of which some are alike.
type extremes struct {
	*rand.Rand
	low, high int // of binary exponents
}

func (e *extremes) number() float64 {
	x := math.Ldexp(1+e.Float64()*float64(e.IntN(2)), e.low+e.IntN(e.high-e.low+1))
	switch e.IntN(8) {
	case 0:
		return 0
	case 1, 2, 3:
		return -x
	}
	return x
}

// numbers are that many numbers. All have about the same magnitude in half of the calls.
func (e *extremes) numbers(n int) []float64 {
	own := *e
	if e.IntN(2) == 0 {
		own.low += e.IntN(e.high - e.low + 1)
		own.high = own.low
	}
	list := make([]float64, n)
	for k := range list {
		list[k] = own.number()
	}
	return list
}

// limits are two to four limits from 0 on.
func (e *extremes) limits() []float64 {
	limits := []float64{0, math.Abs(e.number())}
	for len(limits) < 4 && e.IntN(2) == 0 {
		limits = append(limits, limits[len(limits)-1]*(1+e.Float64())+1)
	}
	return limits
}

// ofTime are prices of time for each cluster.
func (e *extremes) ofTime(clusters, buckets int) []proof.ClusterPrices {
	list := make([]proof.ClusterPrices, clusters)
	for c := range list {
		list[c].Processor = e.numbers(buckets)
		for size := range e.IntN(3) {
			list[c].Sizes = append(list[c].Sizes, proof.SizePrice{Size: size + 1, Price: e.number()})
		}
	}
	return list
}

// Prices and times of any magnitude prove nothing false: no sum leaves its 64 or 128 bits, and what is left out as too dear is so. Each bound is far above what
// a schedule costs.
func TestNumbersOfAnyMagnitudeProveNothingFalse(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(12, 7)), tally{}
	for range race.Fewer(600, 200) {
		most := []int{4, 60, 130, 490}[rng.IntN(4)]
		prices, times := &extremes{rng, -most, most}, &extremes{rng, -20, 20}
		if rng.IntN(4) == 0 {
			times = &extremes{rng, -600, 600}
		}
		goal := math.Ldexp(1e5, rng.IntN(2)*rng.IntN(900)) // no schedule of these instances costs as much
		n := rigid(t, rng, true)
		clusters := len(n.in.Clusters())
		limits := times.limits()
		by := proof.Argument{TimePrices: &proof.TimePrices{Limits: limits, Clusters: prices.ofTime(clusters, len(limits)-1)}}
		for _, metric := range []string{"mean_response", "over_deadline"} {
			r := verdict(t.Context(), n.in, claim(n.in, metric, goal, 0, &by))
			if seen[metric+" "+kind(r)]++; r.Verdict != proof.Refuted && !roundedLimits(r) {
				t.Fatalf("%s ≥ %v: %v\n%+v\n%s", metric, goal, r, by.TimePrices, written(n.in))
			}
		}
		counts := &proof.Counts{Limits: limits}
		for range 2 {
			counts.Prices = append(counts.Prices, proof.JobPrices{Jobs: prices.numbers(len(n.specs)), Clusters: prices.ofTime(clusters, len(limits)-1)})
		}
		n.grow(rng, counts)
		r := verdict(t.Context(), n.in, claim(n.in, "mcp", goal, 0, &proof.Argument{Counts: counts}))
		if seen["mcp "+kind(r)]++; r.Verdict != proof.Refuted && !roundedLimits(r) {
			t.Fatalf("mcp ≥ %v: %v\n%+v\n%s", goal, r, *counts, written(n.in))
		}
		s := batch(t, rng)
		if len(s.all) == 0 {
			continue
		}
		levels := &proof.Levels{}
		for range 2 {
			levels.Prices = append(levels.Prices, prices.numbers(len(s.in.Jobs())))
		}
		for range rng.IntN(3) {
			levels.Root = append(levels.Root, rng.IntN(2))
		}
		s.grow(rng, levels)
		for k := range levels.Nodes {
			for i := range levels.Nodes[k].Loads {
				levels.Nodes[k].Loads[i].Places = prices.numbers(len(s.class))
			}
		}
		goal = math.Ldexp(1.001*s.least()+1e-6, rng.IntN(2)*rng.IntN(900))
		r = verdict(t.Context(), s.in, claim(s.in, "qos_penalty", goal, 0, &proof.Argument{Levels: levels}))
		if seen["qos_penalty "+kind(r)]++; r.Verdict != proof.Refuted {
			t.Fatalf("qos_penalty ≥ %v: %v\n%+v\n%s", goal, r, *levels, written(s.in))
		}
	}
	for _, of := range []string{"mean_response proves", "over_deadline proves", "mcp something", "qos_penalty the"} {
		if seen[of] < race.Enough(200) {
			t.Errorf("%s: the test says little: %v", of, seen)
		}
	}
}

// kind is the first word of the reason.
func kind(r proof.Report) string { return strings.Fields(r.Reason + " none")[0] }

// roundedLimits says that two limits are the same on the grid, so that the checker does not cover them, or that it is too coarse for the prices.
func roundedLimits(r proof.Report) bool {
	return r.Verdict == proof.NotCertified && r.Reason == "limits that rounding does not tell apart are not covered" || tooCoarse(r)
}

// tooCoarse says that the grid cannot tell whether the bound is proved.
func tooCoarse(r proof.Report) bool {
	return r.Verdict == proof.NotCertified && strings.Contains(r.Reason, "the grid of times is too coarse at such prices")
}

// Many processors and jobs, dear jobs, times and deadlines far from the limits: all sums keep their room.
func TestSumsHaveRoom(t *testing.T) {
	const n = 256
	in := crowd(t, 1, n, n) // each of the jobs runs for 1, all at once
	limits := []float64{0, 1}
	full := []proof.ClusterPrices{{Processor: []float64{1.0 / n}}} // prices are of a mean; to wait costs as much
	proves := func(name string, in *model.Instance, metric string, value float64, by proof.Argument) {
		t.Helper()
		for factor, want := range map[float64]proof.Verdict{1 - 1e-6: proof.Verified, 1 + 1e-6: proof.Refuted} {
			if r := verdict(t.Context(), in, claim(in, metric, value*factor, 0, &by)); r.Verdict != want && !(factor > 1 && name == "apart" && tooCoarse(r)) {
				t.Errorf("%s: %s ≥ %v: %v", name, metric, value*factor, r)
			}
		}
	}
	proves("many", in, "mean_response", 1, proof.Argument{TimePrices: &proof.TimePrices{Limits: limits, Clusters: full}})
	for _, u := range []float64{0, 1000, -1000} {
		prices := proof.JobPrices{Clusters: []proof.ClusterPrices{{Processor: []float64{(n + 1.0) / n}}}}
		for range n {
			prices.Jobs = append(prices.Jobs, u)
		}
		proves("dear", in, "mcp", 1.0/3, proof.Argument{Counts: &proof.Counts{Limits: limits, Prices: []proof.JobPrices{prices}, Nodes: []proof.Node{{Prices: []int{0}}}}})
	}
	const some = 100 // no power of two, so that sums that overflow do not cancel
	for _, u := range []float64{300, 1000, 2000, 3000, -3000, 10000} {
		prices := proof.JobPrices{Clusters: []proof.ClusterPrices{{Processor: []float64{(some + 1.0) / some}}}}
		for j := range some {
			prices.Jobs = append(prices.Jobs, u+float64(j)/7)
		}
		proves("many that are dear", crowd(t, 1, some, some), "mcp", 1.0/3, proof.Argument{Counts: &proof.Counts{Limits: limits, Prices: []proof.JobPrices{prices}, Nodes: []proof.Node{{Prices: []int{0}}}}})
	}
	served := model.NewBuilder("served").Minimise("qos_penalty", 1)
	served.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Queue: &model.QueueSpec{ServiceRate: 2 * some, ArrivalVariance: new(0.0), ServiceVariance: new(0.0)}}}})
	for k := range some {
		late := job(string(rune('A'+k)), 1, 4) // all are on the same machine, which nobody waits for: each exceeds its deadline by 3 times
		late.Deadline = new(1.0)
		served.Job(late)
	}
	served.Spec().Queueing = &model.QueueingSpec{Rate: some, Period: 1}
	for _, u := range []float64{0, 1000, -1000, 1e6, -3e6} {
		prices := make([]float64, some)
		for j := range prices {
			prices[j] = u + float64(j)/7
		}
		proves("many that are dear", built(t, served), "qos_penalty", 3*some, proof.Argument{Levels: &proof.Levels{Prices: [][]float64{prices}, Nodes: []proof.Node{{Prices: []int{0}}}}})
	}
	one := func(arrival, deadline float64) *model.Instance {
		late := job("a", 1, 1)
		late.Arrival, late.Deadline = arrival, &deadline
		return built(t, model.NewBuilder("one").Cluster(cluster("c", 1, 1)).Job(late))
	}
	by := proof.Argument{TimePrices: &proof.TimePrices{Limits: limits, Clusters: []proof.ClusterPrices{{Processor: []float64{0}}}}}
	proves("long ago", one(1e12, 0), "over_deadline", 1e12+1, by)
	apart := built(t, model.NewBuilder("apart").Cluster(cluster("c", 1, 1)).Job(job("a", 1, 1), model.JobSpec{ID: "b", Arrival: 1e12, Processors: model.Rigid(1), Work: new(1.0)}))
	proves("apart", apart, "mean_response", 1, by)
	cheap := crowd(t, 1, 1, 1)
	proves("cheap", cheap, "mean_response", 1, proof.Argument{TimePrices: &proof.TimePrices{Limits: limits, Clusters: []proof.ClusterPrices{{Processor: []float64{1e-12}}}}})
	for exponent := range 60 {
		in := one(0, math.Ldexp(1, exponent))
		if r := verdict(t.Context(), in, claim(in, "over_deadline", 0.5, 0, &by)); r.Verdict != proof.Refuted {
			t.Errorf("a deadline at 2^%d: %v", exponent, r)
		}
	}
	// Prices so high that a unit of them is 4: the end of a job, which counts 1, is rounded down to nothing and not up. It takes a moment to pay them, so that
	// they take little away.
	const crowded = 1 << 12
	dear := proof.Argument{TimePrices: &proof.TimePrices{Limits: []float64{0, 0x1p-48}, Clusters: []proof.ClusterPrices{{Processor: []float64{0x1p35}}}}}
	in = crowd(t, 1, crowded, crowded)
	if r := verdict(t.Context(), in, claim(in, "mean_response", 2, 0, &dear)); !tooCoarse(r) {
		t.Errorf("jobs of 1: %v", r)
	}
	pair := built(t, model.NewBuilder("pair").Cluster(cluster("c", 1, 1)).Job(job("a", 1, 1), job("b", 1, 1)))
	for exponent := -80; exponent < 100; exponent++ {
		for _, u := range []float64{-0x1p20, 0x1p20} {
			prices := proof.JobPrices{Jobs: []float64{u, u}, Clusters: []proof.ClusterPrices{{Processor: []float64{0}}}}
			goal := math.Ldexp(1-0x1p-9, exponent)
			by := proof.Argument{Counts: &proof.Counts{Limits: limits, Prices: []proof.JobPrices{prices}, Nodes: []proof.Node{{Prices: []int{0}}}}}
			if r := verdict(t.Context(), pair, claim(pair, "mcp", goal, 0, &by)); r.Verdict != proof.Refuted && goal > 2 {
				t.Errorf("a bound of %v: %v", goal, r)
			}
		}
	}
}
