package bound

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/proof"
)

// Duty says whether a schedule that owes as few jobs as [Relaxation.Owed] says has to place a job, may leave it out, or must leave it out.
type Duty uint8

// The duties, the gravest last.
const (
	MustPlace Duty = iota // the job is owed, see [model.Instance.Owes], or one that is owed waits for it
	MayLeave              // the objective alone says what it costs to leave the job out
	MustLeave             // nothing can run the job, see [model.Instance.Runs], or even alone it ends after its hard deadline or the horizon, or it waits for such a job
)

// Relaxation holds the facts of an instance from which a [Method] computes its bound: the jobs that every schedule has to place that owes no more than it must,
// the least time and the least processor time of each, and its earliest start and end. Earliest means that the job waits only for
// its arrival and for the jobs before it: for the longest chain of them, and for all that they hold of the processors and of each licence. All times count from the earliest arrival.
//
// All methods share the slices that a Relaxation returns, and must not change them. Its numbers are computed in double precision; a method states in a
// [Sum] how many operations went into its result. Only one goroutine at a time may use a Relaxation.
type Relaxation struct {
	in     *model.Instance
	duties []Duty              // by job
	owed   int                 // see Owed
	must   []int               // the jobs that have to be placed
	all    bool                // all jobs have to be placed
	can    []bool              // by job and cluster: see canRun
	over   [][]bool            // by job: the clusters that it may hold processors of as one of several, see [model.Instance.SpreadOver]
	fast   []fastest           // by cluster
	least  []float64           // by job: shortest execution time anywhere
	start  []float64           // by job: earliest start
	latest [2][]float64        // see latestEnds; nil: not asked for yet
	exact  []*big.Rat          // see exactStarts; nil: not asked for yet
	groups int                 // of machines, of all clusters
	asked  *kit.Poll           // by the method that looks at each job alone, see stopped; nil: none is at work
	mosts  map[string]*big.Rat // see most
	// Sets of jobs that exclude each other, of which some are owed therefore.
	conflict []conflict
	named    []conflict   // these, and sets of jobs that are not owed
	excluded map[int]bool // the jobs of these sets

	length   float64         // the latest earliest start, plus the least times of all jobs
	solid    bool            // see isSolid
	depth    int             // jobs of the longest chain of precedence
	waited   int             // the most jobs whose ends may each move an earliest start by their rounding
	grains   [2]*grain       // see grainOf; nil: not asked for yet
	known    *model.Instance // see kept; nil: not asked for yet
	prices   Prices          // see AreaPrices; Price nil: not asked for yet
	sets     []Prices        // see priceSets; nil: not asked for yet
	areaRows [][]float64     // see Areas; nil: not asked for yet

	scaled bool        // see wholeTimesOf
	whole  *wholeTimes // nil: there is none
	// No makespan of that problem below refuted is possible, as some method has proved. Other methods may begin there.
	refuted int32
	refutes func() *proof.Argument // what proves that; nil: it is not asked for
}

// Instance returns the instance.
func (r *Relaxation) Instance() *model.Instance { return r.in }

// Owed is a number of jobs: every schedule owes at least as many, see [model.Instance.Owed]. A bound is one of the schedules that owe no more. Where there is
// none it says nothing.
func (r *Relaxation) Owed() int { return r.owed }

// All says that all jobs have to be placed.
func (r *Relaxation) All() bool { return r.all }

// MustPlace returns the positions in the instance of the jobs that have to be placed, in ascending order.
func (r *Relaxation) MustPlace() []int { return r.must }

// Duty is the duty towards job j.
func (r *Relaxation) Duty(j int) Duty { return r.duties[j] }

// ShortestTime is the least time that job j takes on any cluster, or +Inf if none can run it.
func (r *Relaxation) ShortestTime(j int) float64 { return r.least[j] }

// EarliestStart is the earliest time at which job j can start.
func (r *Relaxation) EarliestStart(j int) float64 { return r.start[j] }

// Solid says that every job holds a fixed number of processors of one cluster from its start to its end, however it is placed. Where it is
// false a job may spread over several clusters, choose its number of processors, or release some of them early.
func (r *Relaxation) Solid() bool { return r.solid }

