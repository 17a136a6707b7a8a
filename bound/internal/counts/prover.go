package counts

import (
	"context"
	"math"

	"github.com/allot-opt/allot/bound/internal/bundle"
	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/priced"
	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
)

// Prover raises the bound of [Relaxation] by branch-and-bound. A box limits the numbers of jobs and the levels. In each box a
// bundle method looks for good prices. The box of the least bound comes first.
type Prover struct {
	prepare func(ctx context.Context) *Problem // returns nil if the instance is not of the kind
	problem *Problem
	proved  *gate.Gate
	started bool
	credit  int64 // work that was given and is not spent yet
	counts  *Relaxation
	bundle  bundle.Bundle
	open    queue.Heap[*boxNode]
	node    *boxNode // the current node; nil: take the next
	enough  float64  // least relative gain that is worth another evaluation
	fresh   bool     // the prices of the node have not been tried in its box
	left    int      // evaluations left for the node
	next    []float64
	floors  [][]float64 // by cluster and number of jobs: least cost at the centre of the bundle
	made    int         // nodes made
	trace   *trace      // what the certificate needs; nil: none is asked for
	most    float64     // schedules that cost more than this do not matter
}

// Counts is the relaxation that the prover works on. It is nil once the prover is at its end.
func (p *Prover) Counts() *Relaxation { return p.counts }

// Root is the box of all choices. It is valid only before the first work.
func (p *Prover) Root() []Box { return p.open[0].box }

// NewProver makes a prover. The prover prepares the problem when it first works, and hands its bounds to the gate proved.
func NewProver(prepare func(context.Context) *Problem, proved *gate.Gate) *Prover {
	return &Prover{prepare: prepare, proved: proved}
}

// boxNode is a box with its proved bound, and the prices and cuts to continue from.
type boxNode struct {
	box   []Box
	value float64
	x     []float64
	cuts  []*bundle.Cut
	step  float64
	id    int
	tries int // times that it could not be split

	record int       // its position in the trace
	best   []float64 // the prices that prove its value
}

// Limits of the branch-and-bound: the evaluations at the root and in every other node, the least relative gain at the root that
// is worth another evaluation, the nodes, and the clusters.
const (
	rootSteps   = 1000
	nodeSteps   = 10
	rootGain    = 2e-4
	maxNodes    = 50_000
	maxClusters = 100
)

// Limit makes the prover ignore schedules that cost more than the value, see Limited of package bound. It has no effect before
// the first work.
func (p *Prover) Limit(value float64) {
	if p.started {
		p.most = min(p.most, value)
	}
}

