package proof_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/proof"
)

// This file decides what trees of boxes of counts prove in the plainest way: by all numbers of jobs and all buckets, one by one.

// weights are those of a cluster, divided by their sum: over deadlines, makespan, idle time.
func (n *naive) weights(c int) (over, makespan, idle float64) {
	w := n.in.Clusters()[c].Weights
	if sum := w.OverDeadline + w.Makespan + w.IdleTime; sum > 0 {
		return w.OverDeadline / sum, w.Makespan / sum, w.IdleTime / sum
	}
	return 0, 0, 0
}

// divided are the prices of time, divided by the sum of the weights as these are.
func (n *naive) divided(p proof.ClusterPrices, c int) proof.ClusterPrices {
	w := n.in.Clusters()[c].Weights
	by := w.OverDeadline + w.Makespan + w.IdleTime
	if by == 0 {
		by = math.Inf(1)
	}
	var scaled proof.ClusterPrices
	for _, price := range p.Processor {
		scaled.Processor = append(scaled.Processor, price/by)
	}
	for _, s := range p.Sizes {
		scaled.Sizes = append(scaled.Sizes, proof.SizePrice{Size: s.Size, Price: s.Price / by})
	}
	return scaled
}

// choice is a number of jobs and a bucket of the makespan of a cluster.
type choice struct{ jobs, bucket int }

// g is what a cluster costs at the choice, as in docs/proofs.md; +Inf: it cannot have so many.
func (n *naive) g(limits []float64, prices *proof.JobPrices, c int, at choice) float64 {
	if at.jobs == 0 {
		return 0
	}
	key := gKey{prices, c, at}
	if _, known := n.costs[key]; !known {
		if n.costs == nil {
			n.costs = map[gKey]float64{}
		}
		n.costs[key] = n.computed(limits, prices, c, at)
	}
	return n.costs[key]
}

// gKey is what g depends on.
type gKey struct {
	prices *proof.JobPrices
	c      int
	at     choice
}

func (n *naive) computed(limits []float64, prices *proof.JobPrices, c int, at choice) (cost float64) {
	over, makespan, idle := n.weights(c)
	ofTime := n.divided(prices.Clusters[c], c)
	m := float64(n.in.Clusters()[c].Processors)
	height := func(limit float64) float64 {
		return (makespan+idle*m)*limit - n.most(limits, &ofTime, c, limit)
	}
	by, h := math.Inf(1), height(limits[at.bucket-1])
	if at.bucket < len(limits) {
		by = limits[at.bucket]
		h = min(h, height(by))
	}
	p := float64(len(n.specs))
	var values []float64
	for j := range n.specs {
		x := n.cheapest(limits, &ofTime, j, c, by, (makespan+idle*m)/m, func(end, held float64) float64 {
			return over*max(0, end+n.first-n.in.Jobs()[j].Deadline) - idle*held
		})
		if !math.IsInf(x, 1) {
			values = append(values, float64(at.jobs)*x-p*prices.Jobs[j])
		}
	}
	if len(values) < at.jobs {
		return math.Inf(1)
	}
	sum := float64(at.jobs) * h
	defer func() {
		if prices.Sets != nil {
			for _, f := range prices.Sets[c] {
				if f.Jobs == at.jobs {
					cost = max(cost, p*f.Least)
				}
			}
		}
	}()
	for range at.jobs { // the least ones
		k := 0
		for i, v := range values {
			if v < values[k] {
				k = i
			}
		}
		sum += values[k]
		values = append(values[:k:k], values[k+1:]...)
	}
	return sum
}

// leaf is the least cost, by the prices, of all choices of a box: the number of jobs of each cluster, of all together, and its bucket.
func (n *naive) leaf(limits []float64, prices *proof.JobPrices, holds func(c int, at choice) bool) float64 {
	sum := 0.0
	for _, u := range prices.Jobs {
		sum += u * float64(len(n.specs))
	}
	best := make([]float64, len(n.specs)+1) // by number of jobs of the clusters so far
	for k := range best {
		best[k] = math.Inf(1)
	}
	best[0] = 0
	for c := range n.in.Clusters() {
		next := make([]float64, len(best))
		for k := range next {
			next[k] = math.Inf(1)
			for jobs := range k + 1 {
				for bucket := 1; bucket <= len(limits); bucket++ {
					if at := (choice{jobs, bucket}); holds(c, at) {
						next[k] = min(next[k], best[k-jobs]+n.g(limits, prices, c, at))
					}
				}
			}
		}
		best = next
	}
	return (sum + best[len(best)-1]) / float64(len(n.specs))
}

// part limits the jobs and the buckets of a cluster.
type part struct{ least, most, low, high int }

