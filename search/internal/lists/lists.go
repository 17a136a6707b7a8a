// Package lists is the search engine for plain rigid jobs. A schedule is a list of jobs for each cluster; list scheduling by
// counts of free processors turns it into start times.
package lists

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/engine"
	"github.com/allot-opt/allot/search/internal/separable"
)

// Engine walks at random through the lists: with several walks at different temperatures side by side (parallel tempering), or, where it is known
// how long the search will run and that is better, with annealings. For the makespan on one cluster, packers work beside the walks.
type Engine struct {
	p      *problem
	seed   uint64
	walks  []*chain // of the ladder, coldest first, or of the annealings, one after another
	ladder *ladder
	cooled []*annealing // none: tempering
	packed []*packer    // the chains after the walks
	best   float64      // least objective when the last round began, where there are packers
}

// New makes the engine; nil if it cannot search the instance.
func New(ctx context.Context, in *model.Instance, start *model.Solution, seed uint64) (engine.Engine, error) {
	p := newProblem(ctx, in)
	if p == nil || len(p.Movable) == 0 {
		return nil, nil
	}
	orders := p.bestStart(ctx, p.orders(start))
	if orders == nil {
		return nil, nil
	}
	e := &Engine{p: p, seed: seed}
	for k := range chainsFor(len(p.Movable)) {
		if ctx.Err() != nil {
			return nil, nil
		}
		e.walks = append(e.walks, newChain(p, orders, rand.New(rand.NewPCG(seed, uint64(k)+1))))
	}
	if p.packable() {
		e.best = e.walks[0].best
		for k := range packers {
			if packer := newPacker(p, e.best, e.walks[0].orders, rand.New(rand.NewPCG(seed, uint64(len(e.walks)+1+k)))); packer != nil {
				e.packed = append(e.packed, packer)
			}
		}
	}
	e.ladder = newLadder(p.walks, len(e.walks), len(p.Movable), firstTemperature(e.walks[0]), rand.New(rand.NewPCG(seed, 0)))
	return e, nil
}

// Steer implements [engine.Steered].
func (e *Engine) Steer(w engine.Walks) {
	e.p.walks = w
	e.ladder = newLadder(w, len(e.walks), len(e.p.Movable), firstTemperature(e.walks[0]), rand.New(rand.NewPCG(e.seed, 0)))
}

// firstTemperature is the highest temperature to begin with; it adapts.
func firstTemperature(w *chain) float64 { return w.objective / float64(len(w.p.Movable)) }

// Plan implements [engine.Planning]: it anneals where that is better than tempering. A plan by the pace may be cut short. Then
// annealing was better for mcp alone, and only with guesses: without them hot moves take too long.
func (e *Engine) Plan(evaluations int64, chains int, sure bool) {
	plain := func(c separable.Cluster) bool { return c.Plain != separable.Weights{} }
	if !sure && (!e.p.guess || slices.ContainsFunc(e.p.Clusters, plain)) {
		return
	}
	jobs, byJob := len(e.p.Movable), e.p.Clusters[0].Costs != nil
	if e.p.Makespan == 0 && !byJob && annealedFrom <= jobs && jobs <= annealedTo && evaluations >= annealedLeast*int64(jobs) {
		e.anneal(evaluations, chains)
	}
}

// anneal replaces the walks by annealings that make the given number of moves together, on the given number of chains at least.
func (e *Engine) anneal(moves int64, chains int) {
	start, stream := e.walks[0].orders, uint64(0)
	next := func() *rand.Rand {
		stream++
		return rand.New(rand.NewPCG(e.seed, stream))
	}
	e.walks = nil
	parts := partsOf(len(e.p.Clusters))
	groups := max(1, (chains+parts-1)/parts)
	for range groups {
		a := newAnnealing(newChain(e.p, start, next()), moves/int64(groups), next)
		e.cooled = append(e.cooled, a)
		e.walks = append(e.walks, a.parts...)
	}
}

// of is the annealing of chain k.
func (e *Engine) of(k int) *annealing { return e.cooled[k/len(e.cooled[0].parts)] }

// chainsFor is the number of walks. Many jobs get fewer walks: their states take more memory, and a hot walk over many jobs
// leads nowhere in a reasonable time.
func chainsFor(jobs int) int {
	switch {
	case jobs > 5000:
		return 2
	case jobs > 500:
		return 4
	case jobs > 60:
		return 6
	}
	return 8
}

