// Package muscle holds MUSCLE, the multicluster scheduling lever of He et al. (2004).
package muscle

import (
	"cmp"
	"context"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name: "muscle",
	Doc: "MUSCLE: puts jobs that together fill a space exactly on the same cluster, and balances the clusters by load and slack. " +
		"O(n²·m) in the worst case for n jobs and a largest cluster of m processors. It plans the whole batch at once, from the latest arrival on; " +
		"where an instance asks for more than the paper's jobs do, the packing decides clusters and order, and each job starts as early as it may.",
	Source: "L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), Hybrid performance-based workload management for multiclusters and grids, IEE Proc. Software 151(5), pp. 224–231, §4, algorithms 1–4",
	Traces: true,
	New:    func() solve.Solver { return newSolver() },

	Work: work,
})

// Solver is MUSCLE, the multicluster scheduling lever. It puts the jobs of a batch into a table of compositions, groups of jobs
// that fill a space of 1, 2, … processors exactly (Algorithm 1). Then it takes the cluster with the least
//
//	ε = p·etSum·sizeSum/(slkSum·m)                                                         (eq. 3)
//
// over its p jobs so far (sums of execution times, sizes and slacks; m processors), fills the earliest space in it with
// jobs from the table (algorithms 2 and 3) and repeats until every job is placed (Algorithm 4). TITAN, or any solver that
// improves a schedule, is meant to start from the result: on its own it starves wide jobs once the spaces break up.
//
// Source: L. He, S. A. Jarvis, D. P. Spooner, X. Chen, G. R. Nudd (2004), "Hybrid performance-based workload management
// for multiclusters and grids", IEE Proc. Software 151(5), pp. 224–231, §4.
//
// Units: those of the instance; ε is in processor·jobs. Complexity: the table takes O(n²·m) time in the worst case, as in
// the paper, for n jobs and the largest cluster's m processors, in practice near O(n·m); memory is 4 bytes for each pair
// of a size and a row and 12 to 20 for each composition, of which there are at most n + n·m/2 and on random batches less
// than half as many. 10,000 jobs on 512 processors take half a second and 40 MB.
//
// It refuses nothing. The paper's job has an arrival, a size, a time on each cluster and a soft deadline. On instances that ask for no more, what MUSCLE packs is
// the schedule, also beside processors that earlier jobs hold ([model.Commitments]); background load is no hindrance, as a plan states nominal times. When the
// context ends, the jobs not yet packed are put behind the others in shelves. Options.Start is not used. The last item of the list says how it serves other instances.
//
// Deviations from the paper:
//   - Jobs that arrive at different times: the batch is complete with the latest arrival, and nothing starts before it.
//     The slack counts from a job's own arrival, as printed. The queue is in order of arrival, or by deadline (Queue).
//   - Steps 1 and 9 let later batches see the jobs of earlier ones. The earlier jobs stay where they are: a space begins when the last of them
//     releases its processors, so a gap between them stays empty. In eq. 3 an earlier job counts until it ends, with what is left of its
//     execution time. Its slack stays that of eq. 3: a slack that waiting lessens falls below zero on a busy cluster and says nothing there.
//     In rolling use too a job's slack counts from its own arrival, not from the round that plans it.
//   - Algorithm 1 leaves open which composition is taken: the first in the row that contains neither the job nor any job
//     that stands in the row to be filled. A job wider than every cluster enters no row and is left out with a reason.
//   - Algorithms 2 and 3: a job in q counts as allocated; Algorithm 2 looks through a composition at most once per call
//     from Algorithm 3, and fails with no candidate left (as printed it may recurse for ever); q is emptied on failure
//     and before each new rc; step 9 means the outcome of Algorithm 2; at rc = 0 the space fails.
//   - Spaces, which the paper does not define: t is the cluster's earliest release time and a space a longest run of
//     processors free at t, tried from the lowest processor on. If none can be filled, those processors are held until
//     the next release time and merge with what is free then; a cluster that is all free and cannot be filled closes. The
//     jobs in q stand side by side from the first processor of the space; the rest of it stays free at t.
//   - Eq. 3 is 0 for a cluster without jobs, and slkSum at least 1e-9, as a sum of slacks may be 0 or less. A job without
//     a deadline adds no slack. Where no job has one, slkSum is p², so that ε is etSum·sizeSum/(p·m), the load of a
//     processor. A deadline that the objective does not count is none, unless it orders the queue; nor is one beyond the
//     end of every schedule.
//   - Algorithm 4, as printed, and §4.3 differ on the cluster: see Reading. Ties go to the cluster with the most
//     processors, then to one drawn at random by the seed.
//   - Steps 1, 2 and 11 collect one batch. A batch whose table would have more than 2²⁷ cells (jobs × rows) is cut in the
//     order of the queue, and each part packed behind those before it with a table of its own.
//   - Instances that ask for more (hard deadlines, precedence, memory, licences, bandwidth, a choice of processors, machines that differ, spans, clusters that
//     cannot run every job, sizes that differ between clusters): MUSCLE packs a plainer view of the instance, and [plan.Schedule] places the jobs in the order
//     of their starts in the packing, each on its cluster as early as it honours everything, from the job's own arrival on. A job that cannot run there, or
//     not by its hard deadline, goes where it ends first. In the plainer view a job has the least size that it may have. Where machines differ, its time is
//     that on machines of the cluster's mean speed with its slowest link. Jobs are packed in batches by the longest chain of jobs before them. Jobs that must
//     spread over several clusters are not packed: they come first of all that are ready. Clusters on which the same jobs can run, each with the same size, have
//     a composition table in common; a job that is allocated from one table is allocated in all. When the context ends there is no schedule.
type Solver struct {
	Reading string `enum:"a,b" doc:"which cluster is next: a, the one with the least ε (Algorithm 4 as printed); b, the one with the earliest space, then the least ε (§4.3)"`
	Queue   string `enum:"arrival,edd" doc:"order of the jobs in the composition table: by arrival or by deadline"`
	list.Filling

	cells int // largest table, in cells; 0: maxCells
}

