package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
)

// ExhaustJobs is the largest number of jobs that [Exhaust] takes.
const ExhaustJobs = 16

// exhaustStates limits the states of one size of sets that are kept on one cluster.
const exhaustStates = 2_000_000

// ErrTooLarge says that an instance is too large to be exhausted.
var ErrTooLarge = errors.New("search: too large to be exhausted")

// Exhaustible says whether [Exhaust] takes the instance; the error says why not.
func Exhaustible(in *model.Instance) error {
	const clusters = 8
	switch {
	case len(in.Jobs()) > ExhaustJobs:
		return fmt.Errorf("%w: %d jobs, it takes %d", ErrTooLarge, len(in.Jobs()), ExhaustJobs)
	case len(in.Clusters()) > clusters:
		return fmt.Errorf("%w: %d clusters, it takes %d", ErrTooLarge, len(in.Clusters()), clusters)
	}
	if err := refused(in); err != nil {
		return err
	}
	switch {
	case newListProblem(context.Background(), in) != nil:
		return nil
	case newJoint(context.Background(), in) == nil:
		return fmt.Errorf("%w machines of a cluster that do not all run a licence, or jobs that wait for others where one runs nowhere", ErrRefused)
	case len(in.Jobs()) > jointJobs:
		return fmt.Errorf("%w: %d jobs with precedence or licences, it takes %d", ErrTooLarge, len(in.Jobs()), jointJobs)
	}
	return nil
}

// Exhausted is what [Exhaust] found.
type Exhausted struct {
	Result
	// Proved says that it came to its end: no schedule costs less than Least.
	Proved bool
	Least  float64
	// Doubtful says that a job of the schedule ends so near after its deadline that it depends on rounding whether it is late: the
	// schedule may cost more than Least by what that costs. Else they differ by rounding alone.
	Doubtful bool
}

// Exhaust finds the best schedule of a small instance that costs less than the limit, by dynamic programming over sets of jobs with
// dominance. Where it comes to its end without a solution, there is none below the limit.
//
// A job that takes no time holds nothing. It is placed, in any order, at the time when it is ready, and neither waits for the jobs
// placed before it nor keeps those after it.
//
// Some list schedule in order of start is optimal, as no metric of the engine of lists grows when a job ends earlier and takes as long as
// before. So on each
// cluster jobs are placed in order of start, all sets at once; of two states of the same set, one is dropped that frees no more
// processors at any time and costs no less. A state that costs the limit on its own is dropped too. Then the sets are shared out
// among the clusters.
//
// With precedence or licences the clusters are not exhausted one by one but all at once, see joint: for up to 10 jobs.
//
// Complexity: O(2ⁿ·states·n) a cluster and O(3ⁿ) a cluster from the third on, for n jobs.
func Exhaust(ctx context.Context, in *model.Instance, limit float64, opt Options) (Exhausted, error) {
	if err := Exhaustible(in); err != nil {
		return Exhausted{}, err
	}
	x := &exhaustion{p: newListProblem(ctx, in), opt: opt, limit: limit}
	if x.p == nil { // or ctx has ended
		return exhaustJoint(ctx, in, limit, opt)
	}
	found := Exhausted{Result: Result{Stop: x.run(ctx), Evaluations: x.evaluations}}
	if found.Stop != model.StopDone || x.full {
		return found, nil
	}
	var err error
	found.Solution, found.Least, err = x.solution()
	found.Proved = err == nil
	found.Doubtful = found.Solution != nil && doubtful(in, found.Solution)
	return found, err
}

// exhaustion is a run of Exhaust.
type exhaustion struct {
	p           *listProblem
	opt         Options
	limit       float64
	evaluations int64
	full        bool // too many states

	best  [][][]exhausted // by cluster and set: ways to run it, none better than another in both makespan and cost
	share [][][]shared    // by number of clusters and set
}

// exhausted is a way to run a set of jobs on a cluster.
type exhausted struct {
	makespan, cost float64 // makespan is 0 where only the cost of the cluster counts
	last           *exhaustStep
}

