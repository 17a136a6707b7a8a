package proof

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// facts is what the checker knows of an instance, in exact numbers. All times count from the earliest arrival.
//
// What is proved holds for every schedule that owes no more than the jobs that are owed and that no schedule can place. It has to place all others that are owed,
// and each job that these wait for.
type facts struct {
	ctx        context.Context
	cut        bool // the context ended before all was known
	steps      int  // since the context was asked
	in         *model.Instance
	places     placing
	must       []int      // the jobs that a schedule has to place
	has        []bool     // by job: it has to be placed
	never      []bool     // by job: no schedule can place it
	free       []bool     // by job: it is one of a set of which some are owed
	lefts      []int      // by such a set: how many are left out
	all        bool       // all jobs have to be placed
	owed       int        // every schedule owes at least as many jobs
	alone      [][]bool   // by job and cluster: see [alone]
	over       [][]bool   // by job and cluster: see [over]
	least      []*big.Rat // by job: its shortest time anywhere; nil: nothing can run it
	head, tail []*big.Rat // by job: earliest start; least time from its end to the end of the jobs that wait for it. nil: no time
	last       []*big.Rat // by job: latest end, see latest.go; nil: there is none
	plain      []*big.Rat // the same without what the rules tolerate
	chain      []int      // by job: how many jobs its earliest end adds up, itself included: a chain of them, or all that it waits for
	first      *big.Rat
	order      []int // every job after those it waits for
}

