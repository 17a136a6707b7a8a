// Package titan holds TITAN, which improves schedules with the genetic algorithm of package ga.
package titan

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/allot-opt/allot/ga"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/dll"
)

var _ = solve.Register(solve.Info{
	Name: "titan",
	Doc: "TITAN: improves a schedule by a genetic algorithm; without one, that of dll. Jobs stay on its clusters. It searches each cluster alone where the objective comes apart by cluster and the jobs " +
		"ask for processors only: O(n·m) an evaluation for n jobs on a cluster of m processors. Otherwise it searches one order of all jobs and evaluates the whole list schedule. " +
		"A search takes at most population · (generations + 1) evaluations.",
	Source: "L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), Hybrid performance-based workload management for multiclusters and grids, IEE Proc. Software 151(5), pp. 224–231, §3, eqs. 1–2",
	New:    func() solve.Solver { return newSolver() },

	Starts: true,
})

// Solver is TITAN, the manager of the single cluster: a genetic algorithm that starts from the schedule that MUSCLE, or any other
// solver, made for the cluster's jobs, and from random ones. Each cluster is searched alone, as in the paper, where the two
// levels do not talk; so the clusters run in parallel, each with random numbers of its own. How a schedule is coded, and
// the operators, are those of package ga. It takes every feature and every objective: what the clusters alone do not decide is searched in the general
// form, see below.
//
// Source: L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), "Hybrid performance-based workload management
// for multiclusters and grids", IEE Proc. Software 151(5), pp. 224–231, §3, eqs. 1–2.
//
// Units: those of the instance. Complexity: O(n·m) an evaluation for n jobs on a cluster of m processors; memory, in the
// mask coding, 2·population·n·m/8 bytes for each cluster that is searched at a time, at most 1 GiB: above that it asks for the list coding.
//
// Clusters are searched alone as long as the objective comes apart by cluster while the jobs stay where they are: mcp (CP of each
// cluster, as in the paper), idle_time, over_deadline, mean_response, mean_wait and weighted sums of them; metrics that the
// start alone decides (finished, unfinished, data_moved, work_done) may be added. The makespan is the largest of the
// clusters' own and is minimised by minimising each; beside other metrics it comes apart only on a single cluster. The jobs may ask for no more than
// [plan.RigidFeatures].
//
// In rolling use ([model.Commitments]) a cluster's makespan, idle time and CP are those of the batch and of what is left of the held jobs, as
// MUSCLE counts these: jobs that came with the batch.
//
// Where nothing better is found for a cluster it keeps the schedule of the start, so the result is never worse. The start must pass the checker and
// keep off the processors that are held. Clusters on which it has jobs in pieces stay as they are; jobs that it leaves out stay out. MaxEvals is shared among the clusters in advance, in proportion to their jobs;
// evaluations that one cluster leaves are not used by others.
//
// The general form has one population of orders of all jobs. Package plan makes a list schedule of an order, each job on the cluster that it has in the
// start, and the evaluator computes its objective: O(n log n) an evaluation besides the search for slots. One goroutine does it, whatever Workers says. A
// schedule that leaves out fewer jobs is better, then one of a lower objective; where none is better than the start, the start is the result. What
// the form makes of a feature:
//   - Masks: the coding is the list coding, whatever Coding says, as a set of processors fixed in advance may lack memory, licences or links.
//   - Jobs that wait for others: they move behind these in the order.
//   - Hard deadlines: a job that would be late on its cluster goes to where it ends first of all clusters, and is left out if it is late there too. Jobs
//     that the start leaves out are tried again, each where it ends first.
//   - Memory, bandwidth, licences, jobs on one machine, mixed machines, background load: slots honour them.
//   - Moldable jobs: they take the number of processors with which they end first, as the coding has none; so the widths of the start may be lost, and a
//     start that owes its objective to them stays.
//   - Jobs in several pieces: they run whole on the cluster of their first piece; those that fit no cluster spread as package plan spreads them.
//   - Commitments: jobs are placed behind what is held; the objective is that of the batch alone.
//   - Objectives that may be infinite: an infinite one has fitness 0 beside finite ones.
//   - Objectives that the clusters of the jobs decide alone, such as qos_penalty on clusters of one machine: there is nothing to improve.
//
// Deviations from the paper:
//   - It gives no rates, no size of the population and no threshold of the stop: the defaults of the parameters are ours. Its stop is patience=1.
//   - Objectives other than CP, and the list coding, which has no masks: it is smaller to search and far better.
//   - The general form: in the paper each cluster has its own TITAN, and jobs ask for processors only.
//   - Those of package ga.
type Solver struct{ ga.Parameters }

// newSolver is the solver with its defaults.
func newSolver() *Solver { return &Solver{ga.NewParameters()} }

// maskMemory limits the masks of one cluster's population, in bytes.
const maskMemory = 1 << 30

