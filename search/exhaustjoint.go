package search

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// jointFeatures is what [Exhaust] honours with all clusters at once, and jointJobs the most jobs it then takes.
const (
	jointFeatures = plan.DecoderFeatures | model.Precedence | model.LicencePools
	jointJobs     = 10
)

// joint exhausts instances whose clusters depend on each other, by precedence or the copies of licences: jobs are placed in order of
// start on any cluster, all sets at once. A state is dropped where another of the same set has every resource as early, every end that
// a job waits for as early, and costs no less; or that costs the limit already.
//
// Complexity: O(2ⁿ·states·n·C) for n jobs and C clusters.
type joint struct {
	p           *listProblem
	opt         Options
	limit       float64
	evaluations int64
	index       []int     // by job of the instance: its number among those movable
	before      []int     // by job: set of those it waits for
	after       []int     // and of those that wait for it
	instant     int       // set of the jobs that take no time on some cluster
	pools       []int32   // copies of each pool
	draws       [][][]int // by job and cluster: pool and copies by turns
	shares      bool      // mcp: what time costs depends on how many jobs a cluster has
	best        *jointState
}

// jointState is jobs placed in order of start.
type jointState struct {
	set      int
	assigned uint64 // three bits a job
	now      float64
	ends     []float64 // by job, of those placed
	running  []jointRun
	free     []int32 // processors by cluster, then copies by pool, at that time
	latest   []float64
	over     []float64 // by cluster
	busy     []float64
	jobs     []int32
	direct   float64
	last     *jointStep
}

// jointRun is a job that runs, in order of end.
type jointRun struct {
	end          float64
	job, cluster int
}

// jointStep is the job placed last, with what was placed before.
type jointStep struct {
	job, cluster int
	before       *jointStep
}

// newJoint reads the instance; nil: it is none of the kind.
func newJoint(ctx context.Context, in *model.Instance) *joint {
	p := newListProblemOf(ctx, in, jointFeatures)
	if p == nil || len(p.nowhere) > 0 && in.Features()&model.Precedence != 0 {
		return nil
	}
	x := &joint{p: p, index: make([]int, len(in.Jobs()))}
	for k, j := range p.movable {
		x.index[j] = k
	}
	numbers := map[[2]int]int{} // cluster, −1 for the grid, and licence
	for k, j := range p.movable {
		x.before, x.after, x.draws = append(x.before, 0), append(x.after, 0), append(x.draws, make([][]int, len(p.clusters)))
		for _, first := range in.Jobs()[j].After {
			x.before[k] |= 1 << x.index[first]
		}
		for _, next := range in.Successors(int(j)) {
			x.after[k] |= 1 << x.index[next]
		}
		for c := range p.clusters {
			if on := &p.clusters[c].jobs[j]; on.size > 0 && on.duration == 0 {
				x.instant |= 1 << k
			}
			for _, need := range in.Jobs()[j].Licences {
				for g := range in.Clusters()[c].Machines {
					if !in.Clusters()[c].Machines[g].Runs(need.Licence) && p.clusters[c].jobs[j].size > 0 {
						return nil // which processors a job holds matters
					}
				}
				copies, own := in.Pool(c, need.Licence)
				if copies == model.Unlimited || need.Copies == 0 {
					continue
				}
				pool := [2]int{-1, need.Licence}
				if own {
					pool[0] = c
				}
				if _, known := numbers[pool]; !known {
					numbers[pool] = len(x.pools)
					x.pools = append(x.pools, int32(min(copies, math.MaxInt32)))
				}
				x.draws[k][c] = append(x.draws[k][c], numbers[pool], need.Copies)
			}
		}
	}
	for c := range p.clusters {
		x.shares = x.shares || p.clusters[c].mcp != listWeights{}
	}
	return x
}

// exhaustJoint is [Exhaust] with all clusters at once.
func exhaustJoint(ctx context.Context, in *model.Instance, limit float64, opt Options) (Exhausted, error) {
	x := newJoint(ctx, in)
	if x == nil {
		return Exhausted{Result: Result{Stop: model.StopReason(ctx)}}, nil
	}
	x.limit, x.opt = limit, opt
	stop, full := x.run(ctx)
	found := Exhausted{Result: Result{Stop: stop, Evaluations: x.evaluations}, Least: limit}
	if stop != model.StopDone || full {
		return found, nil
	}
	if x.best != nil {
		var err error
		if found.Solution, err = x.solution(); err != nil {
			return found, err
		}
		found.Least, found.Doubtful = x.costs(x.best, true), doubtful(in, found.Solution)
	}
	found.Proved = true
	return found, nil
}

