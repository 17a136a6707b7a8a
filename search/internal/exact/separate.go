package exact

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/separable"
)

// separate is a run that treats the clusters one by one.
type separate struct {
	p           *separable.Problem
	maxEvals    int64 // 0: no limit
	limit       float64
	evaluations int64
	full        bool // there are too many states

	best  [][][]way    // by cluster and set: ways to run the set; none is worse than another in both makespan and cost
	share [][][]shared // by last cluster and set: ways to share the set among the clusters up to that one
}

// way is a way to run a set of jobs on a cluster.
type way struct {
	makespan, cost float64 // makespan is 0 if only the cost of the cluster counts
	last           *step
}

// step is the job placed last, linked to those placed before.
type step struct {
	job    int32
	before *step
}

// shared is a way to share a set of jobs among the first clusters.
type shared struct {
	makespan, cost float64
	own            int // the jobs of the last of these clusters
	way, rest      int // index of the way for these jobs, and of the way for the rest on the clusters before
}

// state is a set of jobs placed on a cluster in order of start.
type state struct {
	now          float64 // start of the job placed last
	latest       float64 // latest end
	over, direct float64 // time over deadlines; sum of the costs by job
	runs         []busy
	free         int32 // processors free at time now
	last         *step
}

// busy is a number of processors that a job holds until its end. States keep them in order of end.
type busy struct {
	end  float64
	size int32
}

// run treats the clusters one by one and then shares the jobs out.
func (x *separate) run(ctx context.Context) model.Stop {
	n := len(x.p.Movable)
	x.best = make([][][]way, len(x.p.Clusters))
	for c := range x.p.Clusters {
		x.best[c] = make([][]way, 1<<n)
		if stop := x.cluster(ctx, c); stop != model.StopDone || x.full {
			return stop
		}
	}
	return x.shareOut(ctx)
}

// cluster finds the best ways to run every set of jobs on cluster c.
func (x *separate) cluster(ctx context.Context, c int) model.Stop {
	n := len(x.p.Movable)
	layer := map[int][]state{0: {{now: x.p.Origin, latest: x.p.Origin, free: int32(x.p.Clusters[c].Processors)}}}
	x.best[c][0] = []way{{}}
	for size := 0; size < n; size++ {
		next, kept := map[int][]state{}, 0
		for set := 1<<size - 1; set < 1<<n; set = nextSet(set) { // in a fixed order, so that nothing depends on the order of a map
			states := layer[set]
			for k := range states {
				for left := (1<<n - 1) &^ set; left != 0; left &= left - 1 {
					if x.maxEvals > 0 && x.evaluations >= x.maxEvals {
						return model.StopEvaluations
					}
					j := bits.TrailingZeros(uint(left))
					grown, ok := x.place(c, &states[k], x.p.Movable[j])
					x.evaluations++
					if !ok || x.costs(c, &grown, size+1) >= x.limit {
						continue
					}
					before := len(next[set|1<<j])
					next[set|1<<j] = undominated(next[set|1<<j], grown)
					kept += len(next[set|1<<j]) - before
				}
				if x.evaluations%256 < int64(n) && ctx.Err() != nil {
					return model.StopReason(ctx)
				}
			}
			if x.full = kept > maxStates; x.full {
				return model.StopDone
			}
			if set == 0 {
				break
			}
		}
		layer = next
		for set := 1<<(size+1) - 1; set < 1<<n; set = nextSet(set) {
			x.best[c][set] = x.ways(c, layer[set], size+1)
		}
	}
	return model.StopDone
}

// nextSet is the next larger set with the same number of jobs (R. W. Gosper, 1972, HAKMEM 175).
func nextSet(set int) int {
	if set == 0 {
		return math.MaxInt
	}
	low := set & -set
	high := set + low
	return high | ((set^high)/low)>>2
}

