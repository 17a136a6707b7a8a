package lists

import (
	"math"
	"math/rand/v2"
	"slices"
)

// annealing is one schedule that cools down over a number of moves known beforehand (simulated annealing: S. Kirkpatrick, C. D. Gelatt,
// M. P. Vecchi, 1983, Optimization by simulated annealing, Science 220(4598), doi:10.1126/science.220.4598.671). Where the number of moves
// is known, it ends with better schedules than tempering for some objectives and numbers of jobs, see docs/notes/search-findings.md.
//
// Its parts are walks over different clusters of the same schedule. A cost that is a sum over the clusters lets them run side by side: what a part
// does to its clusters changes nothing on the others. Every round deals the clusters anew, so that each pair of them comes together.
type annealing struct {
	p     *problem
	rng   *rand.Rand
	parts []*chain
	deck  []int32 // the clusters; part k has the k-th of as many shares as there are parts

	temperature float64
	hot         float64 // share of moves accepted at the beginning of a stage
	stages      []int64 // moves of the stages to come, that under way first; the last is repeated
	made        int64   // moves of the stage under way

	best   float64   // least objective so far
	orders [][]int32 // by cluster: the order of its jobs in that schedule
}

// Parameters of annealings.
const (
	annealedHot  = 0.3       // share of moves accepted at the beginning for 40 jobs; as that of tempering, it falls with the number of jobs
	annealedCold = 0.005     // share accepted at the end
	stageRatio   = 5         // moves up to the end of a stage, in moves before it began
	stageLeast   = 500       // moves a job in the shortest stage
	stageMost    = 2_000_000 // moves a job after which a longer run begins anew: longer annealings spread as much

	// Where an annealing is better than tempering, as measured with objective mcp at 40, 100 and 160 jobs. With mean response it is not.
	annealedFrom  = 130    // fewest jobs
	annealedTo    = 500    // most jobs
	annealedLeast = 30_000 // fewest moves a job
)

// newAnnealing starts an annealing of the given number of moves at the orders of a walk over all clusters, which becomes its first part.
func newAnnealing(w *chain, moves int64, rng func() *rand.Rand) *annealing {
	p := w.p
	a := &annealing{p: p, rng: rng(), best: w.best, orders: w.orders, temperature: firstTemperature(w)}
	a.hot = heated(annealedHot, annealedCold, len(p.Movable))
	jobs := int64(len(p.Movable))
	a.stages = stagesOf(moves, stageLeast*jobs, stageMost*jobs)
	for c := range p.Clusters {
		a.deck = append(a.deck, int32(c))
	}
	for range partsOf(len(p.Clusters)) {
		a.parts = append(a.parts, w.part(rng()))
	}
	a.deal()
	return a
}

// partsOf is the number of parts of an annealing: as many as have two clusters at least, so that jobs can change clusters.
func partsOf(clusters int) int { return max(1, clusters/2) }

// stagesOf divides the moves of a run into annealings. The moves up to the end of one are stageRatio times as many as those before it; the first
// unless it is the only one. The last takes most of the moves. A run that ends before its time has the longest that was completed. Together they
// have at most the given number of moves; in a longer run, the last one is repeated.
func stagesOf(moves, least, most int64) []int64 {
	var stages []int64
	left := max(1, moves/((moves-1)/most+1))
	for ; left/stageRatio >= least; left /= stageRatio {
		stages = append(stages, left-left/stageRatio)
	}
	stages = append(stages, left)
	slices.Reverse(stages)
	return stages
}

// part is a walk over some clusters of the schedule of w, which are to be dealt to it.
func (w *chain) part(rng *rand.Rand) *chain {
	v := *w
	v.rng, v.orders = rng, make([][]int32, len(w.clusters))
	v.probe.releases = newReleases(w.p)
	v.mine, v.jobs, v.byArea, v.rank = nil, nil, nil, make([]int32, len(w.rank))
	return &v
}

// take gives the walk other clusters to change, in a schedule of the given objective. Its best schedule is now the present one.
func (w *chain) take(mine []int32, objective float64) {
	own := 0.0
	for _, c := range mine {
		own += w.clusters[c].cost
	}
	w.mine, w.others, w.byArea = mine, objective-own, w.byArea[:0]
	for _, j := range w.p.byArea {
		if slices.Contains(mine, w.at[j]) {
			w.rank[j] = int32(len(w.byArea))
			w.byArea = append(w.byArea, j)
		}
	}
	w.jobs = w.byArea
	w.total()
	w.best = math.Inf(1)
	w.keep()
}

// deal shuffles the clusters and deals them to the parts.
func (a *annealing) deal() {
	objective, n := a.p.Constant, len(a.deck)
	for c := range a.parts[0].clusters {
		objective += a.parts[0].clusters[c].cost
	}
	a.rng.Shuffle(n, func(i, j int) { a.deck[i], a.deck[j] = a.deck[j], a.deck[i] })
	for k, w := range a.parts {
		w.take(a.deck[k*n/len(a.parts):(k+1)*n/len(a.parts)], objective)
	}
}

// keep remembers the schedule in which every part is as good as it was at best since the last deal, if it is the best so far.
func (a *annealing) keep() {
	objective := a.p.Constant
	for _, w := range a.parts {
		objective += w.best - w.others
	}
	if !(objective < a.best) {
		return
	}
	a.best = objective
	for _, w := range a.parts {
		for _, c := range w.mine {
			a.orders[c] = append(a.orders[c][:0], w.orders[c]...)
		}
	}
}

// exchange ends a round: it cools the schedule and deals the clusters anew.
func (a *annealing) exchange() {
	var tried, accepted int64
	for _, w := range a.parts {
		tried += w.tried
		accepted += w.accepted
	}
	a.keep()
	if a.made += tried; a.made >= a.stages[0] {
		a.made = 0
		if len(a.stages) > 1 {
			a.stages = a.stages[1:]
		}
	}
	share := a.hot * math.Pow(annealedCold/a.hot, float64(a.made)/float64(a.stages[0]))
	a.temperature = adapted(a.temperature, share, tried, accepted)
	a.deal()
}