// narrower is what the prices leave of a box; nil: nothing. It takes numbers of jobs off both ends, and then buckets, as long as they cost at least the goal
// together with each choice of the other clusters.
func (n *naive) narrower(limits []float64, prices *proof.JobPrices, list []part, goal float64) []part {
	inside := func(b part, at choice) bool {
		return b.least <= at.jobs && at.jobs <= b.most && (at.jobs == 0 || b.low <= at.bucket && at.bucket <= b.high)
	}
	with := func(c int, only func(at choice) bool) float64 { // the least cost if the cluster chooses so
		return n.leaf(limits, prices, func(other int, at choice) bool { return inside(list[other], at) && (other != c || only(at)) })
	}
	if with(-1, nil) >= goal {
		return nil
	}
	left := slices.Clone(list)
	for c := range left {
		b := &left[c]
		jobs := func(n int) bool { return with(c, func(at choice) bool { return at.jobs == n }) >= goal }
		for b.least <= b.most && jobs(b.least) {
			b.least++
		}
		for b.least <= b.most && jobs(b.most) {
			b.most--
		}
		bucket := func(k int) bool {
			return with(c, func(at choice) bool { return at.jobs > 0 && b.least <= at.jobs && at.jobs <= b.most && at.bucket == k }) >= goal
		}
		for b.low < b.high && bucket(b.low) {
			b.low++
		}
		for b.low < b.high && bucket(b.high) {
			b.high--
		}
	}
	return left
}

// provesTree says whether the tree of counts proves the goal.
func (n *naive) provesTree(a *proof.Counts, goal float64) bool {
	var closed func(node int, list []part) bool
	closed = func(node int, list []part) bool {
		at := &a.Nodes[node]
		for _, p := range at.Prices {
			if list = n.narrower(a.Limits, &a.Prices[p], list, goal); list == nil {
				return true
			}
		}
		s := at.Split
		if s == nil {
			return false
		}
		low, high := slices.Clone(list), slices.Clone(list)
		if s.What == "jobs" {
			low[s.Of].most, high[s.Of].least = min(low[s.Of].most, s.At), max(high[s.Of].least, s.At+1)
		} else {
			low[s.Of].high, high[s.Of].low = min(low[s.Of].high, s.At), max(high[s.Of].low, s.At+1)
		}
		return (!n.possible(low) || closed(s.Low, low)) && (!n.possible(high) || closed(s.High, high))
	}
	root := make([]part, len(n.in.Clusters()))
	for c := range root {
		root[c] = part{0, len(n.specs), 1, len(a.Limits)}
	}
	return closed(0, root)
}

// possible says that some numbers of jobs of the box add up to all. A cluster without a bucket has none.
func (n *naive) possible(list []part) bool {
	least, most := 0, 0
	for c := range list {
		if list[c].low > list[c].high {
			list[c] = part{list[c].least, 0, 1, 1}
		}
		if list[c].least > list[c].most {
			return false
		}
		least, most = least+list[c].least, most+list[c].most
	}
	return least <= len(n.specs) && len(n.specs) <= most
}

// A tree of boxes of counts proves what its prices leave, one after the other.
func TestCountsProveWhatTheyShould(t *testing.T) {
	race.OneGoroutine(t)
	rng, seen := rand.New(rand.NewPCG(3, 7)), tally{}
	for range race.Fewer(1000, 150) {
		n := rigid(t, rng, true)
		past := make([]float64, len(n.in.Clusters()))
		for c := range past {
			w := n.in.Clusters()[c].Weights
			past[c] = w.Makespan/float64(n.in.Clusters()[c].Processors) + w.IdleTime
		}
		counts := &proof.Counts{}
		var clusters []proof.ClusterPrices
		counts.Limits, clusters = n.priced(rng, past)
		for range 1 + rng.IntN(3) {
			prices := proof.JobPrices{Clusters: clusters}
			for range n.specs {
				prices.Jobs = append(prices.Jobs, float64(rng.IntN(9)-2)/4)
			}
			if k := len(counts.Prices); k > 0 && rng.IntN(4) > 0 { // lists that prove about as much, so that what one takes off the box matters
				prices = proof.JobPrices{Jobs: slices.Clone(counts.Prices[k-1].Jobs), Clusters: counts.Prices[k-1].Clusters}
				for range 1 + rng.IntN(2) {
					prices.Jobs[rng.IntN(len(prices.Jobs))] += float64(rng.IntN(5)-2) / 4
				}
			}
			counts.Prices = append(counts.Prices, prices)
			_, clusters = n.priced(rng, past)
			for c := range clusters {
				for len(clusters[c].Processor) < len(counts.Limits)-1 {
					clusters[c].Processor = append(clusters[c].Processor, past[c])
				}
				clusters[c].Processor = clusters[c].Processor[:len(counts.Limits)-1]
			}
		}
		n.grow(rng, counts)
		says := func(kind string, goal float64) {
			want := proof.Refuted
			if n.provesTree(counts, goal) {
				want = proof.Verified
			}
			n.says(t, seen, kind, "mcp", goal, want, proof.Argument{Counts: counts})
		}
		for _, goal := range around(func(goal float64) bool { return n.provesTree(counts, goal) }) {
			says(fmt.Sprint("counts of ", len(counts.Nodes)), goal)
		}
		n.narrows(t, rng, counts, seen)
		for range 12 * n.exact() { // what a choice costs is as much as the bound of just that
			c, own := rng.IntN(len(n.in.Clusters())), choice{rng.IntN(len(n.specs) + 1), 1 + rng.IntN(len(counts.Limits))}
			prices := &counts.Prices[rng.IntN(len(counts.Prices))]
			if goal := n.leaf(counts.Limits, prices, func(other int, at choice) bool { return other != c || at == own }); goal > 1e-3 && goal < 1e3 {
				says("exactly", goal)
			}
		}
	}
	for _, kind := range []string{"counts of 1 verified", "counts of 1 refuted", "counts of 3 verified", "counts of 3 refuted", "counts of 5 verified", "counts of 5 refuted",
		"exactly verified", "exactly refuted", "narrowed", "narrowed to nothing", "narrowed exactly"} {
		if seen[kind] < race.Fewer(20, 2) {
			t.Errorf("%s: the test says little: %v", kind, seen)
		}
	}
}

