package bound

import (
	"container/heap"
	"context"
	"math"
)

var _ = Register(Method{Name: "priced-counts", Metric: "mcp",
	Doc:    "prices of jobs and of processor time that changes with time, by the numbers of jobs of the clusters; branch-and-bound on those and on the makespans",
	Source: "allot; the relaxation after A. M. Geoffrion (1974), Math. Programming Study 2, doi:10.1007/BFb0120690",
	New:    func(r *Relaxation, proved *Gate) Prover { return &countsProver{r: r, proved: proved} }})

// countsProver improves the bound of [counts] by a bundle method in boxes of counts and levels of makespans, the box of the least
// bound first.
type countsProver struct {
	r       *Relaxation
	proved  *Gate
	started bool
	credit  int64 // work that may be done
	counts  *counts
	bundle  bundle
	open    countHeap
	node    *countNode // at work; nil: the next is to be taken
	enough  float64    // gain, as part of the value, that is worth another evaluation
	fresh   bool       // the node's prices have not been tried in its box
	left    int        // evaluations that the node may still take
	next    []float64
	floors  [][]float64 // see bundle
	made    int         // nodes
	most    float64     // that a schedule worth looking for costs at most
}

// countNode is a box with what is proved of it and the prices and cuts to go on from.
type countNode struct {
	box   []countBox
	value float64
	x     []float64
	cuts  []*cut
	step  float64
	id    int
	tries int // times that it was at work without being split
}

// Limits of the branch-and-bound: evaluations at the root and in a node, the gain at the root, as part of the value, that is worth
// another, nodes, clusters.
const (
	countRoot     = 1000
	countSteps    = 10
	countGain     = 4e-4
	countNodes    = 50_000
	countClusters = 100
)

// Limit implements [Limited]; before the first work there is nothing to limit.
func (p *countsProver) Limit(value float64) {
	if p.started {
		p.most = min(p.most, value)
	}
}

// Improve implements [Prover].
func (p *countsProver) Improve(ctx context.Context, work int64) bool {
	if !p.started {
		p.start(ctx)
		p.started = true
	}
	p.credit += work
	for p.counts != nil && p.credit > 0 {
		if p.node == nil && !p.take() || !p.step(ctx) {
			return ctx.Err() != nil
		}
	}
	return p.counts != nil
}

// start prepares the root; there is none where the instance is not of the kind, or jobs may be left out.
func (p *countsProver) start(ctx context.Context) {
	r := p.r
	if !r.all || len(r.must) == 0 {
		return
	}
	limits := r.bucketLimits(ctx)
	if limits == nil {
		return
	}
	n := float64(len(r.must))
	var weights []pricedWeights
	var past, unit, height []float64
	for c := range r.in.Clusters() {
		w, m := r.in.Clusters()[c].Weights, float64(r.in.Clusters()[c].Processors)
		weights = append(weights, pricedWeights{over: w.OverDeadline, busy: w.IdleTime})
		past = append(past, w.IdleTime+w.Makespan/m)
		height = append(height, w.Makespan+w.IdleTime*m)
		if w.Sum() > 0 {
			unit = append(unit, 1/(n*w.Sum()))
		} else {
			unit = append(unit, 0)
		}
	}
	priced := newPriced(r, limits, weights, past)
	if priced == nil {
		return
	}
	p.counts = newCounts(priced, unit, height)
	root := &countNode{value: math.Inf(-1)}
	for range r.in.Clusters() {
		root.box = append(root.box, countBox{0, int32(len(r.must)), 1, int32(p.counts.levels)})
	}
	if p.counts.work(root.box) > 1_000_000_000 || len(root.box) > countClusters {
		p.counts = nil
		return
	}
	p.most = r.mostMCP()
	root.x = p.firstPrices(ctx, past)
	p.scale(unit)
	p.next = make([]float64, p.counts.size)
	heap.Push(&p.open, root)
}

// mostMCP is what the worst of all lists costs at most, one job after another.
func (r *Relaxation) mostMCP() float64 {
	until, worst, late := 0.0, 0.0, 0.0
	for _, j := range r.must {
		longest := 0.0
		for c := range r.in.Clusters() {
			if r.in.CanRun(j, c) {
				size, _ := r.in.Width(j, c)
				longest = max(longest, r.in.DurationOn(j, c, size))
			}
		}
		until = max(until, r.start[j]) + longest
	}
	last := 0.0
	for _, j := range r.must {
		last = max(last, r.start[j])
		late = max(late, -r.Deadline(j))
	}
	until += last
	for c := range r.in.Clusters() {
		cluster := &r.in.Clusters()[c]
		if w := cluster.Weights; w.Sum() > 0 {
			m := float64(cluster.Processors)
			worst = max(worst, ((w.IdleTime*m+w.Makespan)*until+w.OverDeadline*float64(len(r.must))*(until+late))/w.Sum())
		}
	}
	return worst
}