// Memory implements [solve.Sized]: two generations of the population, an order of the jobs each and, in the mask coding, their masks.
func (t *Solver) Memory(in *model.Instance) int64 {
	const schedule = 256 // bytes of an individual besides
	jobs, population := int64(len(in.Jobs())), int64(t.Population)
	orders := 2 * population * (schedule + 8*jobs)
	if t.Coding != ga.Mask || !comesApart(in) {
		return orders
	}
	masks := int64(0)
	for k := range in.Clusters() {
		masks = max(masks, 2*8*population*jobs*int64(ga.Words(in.Clusters()[k].Processors)))
	}
	return orders + min(masks, maskMemory*int64(len(in.Clusters()))) // what takes more it refuses
}

// Supports implements [solve.Solver].
func (*Solver) Supports(in *model.Instance) error {
	return solve.Unsupported(in, plan.ScheduleFeatures)
}

// comesApart says whether the clusters can be searched one by one.
func comesApart(in *model.Instance) bool {
	_, sum := goalOf(in)
	return sum && in.Binding()&^(plan.RigidFeatures|model.Commitments) == 0
}

// Solve implements [solve.Solver].
func (t *Solver) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := t.Supports(in); err != nil {
		return solve.Result{}, err
	}
	if err := params.Check(t); err != nil {
		return solve.Result{}, err
	}
	opt.Trace = nil // the steps of DLL are not its own
	evaluations := int64(0)
	if opt.Start == nil {
		cold, err := dll.New().Solve(ctx, in, opt)
		if err != nil || cold.Solution == nil {
			return cold, err
		}
		opt.Start, evaluations = cold.Solution, cold.Evaluations
		if opt.MaxEvals > 0 {
			if opt.MaxEvals -= evaluations; opt.MaxEvals <= 0 {
				cold.Stop = model.StopEvaluations
				return cold, nil
			}
		}
	}
	if !comesApart(in) {
		return searchWhole(ctx, in, t.Parameters, opt, evaluations)
	}
	run, err := newEvolution(ctx, in, t.Parameters, opt)
	switch {
	case err != nil:
		return solve.Result{}, err
	case run == nil:
		return solve.Result{Solution: copyOf(opt.Start), Status: model.Feasible, Stop: model.StopReason(ctx), Evaluations: evaluations}, nil
	}
	run.evaluations = evaluations
	if err := run.search(ctx); err != nil {
		return solve.Result{}, err
	}
	result, err := run.result(ctx)
	result.Evaluations += evaluations
	return result, err
}

// evolution is one run of the solver.
type evolution struct {
	in         *model.Instance
	opt        solve.Options
	goal       goal
	parameters ga.Parameters
	clusters   []cluster // those that have jobs
	held       []load    // by cluster of the instance
	counted    int       // jobs of the start, and of held

	offset float64 // the objective without what depends on the schedules

	lock        sync.Mutex // of what follows, while the clusters are searched
	turn        int        // place in the order of the search of the first cluster whose search has not ended
	ended       []bool     // by place: the search has ended
	queued      [][]report // by place: reports that wait for the searches before to end
	evaluations int64      // counted for the progress
	costs       []float64  // of the best schedule so far, by cluster; then that of all clusters that stay as they are, where the worst counts
}

// cluster is a cluster with its jobs in the order of the start, which is the order of the seed schedule.
type cluster struct {
	index   int   // in the instance
	from    []int // placements of the start
	jobs    []int // of the instance
	problem ga.Cluster
	seed    ga.Schedule
	limit   int64   // evaluations; 0: no limit
	cost    float64 // of the start's schedule
	best    ga.Result
	err     error
}

// report is what the search of cluster k tells after a generation: the evaluations since the report before, and the best cost.
type report struct {
	k           int
	evaluations int64
	cost        float64
}

// search improves the clusters, those with the most jobs first.
func (run *evolution) search(ctx context.Context) error {
	order := make([]int, len(run.clusters))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(run.clusters[b].jobs), len(run.clusters[a].jobs)) })
	run.turn, run.ended, run.queued = 0, make([]bool, len(order)), make([][]report, len(order))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(max(1, run.opt.Workers), len(order)) {
		workers.Go(func() {
			for k := next.Add(1) - 1; k < int64(len(order)); k = next.Add(1) - 1 {
				run.improve(ctx, int(k), order[k])
				run.end(int(k))
			}
		})
	}
	workers.Wait()
	for k := range run.clusters {
		if err := run.clusters[k].err; err != nil {
			return err
		}
	}
	return nil
}

