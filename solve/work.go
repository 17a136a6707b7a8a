package solve

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
)

// Size is what the work of solvers on an instance is estimated from, see [Info].Work. It is the same on every machine.
type Size struct {
	Jobs       float64
	Clusters   float64
	Resources  float64 // groups of machines that are alike
	Processors float64 // of the widest cluster
	Steps      float64 // release times that a look passes at most, on all clusters
	Queue      float64 // jobs that wait when another arrives, in the mean, if all clusters were one queue of work
	Moldable   bool    // some jobs may hold several numbers of processors
	ByNode     bool    // list schedules track single machines and fill holes
	Trace      bool    // the quick form of the on-line policies serves it
	Binding    model.Features
	plan.Looks
}

// SizeOf measures an instance. Complexity: O(n log n) for n jobs, and O(machines).
func SizeOf(in *model.Instance) *Size {
	s := &Size{Jobs: float64(len(in.Jobs())), Clusters: float64(len(in.Clusters())), ByNode: (plan.Placing{}).ByNode(in), Trace: sim.IsTrace(in), Binding: in.Binding(), Looks: plan.LooksOf(in)}
	s.Moldable = s.Widths > 1
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		s.Processors = max(s.Processors, float64(cluster.Processors))
		s.Steps += float64(min(len(in.Jobs()), cluster.Processors))
		if cluster.Uniform {
			s.Resources++
		} else {
			s.Resources += float64(len(cluster.Machines))
		}
	}
	s.Queue = meanQueue(in)
	return s
}

// meanQueue is the mean number of jobs that wait when one arrives, if all processors together served the jobs' work in the order of their arrivals.
func meanQueue(in *model.Instance) float64 {
	if in.Features()&model.Arrivals == 0 || len(in.Jobs()) == 0 {
		return 0
	}
	power := 0.0
	for c := range in.Clusters() {
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			power += m.Speed * float64(m.Count*m.Units)
		}
	}
	order := plan.ArrivalOrder(in)
	starts := make([]float64, len(order))
	free, gone, waiting := math.Inf(-1), 0, 0
	for k, j := range order {
		job := &in.Jobs()[j]
		for gone < k && starts[gone] <= job.Arrival {
			gone++
		}
		waiting += k - gone
		starts[k] = max(free, job.Arrival)
		work := job.TotalWork()
		if job.StatesRuntimes() {
			work = statedWork(in, j)
		}
		free = starts[k] + work/power
	}
	return float64(waiting) / float64(len(order))
}

// statedWork is the least processor time of a job that states its run times.
func statedWork(in *model.Instance, job int) float64 {
	least, j := math.Inf(1), &in.Jobs()[job]
	for c := range in.Clusters() {
		n, _ := in.Width(job, c)
		if t := in.Busy(job, c, 1, (j.Tasks+n-1)/n); t < least {
			least = t
		}
	}
	if math.IsInf(least, 1) {
		return 0
	}
	return least * float64(j.Min)
}

// Enough is how much work, in ns, auto spends on a solver before it searches: about a second, as much as the search does if nothing limits it, and 2 µs for each job
// as reading and checking take.
func (s *Size) Enough() float64 { return 1e9 + 2000*s.Jobs }

// List is about the work of a list schedule: it looks for the slots of each job once.
func (s *Size) List() float64 { return s.Jobs * (100 + s.Slot*s.Widths) }

// Sorted is about the work of sorting the jobs.
func (s *Size) Sorted() float64 { return 20 * s.Jobs * math.Log2(s.Jobs+2) }

// suits says whether auto may try the solver: it honours what the instance asks for, has an estimate of its work, and its rules promise something by AutoIf. An
// on-line policy need not be tried where all jobs arrive at once, nor where local jobs delay what it runs, while plans state nominal times.
func (i *Info) suits(in *model.Instance) bool {
	if i.Online && (in.Features()&model.Arrivals == 0 || in.Features().Has(model.BackgroundLoad)) {
		return false
	}
	return i.Work != nil && i.OtherObjective(in) == "" && (i.AutoIf == nil || i.AutoIf(in)) && i.New().Supports(in) == nil
}

// Worth lists the solvers, of those given or nil for all, that are worth a try before a search: those that suit the instance and whose estimated work is
// [Size.Enough] at most; where there is none, the one of the least work. The size is that of the instance. The list is by name.
func Worth(in *model.Instance, size *Size, solvers []Info) []Info {
	if solvers == nil {
		solvers = Solvers()
	}
	var worth []Info
	least, quickest := math.Inf(1), -1
	for k := range solvers {
		if !solvers[k].suits(in) {
			continue
		}
		work := solvers[k].Work(in, size)
		if work <= size.Enough() {
			worth = append(worth, solvers[k])
		} else if work < least {
			least, quickest = work, k
		}
	}
	if len(worth) == 0 && quickest >= 0 {
		return []Info{solvers[quickest]}
	}
	return worth
}

// quickestFirst returns the positions of the solvers in the list, those of the least estimated work first; those without an estimate come last. Up to a tenth of a
// second, and then up to ten times as much and so on, solvers are equally quick, and on-line policies come first: they are there for traces, and if a limit ends the
// run, the schedule must not be worse than theirs.
func quickestFirst(in *model.Instance, size *Size, solvers []Info) []int {
	const quick = 1e7 // ns; ten times as much is not quick any more
	order, work := make([]int, len(solvers)), make([]float64, len(solvers))
	for k := range order {
		order[k], work[k] = k, math.Inf(1)
		if solvers[k].Work != nil {
			work[k] = solvers[k].Work(in, size)
		}
	}
	class := func(k int) float64 { return max(0, math.Floor(math.Log10(work[k]/quick))) }
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := class(a), class(b)
		switch {
		case x != y:
			return cmp.Compare(x, y)
		case solvers[a].Online == solvers[b].Online:
			return cmp.Compare(work[a], work[b])
		case solvers[a].Online:
			return -1
		}
		return 1
	})
	return order
}