// sum is a value at the prices x that were set last.
func (c *counts) sum(value float64, x []float64) Sum {
	s := Sum{Value: value, Terms: c.terms()}
	for _, u := range x[:c.jobs] {
		s.Size += math.Abs(u)
	}
	last := len(c.limits) - 1
	for i := range c.clusters {
		s.Size += c.unit[i] * float64(c.jobs) * (c.clusters[i].paid[last] + c.weight[i]*c.limits[last] + c.clusters[i].rounding())
	}
	return s
}

// bucketLimits are the limits of the buckets of time: few and up to the time that the area takes for many jobs, more and up to
// 1.6 times that for few, which
// take each job alone as well; nil: there is no area.
func (r *Relaxation) bucketLimits(ctx context.Context) []float64 {
	proved, ok := proveAreaDual(ctx, r)
	area := proved.Value
	if !ok || !(area > 0) || !finite(area) {
		return nil
	}
	last, longest := 0.0, 0.0
	for _, j := range r.must {
		last, longest = max(last, r.start[j]), max(longest, r.least[j])
	}
	buckets, horizon := 24, max(1.05*area, last)
	if len(r.must) <= 60 {
		buckets, horizon = 40, max(1.6*area, last+longest)
	}
	limits := make([]float64, buckets+1)
	for k := range limits {
		limits[k] = horizon * float64(k) / float64(buckets)
	}
	return limits
}

// firstPrices are those of the area levels: a processor's price is what its idle time and its part of the makespan cost, a job's
// what it adds to its cluster there.
func (p *countsProver) firstPrices(ctx context.Context, past []float64) []float64 {
	r, x := p.r, make([]float64, p.counts.size)
	for i := range p.counts.clusters {
		cluster := &p.counts.clusters[i]
		for t := range len(p.counts.limits) - 1 {
			x[cluster.rho+t] = past[i]
		}
	}
	areas, _ := r.Areas(ctx) // known, as the limits of the buckets are
	of := r.areaAssignment(ctx, areas)
	number, area := make([]float64, len(past)), make([]float64, len(past))
	for j, i := range of {
		number[i]++
		area[i] += areas[j][i]
	}
	for j, i := range of {
		rate := r.in.Clusters()[i].Weights.Makespan / float64(p.counts.clusters[i].processors) * p.counts.unit[i]
		x[j] = rate * (number[i]*areas[j][i] + area[i])
	}
	return x
}

// areaAssignment shares the jobs as the area levels do where they can, else each goes where its area is least by the processors.
func (r *Relaxation) areaAssignment(ctx context.Context, areas [][]float64) []int {
	of := make([]int, len(r.must))
	for j := range of {
		for i := range areas[j] {
			if areas[j][i]/float64(r.in.Clusters()[i].Processors) < areas[j][of[j]]/float64(r.in.Clusters()[of[j]].Processors) {
				of[j] = i
			}
		}
	}
	if len(r.in.Clusters()) > 12 {
		return of
	}
	order, sums, factor, ok := r.proportionalAreas(ctx)
	if !ok {
		return of
	}
	r.levelFactors(factor)
	_, blocks, ok := cheapestBlocks(ctx, sums, factor)
	if !ok {
		return of
	}
	for i, b := range blocks {
		for _, j := range order[b[0]:b[1]] {
			if !math.IsInf(areas[j][i], 1) {
				of[j] = i
			}
		}
	}
	return of
}