// newSolver is the solver with its defaults.
func newSolver() *Solver { return &Solver{Reading: "a", Queue: "arrival"} }

// ByObjective says that deadlines which the objective does not count do not concern it, unless they order the queue.
func (m *Solver) ByObjective() bool { return m.Queue != "edd" }

// maxCells limits the composition table of one batch, and with it the memory.
const maxCells = 1 << 27

// Supports implements [solve.Solver].
func (m *Solver) Supports(in *model.Instance) error {
	return m.Unsupported(in, plan.ScheduleFeatures)
}

// plain says whether nothing beyond the paper's model can bind, so that what MUSCLE packs is the schedule. binding are the features of the instance that can bind.
func plain(in *model.Instance, binding model.Features) bool {
	if binding&^(model.Arrivals|model.ParallelJobs|model.UnrelatedTimes|model.BackgroundLoad|model.Commitments) != 0 {
		return false
	}
	whole := func(c model.Cluster) bool { return c.WholeMachines }
	return !in.Features().Has(model.ParallelJobs) || !slices.ContainsFunc(in.Clusters(), whole) || !slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return !whole(c) })
}

// Solve implements [solve.Solver].
func (m *Solver) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := m.Supports(in); err != nil {
		return solve.Result{}, err
	}
	if err := params.Check(m); err != nil {
		return solve.Result{}, err
	}
	run := newPacking(ctx, m, in, opt.Seed)
	if !plain(in, in.Binding()) {
		return run.replace(ctx, opt, list.Machines{Filling: m.Filling})
	}
	run.trace = opt.Trace
	queue := run.queue()
	run.packAll(queue)
	result := solve.Result{Status: model.Feasible, Stop: model.StopDone, Evaluations: 1}
	if run.poll.Ended() && run.shelve(queue) > 0 {
		result.Stop = model.StopReason(ctx)
	}
	result.Solution = run.solution()
	return result, nil
}

// packAll packs jobs in queue order, in batches.
func (run *packing) packAll(queue []int) {
	for len(queue) > 0 && !run.poll.Ended() {
		n := run.batch(queue)
		run.pack(queue[:n])
		queue = queue[n:]
	}
}

// packing is one run of the solver.
type packing struct {
	*Solver
	in       *model.Instance
	poll     *kit.Poll
	rng      *rand.Rand
	clusters []cluster
	widest   int        // the most processors of a cluster
	tied     []*cluster // scratch of choose
	sizes    [][]int    // by kind of clusters and job; 0: it cannot run there
	placed   []model.Placement
	sets     []model.Range // by job: what the placements' processors are slices of
	out      []model.Unscheduled
	trace    func(solve.Step) // nil: nobody listens
}

