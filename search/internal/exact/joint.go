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

// jointFeatures are the features that the search takes into account when it treats all clusters at once; jointJobs is the
// largest number of jobs that it then takes.
const (
	jointFeatures = plan.RigidFeatures | model.Precedence | model.LicencePools
	jointJobs     = 10
)

// joint is a run that treats all clusters at once. It is for instances whose clusters depend on each other by precedence or by
// shared licences. It places jobs in order of start, each on any cluster, for all sets of jobs at once. It drops a state in two
// cases: the state costs as much as the limit already; or there is another state of the same set that costs no more, has every
// resource free as early, and ends every job that others wait for as early.
//
// Complexity: O(2ⁿ·states·n·C) for n jobs and C clusters.
type joint struct {
	p           *separable.Problem
	maxEvals    int64
	limit       float64
	evaluations int64
	index       []int     // by job of the instance: its number among the movable jobs
	before      []int     // by job: set of the jobs it waits for
	after       []int     // by job: set of the jobs that wait for it
	instant     int       // set of the jobs that take no time on some cluster
	pools       []int32   // by pool of licences: its copies
	draws       [][][]int // by job and cluster: pool, copies, pool, copies, …
	shares      bool      // the objective has mcp: the weights of a cluster depend on its number of jobs
	best        *jointState
}

// jointState is a set of jobs placed in order of start.
type jointState struct {
	set      int
	assigned uint64 // clusters of the jobs, three bits for each
	now      float64
	ends     []float64 // by job: its end, if it is placed
	running  []jointRun
	free     []int32 // free at time now: processors by cluster, then copies by pool
	latest   []float64
	over     []float64 // by cluster: time over deadlines
	busy     []float64
	jobs     []int32
	direct   float64
	last     *jointStep
}

// jointRun is a running job. States keep them in order of end.
type jointRun struct {
	end          float64
	job, cluster int
}

// jointStep is the job placed last, linked to those placed before.
type jointStep struct {
	job, cluster int
	before       *jointStep
}