// newRelaxation looks at every job. It returns nil if the context ends first.
func newRelaxation(ctx context.Context, in *model.Instance) *Relaxation {
	if ctx.Err() != nil {
		return nil
	}
	n := len(in.Jobs())
	r := &Relaxation{in: in, duties: make([]Duty, n), can: make([]bool, n*len(in.Clusters())), over: make([][]bool, n), fast: fastestOf(in), excluded: map[int]bool{}, least: make([]float64, n), start: make([]float64, n), solid: true}
	for c := range in.Clusters() {
		r.groups += len(in.Clusters()[c].Machines)
	}
	depth, heads, latest := make([]int, n), newHeads(r), 0.0
	for _, j := range plan.ArrivalOrder(in) { // a job comes after the jobs it waits for
		if ctx.Err() != nil {
			return nil
		}
		job := &in.Jobs()[j]
		r.over[j], r.least[j] = in.SpreadOver(j), math.Inf(1)
		for c := range in.Clusters() {
			r.can[j*len(in.Clusters())+c] = in.CanRun(j, c)
			r.least[j] = min(r.least[j], r.shortestOn(j, c))
		}
		r.start[j] = job.Arrival - in.FirstArrival()
		never := false
		for _, before := range job.After {
			never = never || r.duties[before] == MustLeave
			r.start[j] = max(r.start[j], r.start[before]+r.least[before])
			depth[j] = max(depth[j], 1+depth[before])
		}
		r.depth, r.waited = max(r.depth, depth[j]), max(r.waited, depth[j])
		r.start[j] = r.openFrom(j, heads.raise(j, r.start[j]))
		heads.add(j)
		r.solid = r.solid && r.isSolid(j)
		if r.duties[j] = MayLeave; never || r.neverAlone(j) {
			r.duties[j] = MustLeave
		}
	}
	for j := range n {
		if !math.IsInf(r.least[j]+r.start[j], 1) {
			r.length += r.least[j]
			latest = max(latest, r.start[j])
		}
	}
	r.length += latest
	r.oblige()
	r.exclude(ctx)
	return r
}

// exclude raises the number of jobs owed by sets of jobs that exclude each other. A schedule that owes no more may leave out any of these, as many as it must; if
// it left out another one, it would owe more.
func (r *Relaxation) exclude(ctx context.Context) {
	const mostSets = 8
	r.named = r.conflicts(ctx, mostSets)
	if !slices.ContainsFunc(r.must, func(j int) bool { return !r.in.Owes(j) }) && len(r.must)+r.owed == len(r.duties) { // all are owed
		r.free(r.named)
	}
	sets := r.windowed(ctx, mostSets-len(r.conflict))
	r.free(sets)
	r.named = append(r.named, sets...)
}

// free makes the sets of jobs those that need not be placed.
func (r *Relaxation) free(sets []conflict) {
	for k := range sets {
		r.conflict = append(r.conflict, sets[k])
		r.owed += sets[k].least
		for _, j := range sets[k].jobs {
			r.excluded[j] = true
		}
	}
	if len(sets) > 0 {
		r.settle(func(j int) bool { return r.in.Owes(j) && !r.excluded[j] })
	}
}

// oblige counts the jobs that are owed and that no schedule can place, and finds the duties towards the others.
func (r *Relaxation) oblige() {
	for j, duty := range r.duties {
		if duty == MustLeave && r.in.Owes(j) {
			r.owed++
		}
	}
	r.settle(r.in.Owes)
}

// settle finds the duties towards the jobs that some schedule may place. Those of which it is said, and all that they wait for, have to be placed.
func (r *Relaxation) settle(placed func(j int) bool) {
	r.must, r.latest = nil, [2][]float64{}
	for _, j := range slices.Backward(plan.ArrivalOrder(r.in)) { // those that wait come first
		if r.duties[j] == MustLeave {
			continue
		}
		r.duties[j] = MayLeave
		if placed(j) || slices.ContainsFunc(r.in.Successors(j), func(next int) bool { return r.duties[next] == MustPlace }) {
			r.duties[j] = MustPlace
		}
	}
	for j, duty := range r.duties {
		if duty == MustPlace {
			r.must = append(r.must, j)
		}
	}
	r.all = len(r.must) == len(r.duties)
}

// isSolid says that the job holds a fixed number of processors of one cluster from its start to its end, however it is placed.
// Other jobs may spread over several clusters, or release early a processor that runs fewer of the tasks or is faster.
func (r *Relaxation) isSolid(j int) bool {
	in, job := r.in, &r.in.Jobs()[j]
	if !job.Rigid() || r.over[j] != nil {
		return false
	}
	for c := range in.Clusters() {
		least, _ := in.Width(j, c)
		if !in.Clusters()[c].Uniform || r.canRun(j, c) && least > 1 && job.Tasks > least {
			return false
		}
	}
	return true
}

// canRun says that the job can run on the cluster alone, see [model.Instance.CanRun].
func (r *Relaxation) canRun(j, c int) bool { return r.can[j*len(r.in.Clusters())+c] }

// spreadsTo says that the job may hold processors of the cluster as one of several.
func (r *Relaxation) spreadsTo(j, c int) bool { return r.over[j] != nil && r.over[j][c] }

// Chained adds to the terms of the sum, because its numbers are themselves sums of times along chains of precedence.
func (r *Relaxation) Chained(s Sum) Sum {
	s.Terms += 2 * r.depth
	return s
}