func newPacking(ctx context.Context, m *Solver, in *model.Instance, seed uint64) *packing {
	n := len(in.Jobs())
	run := &packing{
		Solver: m, in: in,
		poll:     kit.NewPoll(ctx),
		rng:      rand.New(rand.NewPCG(seed, 0)),
		clusters: make([]cluster, len(in.Clusters())),
		placed:   make([]model.Placement, n),
		sets:     make([]model.Range, n),
	}
	due := slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return j.HasDeadline() }) || slices.ContainsFunc(in.Held(), func(h model.Hold) bool { return h.Job.HasDeadline() })
	complete := 0.0 // when the batch is
	for j := range n {
		complete = max(complete, in.Jobs()[j].Arrival)
	}
	for c := range run.clusters {
		processors := in.Clusters()[c].Processors
		run.widest = max(run.widest, processors)
		run.clusters[c] = cluster{index: c, processors: processors, now: complete, kind: run.kind(c), due: due}
		run.clusters[c].begin(in.HeldUntil(c))
	}
	for _, h := range in.Held() {
		for _, piece := range h.Pieces {
			run.clusters[piece.Cluster].hold(h, piece, complete)
		}
	}
	run.poll.Stopped(0)
	return run
}

// kind is the number of the kind of the cluster: those on which each job has the same size, or cannot run.
func (run *packing) kind(cluster int) int {
	sizes := make([]int, len(run.in.Jobs()))
	for j := range sizes {
		if s, _ := run.in.Width(j, cluster); s > run.in.Clusters()[cluster].Processors || run.in.CanRun(j, cluster) {
			sizes[j] = s
		}
	}
	k := slices.IndexFunc(run.sizes, func(other []int) bool { return slices.Equal(other, sizes) })
	if k < 0 {
		k, run.sizes = len(run.sizes), append(run.sizes, sizes)
	}
	return k
}

// queue lists the jobs that fit a cluster in queue order and leaves out the others. The instance is plain.
func (run *packing) queue() []int {
	sizes := run.sizes[0]
	why := map[int]string{} // by size, the only thing that can keep a job off every cluster
	for j, s := range sizes {
		if s > run.widest {
			if why[s] == "" {
				why[s] = run.in.WhyNowhere(j)
			}
			run.out = append(run.out, model.Unscheduled{Job: run.in.Jobs()[j].ID, Reason: why[s]})
		}
	}
	return slices.DeleteFunc(run.order(), func(j int) bool { return sizes[j] > run.widest })
}

// order lists all jobs in queue order.
func (run *packing) order() []int {
	order := plan.ArrivalOrder(run.in)
	if run.Queue == "edd" {
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Compare(run.in.Jobs()[a].Deadline, run.in.Jobs()[b].Deadline)
		})
	}
	return order
}

// batch is the number of jobs at the head of the queue whose composition table is within the limit; at least one.
func (run *packing) batch(queue []int) int {
	limit := cmp.Or(run.cells, maxCells)
	sum := 0
	for n, j := range queue {
		most := 0
		for _, sizes := range run.sizes {
			most = max(most, sizes[j])
		}
		sum += most
		if n > 0 && (n+1)*min(sum, run.widest)*len(run.sizes) > limit {
			return n
		}
	}
	return len(queue)
}

// batchTable is the composition table of a batch for one kind of clusters.
type batchTable struct {
	*compositionTable
	jobs []int         // of the instance, by job of the table
	at   map[int]int32 // the other way round; nil: there is one table
}

// tables makes the tables of the batch; nil where the context ended first.
func (run *packing) tables(batch []int) []batchTable {
	list := make([]batchTable, len(run.sizes))
	for k, all := range run.sizes {
		widest := 0
		for c := range run.clusters {
			if run.clusters[c].kind == k {
				widest = max(widest, run.clusters[c].processors)
			}
		}
		t, sizes := &list[k], make([]int32, 0, len(batch))
		if len(list) > 1 {
			t.at = map[int]int32{}
		}
		for _, j := range batch {
			if all[j] == 0 || all[j] > widest {
				continue
			}
			if t.at != nil {
				t.at[j] = int32(len(sizes))
			}
			t.jobs, sizes = append(t.jobs, j), append(sizes, int32(all[j]))
		}
		if t.compositionTable = newCompositionTable(sizes, widest, run.poll); !t.build() {
			return nil
		}
		if run.trace != nil && len(sizes) > 0 {
			run.tellTable(t)
		}
	}
	return list
}

// pack places a batch of jobs behind what is placed already (Algorithm 4, steps 3 to 10). Each of them fits a cluster.
func (run *packing) pack(batch []int) {
	tables := run.tables(batch)
	if tables == nil {
		return
	}
	for c := range run.clusters {
		run.clusters[c].closed = tables[run.clusters[c].kind].count == 0
	}
	for left := len(batch); left > 0 && !run.poll.Stopped(len(run.clusters)); {
		c := run.choose()
		if n := run.fillSpace(c, tables); n > 0 {
			left -= n
			continue
		}
		if tables[c.kind].count == 0 { // the jobs left cannot run there
			c.closed = true
			continue
		}
		if run.trace != nil && !run.poll.Ended() {
			run.tellWait(c)
		}
		c.wait()
	}
}