// newJoint reads the instance. It returns nil if the search cannot treat it.
func newJoint(ctx context.Context, in *model.Instance) *joint {
	p := separable.NewWith(ctx, in, jointFeatures)
	if p == nil || len(p.Nowhere) > 0 && in.Features()&model.Precedence != 0 {
		return nil
	}
	x := &joint{p: p, index: make([]int, len(in.Jobs()))}
	for k, j := range p.Movable {
		x.index[j] = k
	}
	numbers := map[[2]int]int{} // cluster, −1 for the grid, and licence
	for k, j := range p.Movable {
		x.before, x.after, x.draws = append(x.before, 0), append(x.after, 0), append(x.draws, make([][]int, len(p.Clusters)))
		for _, first := range in.Jobs()[j].After {
			x.before[k] |= 1 << x.index[first]
		}
		for _, next := range in.Successors(int(j)) {
			x.after[k] |= 1 << x.index[next]
		}
		for c := range p.Clusters {
			if on := &p.Clusters[c].Jobs[j]; on.Size > 0 && on.Duration == 0 {
				x.instant |= 1 << k
			}
			for _, need := range in.Jobs()[j].Licences {
				for g := range in.Clusters()[c].Machines {
					if !in.Clusters()[c].Machines[g].Runs(need.Licence) && p.Clusters[c].Jobs[j].Size > 0 {
						return nil // it matters which processors a job holds
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
	for c := range p.Clusters {
		x.shares = x.shares || p.Clusters[c].MCP != separable.Weights{}
	}
	return x
}

// minimiseJointly is [Minimise] for all clusters at once.
func minimiseJointly(ctx context.Context, in *model.Instance, limit float64, maxEvals int64) (Found, error) {
	x := newJoint(ctx, in)
	if x == nil {
		return Found{Stop: model.StopReason(ctx)}, nil
	}
	x.limit, x.maxEvals = limit, maxEvals
	stop, full := x.run(ctx)
	found := Found{Stop: stop, Evaluations: x.evaluations, Least: limit, Together: true}
	found.Rounding, found.Exact = rounding(x.p)
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

// run places one job more in every state, until all jobs are placed. It returns full if there are too many states.
func (x *joint) run(ctx context.Context) (stop model.Stop, full bool) {
	const most = maxStates / 20 // these states are larger, and each is compared with more others
	n, C := len(x.p.Movable), len(x.p.Clusters)
	first := &jointState{now: x.p.Origin, ends: make([]float64, n), latest: slices.Repeat([]float64{x.p.Origin}, C),
		over: make([]float64, C), busy: make([]float64, C), jobs: make([]int32, C)}
	for c := range x.p.Clusters {
		first.free = append(first.free, int32(x.p.Clusters[c].Processors))
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
					if x.maxEvals > 0 && x.evaluations >= x.maxEvals {
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
		for _, key := range order { // in order of discovery, not in that of the map
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

// place starts job k on cluster c as early as the order of starts allows. It returns nil if the job cannot run there.
func (x *joint) place(s *jointState, k, c int) *jointState {
	job := x.p.Movable[k]
	j := &x.p.Clusters[c].Jobs[job]
	if j.Size == 0 {
		return nil
	}
	ready := j.Arrival
	for left := x.before[k]; left != 0; left &= left - 1 {
		ready = max(ready, s.ends[bits.TrailingZeros(uint(left))])
	}
	if j.Duration == 0 { // it holds no processor: it runs when it is ready
		grown := s.with(k, c, job)
		x.ends(grown, k, c, ready)
		return grown
	}
	start := max(s.now, ready)
	free, gone, draws := slices.Clone(s.free), 0, x.draws[k][c]
	lacks := func() bool {
		for d := 0; d < len(draws); d += 2 {
			if int(free[len(x.p.Clusters)+draws[d]]) < draws[d+1] {
				return true
			}
		}
		return free[c] < j.Size
	}
	for gone < len(s.running) && (s.running[gone].end <= start || lacks()) {
		start = max(start, s.running[gone].end)
		x.hold(free, s.running[gone].job, s.running[gone].cluster, +1)
		gone++
	}
	if lacks() {
		return nil
	}
	end := model.End(start, j.Duration)
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

// with copies the state and notes that job k is on cluster c. The caller enters its times.
func (s *jointState) with(k, c int, job int32) *jointState {
	return &jointState{set: s.set | 1<<k, assigned: s.assigned | uint64(c)<<(3*k), now: s.now, free: s.free, running: s.running, direct: s.direct,
		last: &jointStep{int(job), c, s.last}, ends: slices.Clone(s.ends), latest: slices.Clone(s.latest), over: slices.Clone(s.over),
		busy: slices.Clone(s.busy), jobs: slices.Clone(s.jobs)}
}

// ends counts job k, which ends on cluster c at the given time.
func (x *joint) ends(s *jointState, k, c int, end float64) {
	job := x.p.Movable[k]
	j := &x.p.Clusters[c].Jobs[job]
	s.ends[k] = end
	s.latest[c] = max(s.latest[c], end)
	s.busy[c] += j.Area()
	s.jobs[c]++
	if end > j.Deadline {
		s.over[c] += end - j.Deadline
	}
	if costs := x.p.Clusters[c].Costs; costs != nil {
		s.direct += costs[job].Of(end, clearly(j.Deadline, end, x.p.Origin))
	}
}

// hold adds sign times the resources of job k on cluster c to free.
func (x *joint) hold(free []int32, k, c int, sign int32) {
	free[c] += sign * x.p.Clusters[c].Jobs[x.p.Movable[k]].Size
	for d := 0; d < len(x.draws[k][c]); d += 2 {
		free[len(x.p.Clusters)+x.draws[k][c][d]] += sign * int32(x.draws[k][c][d+1])
	}
}

// costs is the objective of state s if all is set, which means that all jobs are placed. Otherwise it is a lower bound of the
// objective.
func (x *joint) costs(s *jointState, all bool) float64 {
	sum, latest := x.p.Constant+s.direct, x.p.Origin
	for c := range x.p.Clusters {
		cluster := &x.p.Clusters[c]
		w := cluster.At(float64(s.jobs[c]) / float64(len(x.p.Movable)))
		latest = max(latest, s.latest[c])
		makespan := s.latest[c] - x.p.Origin
		sum += w.Over * s.over[c]
		if all {
			sum += w.Makespan*makespan + w.Busy*s.busy[c]
		} else { // the weight of busy time may be negative; busy time is at most what the processors have until the end
			sum += max(0, w.Makespan+min(0, w.Busy)*cluster.Processors) * makespan
		}
	}
	if !all {
		for k := range x.p.Movable {
			if s.set&(1<<k) == 0 {
				end, cost := x.alone(s, k)
				latest, sum = max(latest, end), sum+cost
			}
		}
	}
	return sum + x.p.Makespan*(latest-x.p.Origin)
}

// alone looks at job k, which is not placed yet. It returns the earliest end of the job and a lower bound of its cost, apart
// from the makespan of its cluster. Each of the two is the least over all clusters.
func (x *joint) alone(s *jointState, k int) (end, cost float64) {
	ready := x.p.Origin
	for left := x.before[k] & s.set; left != 0; left &= left - 1 {
		ready = max(ready, s.ends[bits.TrailingZeros(uint(left))])
	}
	end, cost = math.Inf(1), math.Inf(1)
	job := x.p.Movable[k]
	for c := range x.p.Clusters {
		cluster := &x.p.Clusters[c]
		j := &cluster.Jobs[job]
		if j.Size == 0 {
			continue
		}
		ends := max(ready, j.Arrival)
		if j.Duration > 0 {
			ends = max(ends, s.now) + j.Duration
		}
		own := 0.0
		if ends > j.Deadline { // the cluster gets at least one job more
			own += cluster.At(float64(s.jobs[c]+1)/float64(len(x.p.Movable))).Over * (ends - j.Deadline)
		}
		if cluster.Costs != nil {
			own += cluster.Costs[job].Of(ends, clearly(j.Deadline, ends, x.p.Origin))
		}
		end, cost = min(end, ends), min(cost, own)
	}
	return end, cost
}