// neverAlone says that no schedule can place job j, whatever becomes of those it waits for.
func (r *Relaxation) neverAlone(j int) bool {
	by := r.endBy(j)
	return math.IsInf(r.least[j], 1) || math.IsInf(r.start[j], 1) || r.endsBy(j) && r.EarliestEnd(j) > by-r.in.FirstArrival()+r.lateness(j, by)
}

// EarliestEnd is the earliest end of job j.
func (r *Relaxation) EarliestEnd(j int) float64 { return r.start[j] + r.least[j] }

// shortestOn is a lower bound of the time that job j takes on cluster c, or +Inf if it cannot run there. It assumes the fastest
// machine for all tasks and, for a job that may hold processors of other clusters besides, as many processors as the job may have.
func (r *Relaxation) shortestOn(j, c int) float64 { return r.shortestIn(r.in, j, c) }

// shortestIn is shortestOn of an instance that differs in the work and the run times of the jobs alone.
func (r *Relaxation) shortestIn(in *model.Instance, j, c int) float64 {
	job, cluster := &in.Jobs()[j], &in.Clusters()[c]
	wide := r.spreadsTo(j, c)
	if !wide && !r.canRun(j, c) {
		return math.Inf(1)
	}
	_, most := in.Width(j, c)
	if !wide {
		most = min(most, cluster.Processors)
	}
	tasks := (job.Tasks + most - 1) / most
	if wide || !cluster.Uniform {
		tasks = 1 // a fast processor may take more of the tasks than a slow one; each takes one at least
		if cluster.WholeMachines && !wide {
			tasks = job.Tasks
		}
	}
	speed, link := r.fast[c].speed, r.fast[c].link
	time := in.Busy(j, c, speed, tasks) + in.Transfer(j, link)
	if math.IsNaN(time) {
		return math.Inf(1)
	}
	return time
}

// fastest is the highest speed and the highest bandwidth among the machines of a cluster.
type fastest struct{ speed, link float64 }

// fastestOf are the fastest of each cluster.
func fastestOf(in *model.Instance) []fastest {
	list := make([]fastest, len(in.Clusters()))
	for c := range list {
		for k := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[k]
			list[c] = fastest{max(list[c].speed, m.Speed), max(list[c].link, m.Bandwidth)}
		}
	}
	return list
}

// areaOn is a lower bound of the processor time that job j holds on cluster c, or +Inf if it cannot run there. Every task runs
// somewhere, at best on the fastest processor. Processors of one speed with unequal numbers of tasks may be released early.
func (r *Relaxation) areaOn(j, c int) float64 { return r.areaIn(r.in, j, c) }

// areaIn is areaOn of an instance that differs in the work and the run times of the jobs alone.
func (r *Relaxation) areaIn(in *model.Instance, j, c int) float64 {
	job, cluster := &in.Jobs()[j], &in.Clusters()[c]
	spreads := r.spreadsTo(j, c)
	if !spreads && !r.canRun(j, c) {
		return math.Inf(1)
	}
	least, _ := in.Width(j, c)
	if cluster.Uniform && job.Rigid() && !spreads && (job.Tasks <= least || job.Tasks%least == 0) {
		return float64(least) * in.DurationOn(j, c, least)
	}
	speed := r.fast[c].speed
	area := float64(job.Tasks) * job.Work / speed
	if job.StatesRuntimes() {
		area = in.Busy(j, c, speed, 1) * float64(job.Tasks)
	}
	if math.IsNaN(area) {
		return math.Inf(1)
	}
	return area
}

// most is the largest possible value of a metric that is better when high, in exact numbers: of the jobs that may be placed. It returns false if there is none, or if the context
// ends before it is known.
func (r *Relaxation) most(ctx context.Context, metric string) (most *big.Rat, ok bool) {
	if known := r.mosts[metric]; known != nil {
		return new(big.Rat).Set(known), true
	}

	of := func(job *model.Job) float64 { return 1 }
	switch metric {
	case "utilisation", "processor_usage", "licence_usage", "device_utilisation":
		return big.NewRat(100, 1), true
	case "finished":
	case "data_moved":
		of = func(job *model.Job) float64 { return job.Input + job.Output }
	case "work_done":
		of = (*model.Job).TotalWork
	default:
		return nil, false
	}
	most = new(big.Rat)
	asked := kit.NewPoll(ctx)
	for j, duty := range r.duties {
		if asked.Stopped(200) {
			return nil, false
		}
		if duty != MustLeave {
			most.Add(most, exact(of(&r.in.Jobs()[j])))
		}
	}
	if r.mosts == nil {
		r.mosts = map[string]*big.Rat{}
	}
	r.mosts[metric] = new(big.Rat).Set(most)
	return most, true
}