// choose is the open cluster whose turn it is. While jobs are left there is one: a cluster that is wide enough for a job left does not close.
func (run *packing) choose() *cluster {
	run.tied = run.tied[:0]
	for k := range run.clusters {
		c := &run.clusters[k]
		if c.closed {
			continue
		}
		order := -1
		if len(run.tied) > 0 {
			order = run.precedence(c, run.tied[0])
		}
		if order < 0 {
			run.tied = run.tied[:0]
		}
		if order <= 0 {
			run.tied = append(run.tied, c)
		}
	}
	if len(run.tied) == 1 {
		return run.tied[0]
	}
	return run.tied[run.rng.IntN(len(run.tied))]
}

// precedence is negative where the turn of a comes before that of b, and 0 where only chance decides.
func (run *packing) precedence(a, b *cluster) int {
	order := 0
	if run.Reading == "b" {
		order = cmp.Compare(a.now, b.now)
	}
	return cmp.Or(order, cmp.Compare(a.epsilon, b.epsilon), cmp.Compare(b.processors, a.processors))
}

// fillSpace puts jobs of the cluster's table into its earliest space that takes any, and counts them; 0: no space does.
func (run *packing) fillSpace(c *cluster, tables []batchTable) int {
	table := &tables[c.kind]
	for k, space := range c.free {
		found := table.fill(space.Len())
		if found == nil {
			continue
		}
		var step *solve.Step
		if run.trace != nil {
			step = run.filling(c, space, table)
		}
		first := space.First
		for _, job := range found {
			j := table.jobs[job]
			first = run.place(c, j, c.now, first)
			for other := range tables {
				if at, ok := tables[other].at[j]; ok && other != c.kind {
					tables[other].allocate(at)
				}
			}
		}
		if step != nil {
			run.tellFilled(step, found, table.jobs)
		}
		if c.free[k].First = first; first > space.Last {
			c.free = slices.Delete(c.free, k, k+1)
		}
		c.settle()
		return len(found)
	}
	return 0
}

// place puts the job on the processors of the cluster from first on and returns the processor after its last.
func (run *packing) place(c *cluster, job int, start float64, first int) int {
	j, size := &run.in.Jobs()[job], run.sizes[c.kind][job]
	length := run.time(c, job, size)
	set := run.sets[job : job+1 : job+1]
	set[0] = model.Range{First: first, Last: first + size - 1}
	run.placed[job] = model.Placement{Job: j.ID, Cluster: run.in.Clusters()[c.index].ID, Processors: set, Start: start, End: model.End(start, length)}
	c.busy.Push(release{model.End(start, length), set[0]})
	c.add(length, size, slack(j, run.in.Submitted(job), length))
	return first + size
}

// slack is deadline − arrival − execution time of a job (eq. 3); 0 without a deadline. The arrival is the job's own, whatever round plans it.
func slack(j *model.Job, arrival, length float64) float64 {
	if !j.HasDeadline() {
		return 0
	}
	return j.Deadline - arrival - length
}

// solution is the schedule, in the order of the instance.
func (run *packing) solution() *model.Solution {
	placed := slices.DeleteFunc(run.placed, func(p model.Placement) bool { return p.Job == "" })
	return &model.Solution{Jobs: placed, Unscheduled: run.out}
}

// shelve places the jobs that are not placed yet when the context ends, and counts them. Each cluster gets shelves, one
// after another behind its last release: a job goes to the right of the one before it where it fits, else it opens the next
// shelf at the end of the longest job on this one.
func (run *packing) shelve(queue []int) int {
	const candidates = 16 // clusters to choose among: a bound on the time
	order := make([]*cluster, len(run.clusters))
	for k := range run.clusters {
		order[k] = &run.clusters[k]
		order[k].openShelf()
	}
	slices.SortStableFunc(order, func(a, b *cluster) int { return cmp.Compare(b.processors, a.processors) })
	count := 0
	for _, j := range queue {
		if run.placed[j].Job != "" {
			continue
		}
		size := run.sizes[0][j]
		wide := sort.Search(len(order), func(k int) bool { return order[k].processors < size })
		best := order[count%wide]
		for k := 1; k < min(wide, candidates); k++ {
			if c := order[(count+k)%wide]; c.shelfStart(size) < best.shelfStart(size) {
				best = c
			}
		}
		if best.shelf+size > best.processors {
			best.now, best.shelf = best.shelfEnd, 0
		}
		best.shelf = run.place(best, j, best.now, best.shelf)
		best.shelfEnd = max(best.shelfEnd, run.placed[j].End)
		if run.trace != nil {
			run.tellShelved(j)
		}
		count++
	}
	return count
}