// orders lists the jobs of each cluster in the order of their starts. A job that spreads over clusters, which the engine does not do, is on the first
// of them that can run it, or on any. Jobs that the start leaves out come last, on the first cluster that can run them.
func (p *problem) orders(start *model.Solution) [][]int32 {
	placements := slices.Clone(start.Jobs)
	slices.SortStableFunc(placements, func(a, b model.Placement) int { return cmp.Compare(a.Start, b.Start) })
	orders, placed := make([][]int32, len(p.Clusters)), make([]bool, len(p.In.Jobs()))
	for k := range placements {
		j, known := p.In.JobIndex(placements[k].Job)
		if c := p.HostOf(&placements[k], j); known && c >= 0 && !placed[j] {
			orders[c], placed[j] = append(orders[c], int32(j)), true
		}
	}
	for _, j := range p.Movable {
		if !placed[j] {
			orders[p.Host(j)] = append(orders[p.Host(j)], j)
		}
	}
	return orders
}

// Chains implements [engine.Engine].
func (e *Engine) Chains() int { return len(e.walks) + len(e.packed) }

// Round implements [engine.Engine].
func (e *Engine) Round() int64 {
	if len(e.packed) > 0 {
		return int64(max(16, min(512, 50_000/len(e.p.Movable))))
	}
	return int64(max(16, min(4096, e.p.quick()*400_000/len(e.p.Movable))))
}

// Pace implements [engine.Engine].
func (e *Engine) Pace() int64 {
	if len(e.packed) > 0 {
		return int64(8_000_000/len(e.p.Movable) + 1)
	}
	return int64(max(1, min(5_000_000, e.p.quick()*300_000_000/len(e.p.Movable))))
}

// quick is how many times as many moves a second the walks make if they guess. Annealing begins hot: many moves are accepted, and these take
// longer.
func (p *problem) quick() int {
	if n := len(p.Movable); p.guess && (n < annealedFrom || n > annealedTo) {
		return 2
	}
	return 1
}

// Advance implements [engine.Engine].
func (e *Engine) Advance(k int, evaluations int64, stop func() bool) int64 {
	if k >= len(e.walks) {
		return e.packed[k-len(e.walks)].advance(evaluations, stop)
	}
	w := e.walks[k]
	if e.cooled == nil {
		w.temperature = e.ladder.temperature[k]
	} else {
		w.temperature = e.of(k).temperature
	}
	w.tried, w.accepted = 0, 0
	for every := int64(max(1, min(64, 10_000/len(e.p.Movable)))); w.tried < evaluations; {
		if w.tried%every == 0 && stop() {
			break
		}
		w.step()
	}
	return w.tried
}

// Exchange implements [engine.Engine]: it adapts the temperatures and lets walks of neighbouring temperatures change places. The packers learn the best makespan.
func (e *Engine) Exchange() {
	for _, a := range e.cooled {
		a.exchange()
	}
	if e.cooled != nil {
		return
	}
	e.share()
	for k, w := range e.walks {
		e.ladder.observe(k, w.tried, w.accepted)
	}
	e.ladder.exchange(func(k int) float64 { return e.walks[k].energy }, func(i, j int) { e.walks[i], e.walks[j] = e.walks[j], e.walks[i] })
}

// share tells the packers the best makespan, and has them work more if one of them has found it and less if a walk has.
func (e *Engine) share() {
	walked, packed := math.Inf(1), math.Inf(1)
	for _, w := range e.walks {
		walked = min(walked, w.best)
	}
	for _, k := range e.packed {
		packed = min(packed, k.best)
	}
	best := min(walked, packed)
	for _, k := range e.packed {
		k.learn(best)
		if best < e.best {
			k.share(packed < walked)
		}
	}
	e.best = best
}

// Work implements [engine.Counting].
func (e *Engine) Work() int64 {
	sum := e.p.started
	for _, w := range e.walks {
		sum += w.probe.releases.Work()
	}
	for _, k := range e.packed {
		sum += k.work()
	}
	return sum
}

// Best implements [engine.Engine]. What the parts of an annealing find counts from the end of the round on.
func (e *Engine) Best(k int) model.Rank {
	best, _ := e.bestOf(k)
	return model.NewRank(0, best)
}

// bestOf is the least objective that chain k has found, and its orders.
func (e *Engine) bestOf(k int) (float64, [][]int32) {
	if k >= len(e.walks) {
		k := e.packed[k-len(e.walks)]
		return k.best, k.orders
	}
	if e.cooled != nil {
		return e.of(k).best, e.of(k).orders
	}
	return e.walks[k].best, e.walks[k].orders
}

// Solution implements [engine.Engine].
func (e *Engine) Solution(k int) (*model.Solution, error) {
	s, err := plan.NewPlacedSchedule(e.p.In, plan.Filling(e.p.In))
	if err != nil {
		return nil, err
	}
	_, orders := e.bestOf(k)
	for c, order := range orders {
		for _, j := range order {
			slot, _ := s.Earliest(int(j), c)
			s.Place(int(j), slot)
		}
	}
	for _, j := range e.p.Nowhere {
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), nil
}