// exhaustStep is the job placed last, with what was placed before.
type exhaustStep struct {
	job    int32
	before *exhaustStep
}

// shared is a way to share a set among the first clusters.
type shared struct {
	makespan, cost float64
	own            int // set of the last of them
	way, rest      int // of that set, and of the rest among the clusters before
}

// exhaustState is jobs placed on a cluster in order of start.
type exhaustState struct {
	now          float64 // start of the last
	latest       float64 // end
	over, direct float64 // time over deadlines; what the jobs cost themselves
	runs         []exhaustRun
	free         int32 // processors at that time
	last         *exhaustStep
}

// exhaustRun is processors that are held, in order of end.
type exhaustRun struct {
	end  float64
	size int32
}

// run goes through all clusters and shares the sets out.
func (x *exhaustion) run(ctx context.Context) model.Stop {
	n := len(x.p.movable)
	x.best = make([][][]exhausted, len(x.p.clusters))
	for c := range x.p.clusters {
		x.best[c] = make([][]exhausted, 1<<n)
		if stop := x.cluster(ctx, c); stop != model.StopDone || x.full {
			return stop
		}
	}
	return x.shareOut(ctx)
}

// cluster finds the best ways to run every set on the cluster.
func (x *exhaustion) cluster(ctx context.Context, c int) model.Stop {
	n := len(x.p.movable)
	layer := map[int][]exhaustState{0: {{now: x.p.origin, latest: x.p.origin, free: int32(x.p.clusters[c].processors)}}}
	x.best[c][0] = []exhausted{{}}
	for size := 0; size < n; size++ {
		next, kept := map[int][]exhaustState{}, 0
		for set := 1<<size - 1; set < 1<<n; set = nextSet(set) { // in order, so that nothing depends on that of a map
			states := layer[set]
			for k := range states {
				for left := (1<<n - 1) &^ set; left != 0; left &= left - 1 {
					if x.opt.MaxEvals > 0 && x.evaluations >= x.opt.MaxEvals {
						return model.StopEvaluations
					}
					j := bits.TrailingZeros(uint(left))
					grown, ok := x.place(c, &states[k], x.p.movable[j])
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
			if x.full = kept > exhaustStates; x.full {
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

// nextSet is the next larger set of as many jobs (R. W. Gosper, 1972, HAKMEM 175).
func nextSet(set int) int {
	if set == 0 {
		return math.MaxInt
	}
	low := set & -set
	high := set + low
	return high | ((set^high)/low)>>2
}

// place starts the job on the cluster as early as it can after those before it; false: it cannot run there.
func (x *exhaustion) place(c int, s *exhaustState, job int32) (exhaustState, bool) {
	j := &x.p.clusters[c].jobs[job]
	if j.size == 0 {
		return exhaustState{}, false
	}
	if j.duration == 0 { // it holds nothing: it runs when it arrives, whatever else does, and none waits for it
		grown := exhaustState{now: s.now, free: s.free, runs: s.runs, latest: s.latest, over: s.over, direct: s.direct, last: &exhaustStep{job, s.last}}
		x.ends(c, &grown, job, j.arrival)
		return grown, true
	}
	start, free, gone := max(s.now, j.arrival), s.free, 0
	for gone < len(s.runs) && (s.runs[gone].end <= start || free < j.size) {
		start = max(start, s.runs[gone].end)
		free += s.runs[gone].size
		gone++
	}
	end := start + j.duration
	grown := exhaustState{now: start, latest: s.latest, over: s.over, direct: s.direct, free: free - j.size, last: &exhaustStep{job, s.last}}
	x.ends(c, &grown, job, end)
	grown.runs = make([]exhaustRun, 0, len(s.runs)-gone+1)
	placed := false
	for _, run := range s.runs[gone:] {
		if !placed && end < run.end {
			grown.runs = append(grown.runs, exhaustRun{end, j.size})
			placed = true
		}
		grown.runs = append(grown.runs, run)
	}
	if !placed {
		grown.runs = append(grown.runs, exhaustRun{end, j.size})
	}
	return grown, true
}

// ends counts a job that ends at the given time.
func (x *exhaustion) ends(c int, s *exhaustState, job int32, end float64) {
	deadline := x.p.clusters[c].jobs[job].deadline
	s.latest = max(s.latest, end)
	if end > deadline {
		s.over += end - deadline
	}
	if costs := x.p.clusters[c].costs; costs != nil {
		s.direct += costs[job].of(end, clearly(deadline, end))
	}
}

// clearly is the time after which an end is later than the deadline in every schedule that the checker accepts: execution times may
// differ by [model.Tolerance], and ends that are added up in another order by rounding. What a late job costs jumps there, so
// that the exhaustion, which is to be a proof, counts only what is late beyond doubt.
func clearly(deadline, end float64) float64 {
	return deadline + 2*model.Tolerance*(math.Abs(deadline)+math.Abs(end))
}

// doubtful says that a job of the schedule is late, but not beyond doubt.
func doubtful(in *model.Instance, s *model.Solution) bool {
	return slices.ContainsFunc(s.Jobs, func(p model.Placement) bool {
		j, _ := in.JobIndex(p.Job)
		deadline := in.Jobs()[j].Deadline
		return model.Late(p.End, deadline) && !model.Late(p.End, clearly(deadline, p.End))
	})
}

// costs is what the objective comes to at least when the cluster runs so many jobs in that state and maybe others after them.
func (x *exhaustion) costs(c int, s *exhaustState, jobs int) float64 {
	cluster := &x.p.clusters[c]
	w := cluster.at(float64(jobs) / float64(len(x.p.movable)))
	makespan := s.latest - x.p.origin
	// Busy time, which may count negative, is no more than the processors have until the end.
	return x.p.constant + (x.p.makespan+max(0, w.makespan+min(0, w.busy)*cluster.processors))*makespan + w.over*s.over + s.direct
}

// undominated adds a state to those that are worth going on from.
func undominated(states []exhaustState, s exhaustState) []exhaustState {
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

// dominates says that whatever follows on b, follows on a as early and as cheap.
func (a *exhaustState) dominates(b *exhaustState) bool {
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

// ways are the best ways to run the set whose states are given: the least cost or, where the makespan of all clusters counts,
// the least for each makespan.
func (x *exhaustion) ways(c int, states []exhaustState, jobs int) []exhausted {
	cluster := &x.p.clusters[c]
	w := cluster.at(float64(jobs) / float64(len(x.p.movable)))
	var ways []exhausted
	for k := range states {
		s, busy := &states[k], 0.0
		for step := s.last; step != nil; step = step.before {
			busy += cluster.jobs[step.job].area()
		}
		makespan := s.latest - x.p.origin
		way := exhausted{makespan, w.makespan*makespan + w.busy*busy + w.over*s.over + s.direct, s.last}
		if x.p.makespan == 0 {
			way.makespan = 0
		}
		ways = better(ways, way, func(e *exhausted) (float64, float64) { return e.makespan, e.cost })
	}
	return ways
}

// better adds a way unless another is as good in both.
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

// shareOut shares every set among more and more clusters, the whole one only at the end.
func (x *exhaustion) shareOut(ctx context.Context) model.Stop {
	all, K := len(x.best[0])-1, len(x.p.clusters)
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
func (x *exhaustion) shareSet(c, set int) {
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

// solution is the best schedule and the least that any costs; nil and the limit: none is below it.
func (x *exhaustion) solution() (*model.Solution, float64, error) {
	c, set := len(x.p.clusters)-1, len(x.best[0])-1
	way, least := -1, math.Inf(1)
	for k, s := range x.share[c][set] {
		if v := x.p.makespan*s.makespan + s.cost; v < least {
			way, least = k, v
		}
	}
	if least += x.p.constant; way < 0 || least >= x.limit {
		return nil, x.limit, nil
	}
	s, err := plan.NewSchedule(x.p.in)
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
	for _, j := range x.p.nowhere {
		s.LeaveUnplaceable(j)
	}
	return s.Solution(), least, nil
}