// narrows compares what prices leave of a box, at a bound that the costs of some choices reach exactly where nothing is rounded.
func (n *naive) narrows(t *testing.T, rng *rand.Rand, counts *proof.Counts, seen tally) {
	clusters, jobs, buckets := len(n.in.Clusters()), len(n.specs), len(counts.Limits)
	for range 6 {
		k := rng.IntN(len(counts.Prices))
		c, own := rng.IntN(clusters), choice{rng.IntN(jobs + 1), 1 + rng.IntN(buckets)}
		goal := n.leaf(counts.Limits, &counts.Prices[k], func(other int, at choice) bool { return other != c || at == own })
		if !(goal > 1e-3 && goal < 1e3) {
			continue
		}
		if n.exact() == 0 {
			goal *= 1 + 1e-6
		}
		tree, err := proof.NewCountTree(t.Context(), n.in, counts, goal)
		if err != nil {
			t.Fatal(err)
		}
		list, box := make([]part, clusters), make([][4]int, clusters)
		for c := range list {
			list[c] = part{rng.IntN(2) * rng.IntN(jobs), jobs, 1, buckets}
			if rng.IntN(4) == 0 {
				list[c].most = list[c].least + rng.IntN(jobs-list[c].least+1)
				list[c].low = 1 + rng.IntN(buckets)
				list[c].high = list[c].low + rng.IntN(buckets-list[c].low+1)
			}
			box[c] = [4]int{list[c].least, list[c].most, list[c].low, list[c].high}
		}
		found, err := tree.Narrow(k, box)
		if err != nil {
			t.Fatal(err)
		}
		want := n.narrower(counts.Limits, &counts.Prices[k], list, goal)
		same := (found == nil) == (want == nil)
		for c := range found {
			same = same && found[c] == [4]int{want[c].least, want[c].most, want[c].low, want[c].high}
		}
		if !same {
			t.Fatalf("%v is narrowed to %v, expected %v: mcp ≥ %v by\n%+v\n%s", box, found, want, goal, counts.Prices[k], written(n.in))
		}
		kind := "narrowed"
		switch {
		case found == nil:
			kind = "narrowed to nothing"
		case n.exact() == 1:
			kind = "narrowed exactly"
		}
		seen[kind]++
	}
}