// place starts the job on cluster c as early as the order of starts allows. It returns false if the job cannot run there.
func (x *separate) place(c int, s *state, job int32) (state, bool) {
	j := &x.p.Clusters[c].Jobs[job]
	if j.Size == 0 {
		return state{}, false
	}
	if j.Duration == 0 { // it holds no processor: it runs when it arrives, and no job waits for it
		grown := state{now: s.now, free: s.free, runs: s.runs, latest: s.latest, over: s.over, direct: s.direct, last: &step{job, s.last}}
		x.ends(c, &grown, job, j.Arrival)
		return grown, true
	}
	start, free, gone := max(s.now, j.Arrival), s.free, 0
	for gone < len(s.runs) && (s.runs[gone].end <= start || free < j.Size) {
		start = max(start, s.runs[gone].end)
		free += s.runs[gone].size
		gone++
	}
	end := model.End(start, j.Duration)
	grown := state{now: start, latest: s.latest, over: s.over, direct: s.direct, free: free - j.Size, last: &step{job, s.last}}
	x.ends(c, &grown, job, end)
	grown.runs = make([]busy, 0, len(s.runs)-gone+1)
	placed := false
	for _, run := range s.runs[gone:] {
		if !placed && end < run.end {
			grown.runs = append(grown.runs, busy{end, j.Size})
			placed = true
		}
		grown.runs = append(grown.runs, run)
	}
	if !placed {
		grown.runs = append(grown.runs, busy{end, j.Size})
	}
	return grown, true
}

// ends counts a job that ends on cluster c at the given time.
func (x *separate) ends(c int, s *state, job int32, end float64) {
	deadline := x.p.Clusters[c].Jobs[job].Deadline
	s.latest = max(s.latest, end)
	if end > deadline {
		s.over += end - deadline
	}
	if costs := x.p.Clusters[c].Costs; costs != nil {
		s.direct += costs[job].Of(end, clearly(deadline, end, x.p.Origin))
	}
}

// clearly is the time after which an end is late in every schedule that the checker accepts. Two schedules may differ a little:
// the checker allows execution times to differ by [model.Tolerance], and ends that are added up in another order differ by
// rounding. The cost of a late job jumps at the deadline. The result is a proof, so it counts only jobs that are late beyond
// doubt. Execution times count from the origin, the earliest arrival; what is rounded is a time of the clock.
func clearly(deadline, end, origin float64) float64 {
	const spacings = 32 * 0x1p-52 // of at most 16 jobs one after another
	return deadline + 2*model.Tolerance*(math.Abs(deadline-origin)+math.Abs(end-origin)) + spacings*(math.Abs(deadline)+math.Abs(end))
}

// doubtful says that some job of the schedule is late, but by so little that rounding may have made it so (see clearly).
func doubtful(in *model.Instance, s *model.Solution) bool {
	return slices.ContainsFunc(s.Jobs, func(p model.Placement) bool {
		j, _ := in.JobIndex(p.Job)
		deadline := in.Jobs()[j].Deadline
		return model.Late(p.End, deadline) && !model.Late(p.End, clearly(deadline, p.End, in.FirstArrival()))
	})
}

// costs is a lower bound of the objective of schedules in which cluster c runs the given number of jobs as in state s, and
// perhaps others after them.
func (x *separate) costs(c int, s *state, jobs int) float64 {
	cluster := &x.p.Clusters[c]
	w := cluster.At(float64(jobs) / float64(len(x.p.Movable)))
	makespan := s.latest - x.p.Origin
	// The weight of busy time may be negative. Busy time is at most what the processors have until the end.
	return x.p.Constant + (x.p.Makespan+max(0, w.Makespan+min(0, w.Busy)*cluster.Processors))*makespan + w.Over*s.over + s.direct
}

// undominated adds state s to the states worth continuing from.
func undominated(states []state, s state) []state {
	for k := range states {
		if states[k].dominates(&s) {
			return states
		}
	}
	kept := states[:0]
	for k := range states {
		if !s.dominates(&states[k]) {
			kept = append(kept, states[k])
		}
	}
	return append(kept, s)
}

// dominates says that whatever can follow state b can follow state a, as early and at no higher cost.
func (a *state) dominates(b *state) bool {
	if a.latest > b.latest || a.over > b.over || a.direct > b.direct {
		return false
	}
	freeA, freeB, k := int32(0), b.free, 0
	started := false
	for l := -1; l < len(b.runs); l++ {
		at := b.now
		if l >= 0 {
			at = b.runs[l].end
			freeB += b.runs[l].size
		}
		if !started && a.now <= at {
			freeA, started = a.free, true
		}
		for started && k < len(a.runs) && a.runs[k].end <= at {
			freeA += a.runs[k].size
			k++
		}
		if freeA < freeB {
			return false
		}
	}
	return true
}