// run places one job more in every state, until all are placed; full: there are too many states.
func (x *joint) run(ctx context.Context) (stop model.Stop, full bool) {
	const most = exhaustStates / 20 // they are larger, and compared with more others
	n, C := len(x.p.movable), len(x.p.clusters)
	first := &jointState{now: x.p.origin, ends: make([]float64, n), latest: slices.Repeat([]float64{x.p.origin}, C),
		over: make([]float64, C), busy: make([]float64, C), jobs: make([]int32, C)}
	for c := range x.p.clusters {
		first.free = append(first.free, int32(x.p.clusters[c].processors))
	}
	first.free = append(first.free, x.pools...)
	layer := []*jointState{first}
	for size := range n {
		next, order, kept := map[[2]uint64][]*jointState{}, [][2]uint64(nil), 0
		for _, s := range layer {
			if ctx.Err() != nil {
				return model.StopReason(ctx), false
			}
			for k := range n {
				if s.set&(1<<k) != 0 || x.before[k]&^s.set != 0 {
					continue
				}
				for c := range C {
					if x.opt.MaxEvals > 0 && x.evaluations >= x.opt.MaxEvals {
						return model.StopEvaluations, false
					}
					x.evaluations++
					grown := x.place(s, k, c)
					if grown == nil || x.costs(grown, size+1 == n) >= x.limit {
						continue
					}
					key := [2]uint64{uint64(grown.set), 0}
					if x.shares {
						key[1] = grown.assigned
					}
					old := next[key]
					if len(old) == 0 {
						order = append(order, key)
					}
					next[key] = x.undominated(old, grown)
					kept += len(next[key]) - len(old)
				}
			}
			if kept > most {
				return model.StopDone, true
			}
		}
		layer = layer[:0:0]
		for _, key := range order { // in order of discovery, not of a map
			layer = append(layer, next[key]...)
		}
	}
	least := x.limit
	for _, s := range layer {
		if v := x.costs(s, true); v < least {
			least, x.best = v, s
		}
	}
	return model.StopDone, false
}

// place starts the job on the cluster as early as it can after those before it; nil: it cannot run there.
func (x *joint) place(s *jointState, k, c int) *jointState {
	job := x.p.movable[k]
	j := &x.p.clusters[c].jobs[job]
	if j.size == 0 {
		return nil
	}
	ready := j.arrival
	for left := x.before[k]; left != 0; left &= left - 1 {
		ready = max(ready, s.ends[bits.TrailingZeros(uint(left))])
	}
	if j.duration == 0 { // it holds nothing: it runs when it is ready, whatever else does
		grown := s.with(k, c, job)
		x.ends(grown, k, c, ready)
		return grown
	}
	start := max(s.now, ready)
	free, gone, draws := slices.Clone(s.free), 0, x.draws[k][c]
	lacks := func() bool {
		for d := 0; d < len(draws); d += 2 {
			if int(free[len(x.p.clusters)+draws[d]]) < draws[d+1] {
				return true
			}
		}
		return free[c] < j.size
	}
	for gone < len(s.running) && (s.running[gone].end <= start || lacks()) {
		start = max(start, s.running[gone].end)
		x.hold(free, s.running[gone].job, s.running[gone].cluster, +1)
		gone++
	}
	if lacks() {
		return nil
	}
	end := start + j.duration
	grown := s.with(k, c, job)
	grown.now, grown.free = start, free
	x.hold(free, k, c, -1)
	x.ends(grown, k, c, end)
	at := gone
	for at < len(s.running) && s.running[at].end <= end {
		at++
	}
	grown.running = slices.Concat(s.running[gone:at], []jointRun{{end, k, c}}, s.running[at:])
	return grown
}

// with is the state with a job more on the cluster, of which only that is entered.
func (s *jointState) with(k, c int, job int32) *jointState {
	return &jointState{set: s.set | 1<<k, assigned: s.assigned | uint64(c)<<(3*k), now: s.now, free: s.free, running: s.running, direct: s.direct,
		last: &jointStep{int(job), c, s.last}, ends: slices.Clone(s.ends), latest: slices.Clone(s.latest), over: slices.Clone(s.over),
		busy: slices.Clone(s.busy), jobs: slices.Clone(s.jobs)}
}

// ends counts a job that ends on the cluster at the given time.
func (x *joint) ends(s *jointState, k, c int, end float64) {
	job := x.p.movable[k]
	j := &x.p.clusters[c].jobs[job]
	s.ends[k] = end
	s.latest[c] = max(s.latest[c], end)
	s.busy[c] += j.area()
	s.jobs[c]++
	if end > j.deadline {
		s.over[c] += end - j.deadline
	}
	if costs := x.p.clusters[c].costs; costs != nil {
		s.direct += costs[job].of(end, clearly(j.deadline, end))
	}
}

// hold adds what the job holds on the cluster to what is free, times the sign.
func (x *joint) hold(free []int32, k, c int, sign int32) {
	free[c] += sign * x.p.clusters[c].jobs[x.p.movable[k]].size
	for d := 0; d < len(x.draws[k][c]); d += 2 {
		free[len(x.p.clusters)+x.draws[k][c][d]] += sign * int32(x.draws[k][c][d+1])
	}
}