// scale says how far the prices may go, by what a unit of each changes.
func (p *countsProver) scale(unit []float64) {
	c := p.counts
	p.bundle.scale = make([]float64, c.size)
	for j := range c.jobs {
		p.bundle.scale[j] = 1
	}
	p.bundle.groups, p.bundle.most = len(c.clusters), max(3*len(c.clusters), min(400, bundleCuts*len(c.clusters)))
	p.bundle.base = make([]float64, c.size)
	for j := range c.jobs {
		p.bundle.base[j] = 1
	}
	p.bundle.base[c.size-1] = float64(c.jobs)
	p.bundle.scale[c.size-1] = 0.1
	p.floors = table[float64](len(c.clusters), c.jobs+1)
	p.bundle.floor = func(at *cut, x []float64) float64 {
		return p.floors[at.group][at.pick.n] - float64(at.pick.n)*x[c.size-1]
	}
	buckets := len(c.limits) - 1
	length := c.limits[buckets] / float64(buckets)
	for i := range c.clusters {
		q := unit[i] * float64(c.jobs) / float64(len(c.clusters)) // at an even share of the jobs
		if q == 0 {
			continue
		}
		rho := q * float64(c.clusters[i].processors) * length
		theta := q * length * float64(buckets)
		for t := range buckets {
			p.bundle.scale[c.clusters[i].rho+t] = 2 / (rho * rho)
		}
		for kind := range c.clusters[i].sizes {
			p.bundle.scale[c.clusters[i].theta+kind] = 0.005 / (theta * theta)
		}
	}
}

// take starts on the open node of the least bound; false: there is none.
func (p *countsProver) take() bool {
	if len(p.open) == 0 || p.made > countNodes {
		return false
	}
	p.node = heap.Pop(&p.open).(*countNode)
	p.fresh, p.left, p.enough = true, countSteps, 1e-5
	if p.node.id == 0 {
		p.left, p.enough = countRoot, countGain
	}
	return true
}

// step evaluates the node at work once and branches when that is enough; false: ctx ended, or nothing is left to do.
func (p *countsProver) step(ctx context.Context) bool {
	node, x := p.node, p.next
	p.credit -= p.counts.work(node.box)
	gain := math.Inf(1)
	if p.fresh {
		copy(x, node.x)
	} else {
		gain = p.bundle.next(x)
	}
	close := 1e-4 * math.Abs(p.bundle.value)
	if !math.IsInf(gain, 0) {
		close = max(0.2*close, min(10*close, 0.1*gain))
	}
	value, at, ok := p.counts.evaluate(ctx, node.box, x, close)
	if !ok && ctx.Err() != nil {
		return false
	}
	rounding, exact := 0.0, ok
	if ok {
		sum := p.r.Chained(p.counts.sum(value, x))
		rounding = sum.margin()
		exact = rounding < 1e-6*p.most && !math.IsNaN(value) // else the prices are too far away for the digits there are
		value -= rounding
	}
	looked := p.fresh || p.left == countSteps/2
	if exact && (value > p.most || looked && !p.cutOff(node.box, x, rounding)) { // no schedule worth looking for is in the box
		p.node = nil
		p.settle()
		return len(p.open) > 0
	}
	switch {
	case !exact || math.IsInf(value, 0):
		if p.fresh { // those it would go on from
			p.counts = nil
			return false
		}
		p.bundle.step, p.bundle.rich, p.bundle.poor = p.bundle.step/4, 0, 0
		value = math.Inf(-1)
	case p.fresh:
		p.keepFloors()
		p.bundle.restart(x, value, append(node.cuts, at...), node.step)
		p.fresh = false
	default:
		if p.bundle.moves(value) {
			p.keepFloors()
		}
		p.bundle.add(x, value, at...)
	}
	node.value = max(node.value, value)
	if p.left--; p.left <= 0 || gain < p.enough*math.Abs(p.bundle.value) {
		p.branch()
	}
	p.settle()
	return true
}

// keepFloors keeps what the clusters cost at least at the prices that become the centre, by number of jobs.
func (p *countsProver) keepFloors() {
	for i := range p.floors {
		copy(p.floors[i], p.counts.g[i])
	}
}

// settle takes over what is proved of all boxes that are left.
func (p *countsProver) settle() {
	least := math.Inf(1)
	if p.node != nil {
		least = p.node.value
	}
	if len(p.open) > 0 {
		least = min(least, p.open[0].value)
	}
	if least = min(least, p.most); !math.IsInf(least, -1) { // that is the root, not looked at yet
		p.proved.Prove(p.r.Chained(Sum{Value: least})) // rounded already
	}
}

// countHeap holds the open nodes, the least bound first, the older of equals.
type countHeap []*countNode

func (h countHeap) Len() int { return len(h) }
func (h countHeap) Less(a, b int) bool {
	return h[a].value < h[b].value || h[a].value == h[b].value && h[a].id < h[b].id
}
func (h countHeap) Swap(a, b int) { h[a], h[b] = h[b], h[a] }

// Push implements [heap.Interface].
func (h *countHeap) Push(x any) { *h = append(*h, x.(*countNode)) }

// Pop implements [heap.Interface].
func (h *countHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