// improve searches cluster k, which has the place in the order of the search.
func (run *evolution) improve(ctx context.Context, place, k int) {
	c := &run.clusters[k]
	if run.opt.MaxEvals > 0 && c.limit == 0 {
		c.best = ga.Result{Cost: math.NaN(), Stop: ga.Evaluations}
		return
	}
	if ctx.Err() != nil { // making a large population takes long
		c.best = ga.Result{Cost: math.NaN(), Stop: ga.Cancelled}
		return
	}
	stream := rand.NewPCG(run.opt.Seed, uint64(c.index))
	reported := int64(0)
	c.best, c.err = ga.Minimise(ctx, c.problem, c.seed, run.parameters, int64(stream.Uint64()>>1), ga.Limits{
		Evaluations: c.limit,
		Progress: func(evaluations int64, cost float64) {
			run.report(place, report{k, evaluations - reported, cost})
			reported = evaluations
		},
	})
}

// report tells the progress if the searches at all places before have ended. Otherwise the report waits for that, so that the progress is the same at any
// number of workers.
func (run *evolution) report(place int, r report) {
	if run.opt.Progress == nil {
		return
	}
	run.lock.Lock()
	defer run.lock.Unlock()
	if place > run.turn {
		run.queued[place] = append(run.queued[place], r)
		return
	}
	run.tell(r)
}

// end notes that the search at the place has ended, and tells the reports that waited for it.
func (run *evolution) end(place int) {
	run.lock.Lock()
	defer run.lock.Unlock()
	run.ended[place] = true
	for run.turn < len(run.ended) && run.ended[run.turn] {
		if run.turn++; run.turn < len(run.queued) {
			for _, r := range run.queued[run.turn] {
				run.tell(r)
			}
			run.queued[run.turn] = nil
		}
	}
}

// tell counts the evaluations of a report and tells the progress.
func (run *evolution) tell(r report) {
	run.evaluations += r.evaluations
	run.costs[r.k] = min(run.costs[r.k], r.cost)
	run.opt.Progress(solve.Progress{Evaluations: run.evaluations, Objective: run.offset + run.goal.combine(run.costs), Left: run.in.Owed(run.opt.Start)})
}

// result puts the schedules of the clusters together. The jobs stay in the order of the start, so that the evaluator's sums over unchanged clusters
// stay the same to the last digit.
func (run *evolution) result(ctx context.Context) (solve.Result, error) {
	solution := copyOf(run.opt.Start)
	result := solve.Result{Solution: solution, Status: model.Feasible, Stop: model.StopDone}
	for k := range run.clusters {
		c := &run.clusters[k]
		result.Evaluations += c.best.Evaluations
		switch {
		case c.best.Stop == ga.Cancelled:
			result.Stop = model.StopReason(ctx)
		case c.best.Stop == ga.Evaluations && result.Stop == model.StopDone:
			result.Stop = model.StopEvaluations
		}
	}
	if run.parameters.Coding == ga.List {
		return result, run.placeLists(solution.Jobs)
	}
	run.placeMasks(solution.Jobs)
	return result, nil
}

// copyOf is a new solution with the schedule of another.
func copyOf(s *model.Solution) *model.Solution {
	c := &model.Solution{Jobs: slices.Clone(s.Jobs), Unscheduled: slices.Clone(s.Unscheduled)}
	for k := range c.Jobs {
		c.Jobs[k].Processors, c.Jobs[k].Pieces = slices.Clone(c.Jobs[k].Processors), slices.Clone(c.Jobs[k].Pieces)
	}
	return c
}

// improved says whether the search found a schedule better than the start's by more than the rounding errors of the sums, which the evaluator adds
// up in another order.
func (c *cluster) improved() bool {
	rounding := model.Tolerance * (math.Abs(c.cost) + math.Abs(c.problem.Cost.Constant))
	return c.best.Cost < c.cost-rounding // not where it is NaN: not even the seed was evaluated
}

// placeMasks moves the jobs of improved clusters to where the masks put them.
func (run *evolution) placeMasks(placements []model.Placement) {
	for k := range run.clusters {
		c := &run.clusters[k]
		if !c.improved() {
			continue
		}
		starts, words := c.problem.Starts(c.best.Best), ga.Words(c.problem.Processors)
		for id, at := range c.from {
			p := &placements[at]
			p.Processors = maskSet(c.best.Best.Masks[id*words : (id+1)*words])
			p.Start, p.End = starts[id], model.End(starts[id], c.problem.Jobs[id].Duration)
		}
	}
}

// placeLists moves the jobs of improved clusters to where the list schedule puts them.
func (run *evolution) placeLists(placements []model.Placement) error {
	lists, err := plan.NewSchedule(run.in)
	if err != nil {
		return err
	}
	var moved []int // placements, in the order of the list schedule
	for k := range run.clusters {
		c := &run.clusters[k]
		if !c.improved() {
			continue
		}
		for _, id := range c.best.Best.Order {
			slot, _ := lists.Earliest(c.jobs[id], c.index)
			lists.Place(c.jobs[id], slot)
			moved = append(moved, c.from[id])
		}
	}
	for k, p := range lists.Solution().Jobs {
		placements[moved[k]] = p
	}
	return nil
}