// Improve continues for the given work, see Prover of package bound.
func (p *Prover) Improve(ctx context.Context, work int64) bool {
	if !p.started {
		p.Start(ctx)
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

// Problem holds the facts of an instance that the method needs.
type Problem struct {
	Clusters []model.Cluster
	Priced   *priced.Problem
	Unit     []float64      // by cluster: 1/(p·W_i); 0 if W_i is 0
	Height   []float64      // by cluster: w_m + w_i·m_i
	Past     []float64      // by cluster: the price of a processor after the last bucket
	Few      []few          // by cluster; empty: nothing is known of sets of few jobs
	Depth    int            // jobs of the longest chain of precedence
	Most     func() float64 // an upper bound of the cost of a schedule worth looking for
	// Share returns the areas of the jobs by cluster and a good cluster for each job.
	Share func(ctx context.Context) (areas [][]float64, of []int)
}

// chained adds to the terms of the sum, because its numbers are themselves sums of times along chains of precedence.
func (p *Problem) chained(s gate.Sum) gate.Sum {
	s.Terms += 2 * p.Depth
	return s
}

// Start prepares the root. There is no root if the method cannot treat the instance or the instance is too large.
func (p *Prover) Start(ctx context.Context) {
	in := p.prepare(ctx)
	if in == nil {
		return
	}
	p.problem = in
	p.counts = newCounts(in.Priced, in.Unit, in.Height)
	if len(in.Few) > 0 {
		p.counts.few = newFew(in.Few, p.counts.Jobs)
	}
	root := &boxNode{value: math.Inf(-1)}
	if p.proved.Asked() {
		p.trace = newTrace(p.counts)
	}
	for range in.Clusters {
		root.box = append(root.box, Box{0, int32(p.counts.Jobs), 1, int32(p.counts.Levels)})
	}
	if p.counts.work(root.box) > 1_000_000_000 || len(root.box) > maxClusters {
		p.counts = nil
		return
	}
	p.most = in.Most()
	root.x = p.firstPrices(ctx)
	p.scale(in.Unit)
	p.next = make([]float64, p.counts.Size)
	p.open.Push(root)
}

// Sum is a value at the prices x that were set last, with the magnitudes for its rounding error.
func (c *Relaxation) Sum(value float64, x []float64) gate.Sum {
	s := gate.Sum{Value: value, Terms: c.Terms()}
	for _, u := range x[:c.Jobs] {
		s.Size += math.Abs(u)
	}
	last := len(c.Limits) - 1
	for i := range c.Clusters {
		s.Size += c.Unit[i] * float64(c.Jobs) * (c.Clusters[i].Paid[last] + c.weight[i]*c.Limits[last] + c.Clusters[i].Rounding())
	}
	return s
}

// firstPrices are the prices of the area levels. The price of a processor is the cost of its idle time and of its part of the
// makespan; the price of a job is what it adds to the cost of its cluster.
func (p *Prover) firstPrices(ctx context.Context) []float64 {
	in, x := p.problem, make([]float64, p.counts.Size)
	for i := range p.counts.Clusters {
		cluster := &p.counts.Clusters[i]
		for t := range len(p.counts.Limits) - 1 {
			x[cluster.Rho+t] = in.Past[i]
		}
	}
	areas, of := in.Share(ctx)
	number, area := make([]float64, len(in.Clusters)), make([]float64, len(in.Clusters))
	for j, i := range of {
		number[i]++
		area[i] += areas[j][i]
	}
	for j, i := range of {
		rate := in.Clusters[i].Weights.Makespan / float64(p.counts.Clusters[i].Processors) * p.counts.Unit[i]
		x[j] = rate * (number[i]*areas[j][i] + area[i])
	}
	return x
}

// scale sets how far each price may move, by the effect of one unit of it.
func (p *Prover) scale(unit []float64) {
	c := p.counts
	p.bundle.Scale = make([]float64, c.Size)
	for j := range c.Jobs {
		p.bundle.Scale[j] = 1
	}
	p.bundle.Groups, p.bundle.Most = len(c.Clusters), max(3*len(c.Clusters), min(400, bundle.MaxCuts*len(c.Clusters)))
	p.bundle.Base = make([]float64, c.Size)
	for j := range c.Jobs {
		p.bundle.Base[j] = 1
	}
	p.bundle.Base[c.Size-1] = float64(c.Jobs)
	p.bundle.Scale[c.Size-1] = 0.1
	p.floors = table[float64](len(c.Clusters), c.Jobs+1)
	p.bundle.Floor = func(at *bundle.Cut, x []float64) float64 {
		return p.floors[at.Group][at.Choice.Jobs] - float64(at.Choice.Jobs)*x[c.Size-1]
	}
	buckets := len(c.Limits) - 1
	length := c.Limits[buckets] / float64(buckets)
	for i := range c.Clusters {
		q := unit[i] * float64(c.Jobs) / float64(len(c.Clusters)) // at an even share of the jobs
		if q == 0 {
			continue
		}
		rho := q * float64(c.Clusters[i].Processors) * length
		theta := q * length * float64(buckets)
		for t := range buckets {
			p.bundle.Scale[c.Clusters[i].Rho+t] = 2 / (rho * rho)
		}
		for kind := range c.Clusters[i].Sizes {
			p.bundle.Scale[c.Clusters[i].Theta+kind] = 0.005 / (theta * theta)
		}
	}
}

// take makes the open node of the least bound the current one. It returns false if there is none.
func (p *Prover) take() bool {
	if len(p.open) == 0 || p.made > maxNodes {
		return false
	}
	p.node = p.open.Pop()
	p.fresh, p.left, p.enough = true, nodeSteps, 1e-5
	if p.node.id == 0 {
		p.left, p.enough = rootSteps, rootGain
	}
	return true
}

// step evaluates the current node once, and branches if the node has had enough evaluations. It returns false if ctx ended or
// nothing is left to do.
func (p *Prover) step(ctx context.Context) bool {
	node, x := p.node, p.next
	p.credit -= p.counts.work(node.box)
	gain := math.Inf(1)
	if p.fresh {
		copy(x, node.x)
	} else {
		gain = p.bundle.Next(x)
	}
	close := 1e-4 * math.Abs(p.bundle.Value)
	if !math.IsInf(gain, 0) {
		close = max(0.2*close, min(10*close, 0.1*gain))
	}
	p.counts.most, p.counts.useFew = p.most, node.id > 0 // the root comes to its first values as soon as without
	value, at, ok := p.counts.Evaluate(ctx, node.box, x, close)
	if !ok && ctx.Err() != nil {
		return false
	}
	if few := p.counts.few; few != nil {
		p.credit -= few.steps * fewTime
		few.steps = 0
	}
	rounding, exact := 0.0, ok
	if ok {
		sum := p.problem.chained(p.counts.Sum(value, x))
		rounding = sum.Margin()
		exact = rounding < 1e-6*p.most && !math.IsNaN(value) // otherwise the prices are too large for the digits of a float64
		value -= rounding
	}
	looked := p.fresh || p.left == nodeSteps/2
	if exact && (value > p.most || looked && !p.cutOff(node.box, x, rounding)) { // no schedule that matters is in the box
		p.trace.narrowed(node, x)
		p.trace.closed(node)
		p.node = nil
		p.settle()
		return len(p.open) > 0
	}
	switch {
	case !exact || math.IsInf(value, 0):
		if p.fresh { // the node cannot continue from its own prices
			p.counts = nil
			return false
		}
		p.bundle.Shorten()
		value = math.Inf(-1)
	case p.fresh:
		p.keepFloors()
		p.bundle.Restart(x, value, append(node.cuts, at...), node.step)
		p.fresh = false
	default:
		if p.bundle.Serious(value) {
			p.keepFloors()
		}
		p.bundle.Add(x, value, at...)
	}
	if exact && looked {
		p.trace.narrowed(node, x)
	}
	if value > node.value {
		node.value, node.best = value, p.trace.kept(x)
	}
	if p.left--; p.left <= 0 || gain < p.enough*math.Abs(p.bundle.Value) {
		p.branch()
	}
	p.settle()
	return true
}

// keepFloors keeps the least costs of the clusters, by number of jobs, at the prices that become the centre.
func (p *Prover) keepFloors() {
	for i := range p.floors {
		for n := range p.floors[i] {
			p.floors[i][n] = p.counts.value(i, n)
		}
	}
}

// settle hands over the bound that is proved for all boxes that are left.
func (p *Prover) settle() {
	least := math.Inf(1)
	if p.node != nil {
		least = p.node.value
	}
	if len(p.open) > 0 {
		least = min(least, p.open[0].value)
	}
	if least = min(least, p.most); !math.IsInf(least, -1) { // −Inf: the root has not been evaluated yet
		if p.proved.Prove(p.problem.chained(gate.Sum{Value: least})) { // already rounded
			p.proved.Show(p.show)
		}
	}
}

// Before implements [queue.Item]: the node of the least bound goes first, among equals the older one.
func (n *boxNode) Before(other *boxNode) bool {
	return n.value < other.value || n.value == other.value && n.id < other.id
}