// A split leaves in each part the numbers of jobs that some choice of the other clusters completes.
func TestSplitsOfCounts(t *testing.T) {
	rng, empty := rand.New(rand.NewPCG(5, 7)), 0
	for range 300 {
		const jobs, buckets = 4, 3
		in := crowd(t, 3, 1, jobs)
		tree, err := proof.NewCountTree(t.Context(), in, &proof.Counts{Limits: []float64{0, 1, 2}}, 1)
		if err != nil {
			t.Fatal(err)
		}
		box := make([][4]int, 3)
		for c := range box {
			least, low := rng.IntN(3)*rng.IntN(2), 1+rng.IntN(buckets)
			box[c] = [4]int{least, least + rng.IntN(jobs-least+1), low, low + rng.IntN(buckets-low+1)}
		}
		s := &proof.Split{Of: rng.IntN(3), What: []string{"jobs", "bucket"}[rng.IntN(2)], At: rng.IntN(jobs + 1)}
		low, high, err := tree.Split(s, box)
		if err != nil {
			t.Fatal(err)
		}
		for k, part := range [][][4]int{low, high} {
			limits := slices.Clone(box)
			if b := &limits[s.Of]; s.What == "jobs" && k == 0 {
				b[1] = min(b[1], s.At)
			} else if s.What == "jobs" {
				b[0] = max(b[0], s.At+1)
			} else if k == 0 {
				b[3] = min(b[3], s.At)
			} else {
				b[2] = max(b[2], s.At+1)
			}
			if b := &limits[s.Of]; b[2] > b[3] {
				*b = [4]int{b[0], 0, 1, buckets}
			}
			want := [][4]int{}
			for c := range limits {
				b := [4]int{jobs + 1, -1, limits[c][2], limits[c][3]}
				for own := limits[c][0]; own <= limits[c][1]; own++ {
					d, e := limits[(c+1)%3], limits[(c+2)%3]
					for other := d[0]; other <= d[1]; other++ {
						if rest := jobs - own - other; e[0] <= rest && rest <= e[1] {
							b[0], b[1] = min(b[0], own), max(b[1], own)
						}
					}
				}
				if b[1] >= 0 {
					want = append(want, b)
				}
			}
			if len(want) < 3 {
				want = nil
				empty++
			}
			if !slices.Equal(part, want) {
				t.Fatalf("%v split by %+v: part %d is %v, expected %v", box, *s, k, part, want)
			}
		}
	}
	if empty < 50 || empty > 550 {
		t.Errorf("%d parts are empty: the test says little", empty)
	}
}

// exact is 1 where all costs are multiples of a power of two, so that nothing is rounded, and 0 elsewhere.
func (n *naive) exact() int {
	whole := func(x float64) bool { return x == 0 || x == 1 || x == 2 || x == 4 || x == 8 }
	for c := range n.in.Clusters() {
		if w := n.in.Clusters()[c].Weights; !whole(w.OverDeadline+w.Makespan+w.IdleTime) || !whole(float64(n.in.Clusters()[c].Processors)) {
			return 0
		}
	}
	if !whole(float64(len(n.specs))) {
		return 0
	}
	return 1
}

// around are two goals, one that is just proved and one that is just not; none where everything up to 1000 is proved, or nothing. Rounding decides neither.
func around(proves func(goal float64) bool) []float64 {
	low, high := 1e-3, 1e3
	if !proves(low) || proves(high) {
		return nil
	}
	for range 40 {
		if middle := math.Sqrt(low * high); proves(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	const gap = 1e-7
	if low, high = low*(1-gap), high*(1+gap); !proves(low*(1-gap)) || !proves(low) || proves(high) || proves(high*(1+gap)) {
		return nil
	}
	return []float64{low, high}
}

// A single list of prices proves exactly its value.
func TestCountsProveTheirValue(t *testing.T) {
	rng, seen := rand.New(rand.NewPCG(6, 7)), tally{}
	for range race.Fewer(300, 60) {
		n := rigid(t, rng, true)
		counts := &proof.Counts{Nodes: []proof.Node{{Prices: []int{0}}}}
		var prices proof.JobPrices
		counts.Limits, prices.Clusters = n.priced(rng, nil)
		for range n.specs {
			prices.Jobs = append(prices.Jobs, float64(rng.IntN(9)-2)/4)
		}
		counts.Prices = []proof.JobPrices{prices}
		if value := n.leaf(counts.Limits, &prices, func(int, choice) bool { return true }); value > 1e-6 && value < 1e9 {
			n.proves(t, seen, "value", "mcp", value, proof.Argument{Counts: counts})
		}
	}
	if seen["value"] < race.Fewer(50, 8) {
		t.Errorf("%v: the test says little", seen)
	}
}

// grow adds a tree of up to three leaves. Each node has up to two lists of prices; one without any is closed only where its box holds nothing.
func (n *naive) grow(rng *rand.Rand, counts *proof.Counts) {
	prices := func() []int {
		return []int{rng.IntN(len(counts.Prices)), rng.IntN(len(counts.Prices))}[:min(2, rng.IntN(5))]
	}
	counts.Nodes = []proof.Node{{Prices: prices()}}
	for node := 0; node < len(counts.Nodes) && len(counts.Nodes) < 5; node++ {
		if rng.IntN(2) == 0 {
			counts.Nodes[node].Split = &proof.Split{Of: rng.IntN(len(n.in.Clusters())), What: []string{"jobs", "bucket"}[rng.IntN(2)], Low: len(counts.Nodes), High: len(counts.Nodes) + 1,
				At: rng.IntN(len(counts.Limits) + 1)}
			counts.Nodes = append(counts.Nodes, proof.Node{Prices: prices()}, proof.Node{Prices: prices()})
		}
	}
}