// number is the exact value of a float64, which must be finite.
func number(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// mostUnasked is how many steps are made before the context is asked whether it has ended: some milliseconds of work. The facts of small instances are so
// found by whoever asks, and what is cut off is the argument.
const mostUnasked = 1 << 17

// goesOn counts steps, and says whether the check still goes on.
func (f *facts) goesOn(steps int) bool {
	if f.steps += steps; f.steps >= mostUnasked {
		f.steps, f.cut = 0, f.cut || f.ctx.Err() != nil
	}
	return !f.cut
}

// newFacts looks at all jobs. Where it is cut off it knows less, and nothing may be proved of it.
func newFacts(ctx context.Context, in *model.Instance) *facts {
	n := len(in.Jobs())
	f := &facts{ctx: ctx, in: in, places: newPlacing(in), has: make([]bool, n), free: make([]bool, n), alone: make([][]bool, n), over: make([][]bool, n), least: make([]*big.Rat, n), head: make([]*big.Rat, n), tail: make([]*big.Rat, n),
		chain: make([]int, n), first: number(in.FirstArrival()), order: precedence(in)}
	for _, j := range f.order {
		if f.measure(j); !f.goesOn(f.places.groups) {
			return f
		}
	}
	w := f.waiting()
	for _, j := range f.order {
		if !f.goesOn(f.places.groups*(1+f.places.times) + w.steps(f, j)) {
			return f
		}
		f.look(j, w)
		w.join(f, j)
	}
	f.never = f.neverPlaced()
	for j, never := range f.never {
		if never && in.Owes(j) {
			f.owed++
		}
	}
	f.oblige()
	return f
}

// measure finds the least time of a job.
func (f *facts) measure(j int) {
	f.alone[j], f.over[j] = f.places.alone(j), f.places.over(j)
	for c := range f.in.Clusters() {
		if x, runs := f.timeOn(j, c); runs && (f.least[j] == nil || x.Cmp(f.least[j]) < 0) {
			f.least[j] = x
		}
	}
}

// oblige finds which jobs have to be placed, and their tails. Jobs that are free need not be.
func (f *facts) oblige() {
	f.must = nil
	for k := len(f.order) - 1; k >= 0; k-- { // those that wait come first
		j := f.order[k]
		f.has[j] = !f.never[j] && (f.in.Owes(j) && !f.free[j] || slices.ContainsFunc(f.in.Successors(j), func(next int) bool { return f.has[next] }))
		f.tail[j] = new(big.Rat)
		for _, next := range f.in.Successors(j) {
			if f.has[next] {
				f.tail[j] = larger(f.tail[j], new(big.Rat).Add(f.least[next], f.tail[next]))
			}
		}
	}
	for j, has := range f.has {
		if has {
			f.must = append(f.must, j)
		}
	}
	f.all = len(f.must) == len(f.has)
	f.limit()
}

// look finds the head of a job. Those it waits for were looked at before.
func (f *facts) look(j int, w *waiting) {
	job := &f.in.Jobs()[j]
	head := new(big.Rat).Sub(number(job.Arrival), f.first)
	for _, before := range job.After {
		f.chain[j] = max(f.chain[j], f.chain[before])
		if head != nil && f.head[before] != nil && f.least[before] != nil {
			head = larger(head, new(big.Rat).Add(f.head[before], f.least[before]))
		} else {
			head = nil
		}
	}
	head, count := w.follow(f, j, head)
	f.head[j] = f.openFrom(j, head)
	f.chain[j] = 1 + max(f.chain[j], count)
}

// end is the earliest end of a job that has to be placed.
func (f *facts) end(j int) *big.Rat { return new(big.Rat).Add(f.head[j], f.least[j]) }

// larger is the larger of two numbers.
func larger(a, b *big.Rat) *big.Rat {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// precedence lists the jobs so that each comes after those it waits for. An instance has no cycle.
func precedence(in *model.Instance) []int {
	jobs := in.Jobs()
	order, waits := make([]int, 0, len(jobs)), make([]int, len(jobs))
	for j := range jobs {
		if waits[j] = len(jobs[j].After); waits[j] == 0 {
			order = append(order, j)
		}
	}
	for k := 0; k < len(order); k++ {
		for _, next := range in.Successors(order[k]) {
			if waits[next]--; waits[next] == 0 {
				order = append(order, next)
			}
		}
	}
	return order
}

// fastest is the highest speed and the highest bandwidth of the cluster.
func fastest(c *model.Cluster) (speed, bandwidth float64) {
	for k := range c.Machines {
		speed, bandwidth = max(speed, c.Machines[k].Speed), max(bandwidth, c.Machines[k].Bandwidth)
	}
	return speed, bandwidth
}

// spreads says that the job may hold processors of the cluster as one of several.
func (f *facts) spreads(j, c int) bool { return f.over[j] != nil && f.over[j][c] }

// shortest is a time below which job j does not run on cluster c, +Inf if it holds no processor there. A job that may have processors of other clusters
// besides counts with one task on the fastest processor.
func (f *facts) shortest(j, c int) float64 {
	in, job, cluster := f.in, &f.in.Jobs()[j], &f.in.Clusters()[c]
	grid := f.spreads(j, c)
	if !grid && !f.alone[j][c] {
		return math.Inf(1)
	}
	tasks := 1
	switch _, most := in.Width(j, c); {
	case grid:
	case cluster.WholeMachines: // one machine takes all tasks
		tasks = job.Tasks
	case cluster.Uniform: // the fullest processor has at least an equal share
		most = min(most, cluster.Processors)
		tasks = (job.Tasks + most - 1) / most
	}
	speed, bandwidth := fastest(cluster)
	return in.Busy(j, c, speed, tasks) + in.Transfer(j, bandwidth)
}

// timeOn is the exact value of [facts.shortest], and whether it is finite.
func (f *facts) timeOn(j, c int) (time *big.Rat, runs bool) {
	t := f.shortest(j, c)
	if runs = t <= math.MaxFloat64; runs {
		time = number(t)
	}
	return time, runs
}

// isRectangle says that the job holds a fixed number of processors of one cluster from its start to its end: one that cannot be chosen, on a cluster
// of equal processors, with at most one task on each of them or all tasks on one.
func (f *facts) isRectangle(j int) bool {
	in, job := f.in, &f.in.Jobs()[j]
	if !job.Rigid() || f.over[j] != nil {
		return false
	}
	for c := range in.Clusters() {
		size, _ := in.Width(j, c)
		if !in.Clusters()[c].Uniform || f.alone[j][c] && size > 1 && job.Tasks > size {
			return false
		}
	}
	return true
}

// areRectangles says that all jobs are rectangles, see isRectangle.
func (f *facts) areRectangles() bool {
	for j := range f.in.Jobs() {
		if !f.isRectangle(j) {
			return false
		}
	}
	return true
}

// rounded is a factor a little below 1. The evaluator computes areas in float64, so an area may come out below its exact value by two roundings;
// the exact value times this factor is no more than that.
var rounded = big.NewRat(1<<51-1, 1<<51)

// held is an amount of processor time that job j holds at least on cluster c, and whether it can hold processors there.
func (f *facts) held(j, c int) (*big.Rat, bool) {
	in, job, cluster := f.in, &f.in.Jobs()[j], &f.in.Clusters()[c]
	grid := f.spreads(j, c)
	if !grid && !f.alone[j][c] {
		return nil, false
	}
	size, _ := in.Width(j, c)
	speed, _ := fastest(cluster)
	x := new(big.Rat)
	switch {
	case cluster.Uniform && job.Rigid() && !grid && (job.Tasks <= size || job.Tasks%size == 0): // every processor to the end
		x.Mul(number(float64(size)), number(in.DurationOn(j, c, size)))
	case job.StatesRuntimes():
		x.Mul(number(float64(job.Tasks)), number(in.Busy(j, c, speed, 1)))
		x.Mul(x, rounded)
	default:
		x.Mul(number(float64(job.Tasks)), number(job.Work))
		x.Quo(x, number(speed))
		x.Mul(x, rounded)
	}
	return x, true
}