// costs is what the objective comes to with all jobs placed, and at least where some are not.
func (x *joint) costs(s *jointState, all bool) float64 {
	sum, latest := x.p.constant+s.direct, x.p.origin
	for c := range x.p.clusters {
		cluster := &x.p.clusters[c]
		w := cluster.at(float64(s.jobs[c]) / float64(len(x.p.movable)))
		latest = max(latest, s.latest[c])
		makespan := s.latest[c] - x.p.origin
		sum += w.over * s.over[c]
		if all {
			sum += w.makespan*makespan + w.busy*s.busy[c]
		} else { // busy time, which may count negative, is no more than the processors have until the end
			sum += max(0, w.makespan+min(0, w.busy)*cluster.processors) * makespan
		}
	}
	if !all {
		for k := range x.p.movable {
			if s.set&(1<<k) == 0 {
				end, cost := x.alone(s, k)
				latest, sum = max(latest, end), sum+cost
			}
		}
	}
	return sum + x.p.makespan*(latest-x.p.origin)
}

// alone is the earliest end of a job not placed yet, and what it costs at least beside its cluster's makespan, each on the cluster
// where that is least.
func (x *joint) alone(s *jointState, k int) (end, cost float64) {
	ready := x.p.origin
	for left := x.before[k] & s.set; left != 0; left &= left - 1 {
		ready = max(ready, s.ends[bits.TrailingZeros(uint(left))])
	}
	end, cost = math.Inf(1), math.Inf(1)
	job := x.p.movable[k]
	for c := range x.p.clusters {
		cluster := &x.p.clusters[c]
		j := &cluster.jobs[job]
		if j.size == 0 {
			continue
		}
		ends := max(ready, j.arrival)
		if j.duration > 0 {
			ends = max(ends, s.now) + j.duration
		}
		own := 0.0
		if ends > j.deadline { // one job more on the cluster, or several
			own += cluster.at(float64(s.jobs[c]+1)/float64(len(x.p.movable))).over * (ends - j.deadline)
		}
		if cluster.costs != nil {
			own += cluster.costs[job].of(ends, clearly(j.deadline, ends))
		}
		end, cost = min(end, ends), min(cost, own)
	}
	return end, cost
}

// undominated adds a state to those that are worth going on from.
func (x *joint) undominated(states []*jointState, s *jointState) []*jointState {
	for _, other := range states {
		if x.dominates(other, s) {
			return states
		}
	}
	kept := make([]*jointState, 0, len(states)+1)
	for _, other := range states {
		if !x.dominates(s, other) {
			kept = append(kept, other)
		}
	}
	return append(kept, s)
}

// dominates says that whatever follows on b, follows on a as early and as cheap.
func (x *joint) dominates(a, b *jointState) bool {
	if a.now > b.now {
		return false
	}
	spent := a.direct - b.direct
	if x.shares && spent > 0 {
		return false
	}
	for c := range a.latest {
		if a.latest[c] > b.latest[c] || x.shares && a.over[c] > b.over[c] {
			return false
		}
		w := x.p.clusters[c].plain
		spent += w.over*(a.over[c]-b.over[c]) + w.busy*(a.busy[c]-b.busy[c])
	}
	if !x.shares && spent > 0 {
		return false
	}
	for left := a.set; left != 0; left &= left - 1 {
		k := bits.TrailingZeros(uint(left))
		waiting := x.after[k] &^ a.set
		if waiting != 0 && a.ends[k] > max(b.ends[k], b.now) || waiting&x.instant != 0 && a.ends[k] > b.ends[k] {
			return false // one that takes no time may start before the last that was placed
		}
	}
	freeA, freeB, k := slices.Clone(a.free), slices.Clone(b.free), 0
	for l := -1; l < len(b.running); l++ {
		at := b.now
		if l >= 0 {
			at = b.running[l].end
			x.hold(freeB, b.running[l].job, b.running[l].cluster, +1)
		}
		for ; k < len(a.running) && a.running[k].end <= at; k++ {
			x.hold(freeA, a.running[k].job, a.running[k].cluster, +1)
		}
		for r := range freeA {
			if freeA[r] < freeB[r] {
				return false
			}
		}
	}
	return true
}

// solution is the best schedule.
func (x *joint) solution() (*model.Solution, error) {
	s, err := plan.NewSchedule(x.p.in)
	if err != nil {
		return nil, err
	}
	var order []*jointStep
	for step := x.best.last; step != nil; step = step.before {
		order = append(order, step)
	}
	for _, step := range slices.Backward(order) {
		slot, _ := s.Earliest(step.job, step.cluster)
		s.Place(step.job, slot)
	}
	for _, j := range x.p.nowhere {
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), nil
}