// ways are the best ways to run the set with the given states: the cheapest one or, if the makespan over all clusters counts,
// the cheapest for each makespan.
func (x *separate) ways(c int, states []state, jobs int) []way {
	cluster := &x.p.Clusters[c]
	w := cluster.At(float64(jobs) / float64(len(x.p.Movable)))
	var ways []way
	for k := range states {
		s, busy := &states[k], 0.0
		for step := s.last; step != nil; step = step.before {
			busy += cluster.Jobs[step.job].Area()
		}
		makespan := s.latest - x.p.Origin
		one := way{makespan, w.Makespan*makespan + w.Busy*busy + w.Over*s.over + s.direct, s.last}
		if x.p.Makespan == 0 {
			one.makespan = 0
		}
		ways = better(ways, one, func(e *way) (float64, float64) { return e.makespan, e.cost })
	}
	return ways
}

// better adds a way unless another is at least as good in both makespan and cost.
func better[T any](ways []T, way T, of func(*T) (makespan, cost float64)) []T {
	m, c := of(&way)
	for k := range ways {
		if mk, ck := of(&ways[k]); mk <= m && ck <= c {
			return ways
		}
	}
	kept := ways[:0]
	for k := range ways {
		if mk, ck := of(&ways[k]); mk < m || ck < c {
			kept = append(kept, ways[k])
		}
	}
	return append(kept, way)
}

// shareOut shares every set among the first clusters, one cluster more at a time. With the last cluster it treats only the set
// of all jobs.
func (x *separate) shareOut(ctx context.Context) model.Stop {
	all, K := len(x.best[0])-1, len(x.p.Clusters)
	x.share = make([][][]shared, K)
	for c := range x.share {
		x.share[c] = make([][]shared, all+1)
		first := 0
		if c == K-1 {
			first = all
		}
		for set := first; set <= all; set++ {
			if set%64 == 0 && ctx.Err() != nil {
				return model.StopReason(ctx)
			}
			x.shareSet(c, set)
		}
	}
	return model.StopDone
}

// shareSet shares one set among the clusters up to c.
func (x *separate) shareSet(c, set int) {
	measure := func(s *shared) (float64, float64) { return s.makespan, s.cost }
	var ways []shared
	for own := set; ; own = (own - 1) & set {
		for k, way := range x.best[c][own] {
			if c == 0 {
				if own == set {
					ways = better(ways, shared{way.makespan, way.cost, own, k, 0}, measure)
				}
				continue
			}
			for r, rest := range x.share[c-1][set&^own] {
				ways = better(ways, shared{max(way.makespan, rest.makespan), way.cost + rest.cost, own, k, r}, measure)
			}
		}
		if own == 0 || c == 0 {
			break
		}
	}
	x.share[c][set] = ways
}

// solution is the best schedule and its cost. It returns nil and the limit if no schedule costs less.
func (x *separate) solution() (*model.Solution, float64, error) {
	c, set := len(x.p.Clusters)-1, len(x.best[0])-1
	way, least := -1, math.Inf(1)
	for k, s := range x.share[c][set] {
		if v := x.p.Makespan*s.makespan + s.cost; v < least {
			way, least = k, v
		}
	}
	if least += x.p.Constant; way < 0 || least >= x.limit {
		return nil, x.limit, nil
	}
	s, err := plan.NewPlacedSchedule(x.p.In, plan.Filling(x.p.In))
	if err != nil {
		return nil, 0, err
	}
	for ; c >= 0; c-- {
		chosen := x.share[c][set][way]
		var order []int32
		for step := x.best[c][chosen.own][chosen.way].last; step != nil; step = step.before {
			order = append(order, step.job)
		}
		for k := len(order) - 1; k >= 0; k-- {
			slot, _ := s.Earliest(int(order[k]), c)
			s.Place(int(order[k]), slot)
		}
		set, way = set&^chosen.own, chosen.rest
	}
	for _, j := range x.p.Nowhere {
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), least, nil
}
