// Package mts holds MTS, the multiple attributes scheduling method of Hao (2016).
package mts

import (
	"context"
	"math"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name: "mts",
	Doc: "MTS: jobs that few resources can serve in processing, memory or bandwidth go first. Of those it places one that fits a resource almost exactly, or else the one with the least " +
		"completion time, divided by a weight that grows with the number of resources that are too small for the job. O(n·C·log n) and re-evaluations of O(C).",
	Source: "Y. Hao (2016), Enhanced resource scheduling in grid considering overload of different attributes, KSII Trans. Internet Inf. Syst. 10(3), algorithms 1–3, eqs. 5–16, 19–21",
	New:    func() solve.Solver { return newSolver() },
	Traces: true,

	Work:   work,
	AutoIf: grid.FewMoldable,
})

// Solver is MTS, the multiple attributes scheduling method. A resource is a whole cluster where its machines are alike, else a group of alike
// machines of the cluster; with one machine it is the resource of the paper.
//
// A job that would start on a resource at s, takes tr to move its files and ex to run, and has D = deadline − s left, loads its
// processors by ex/(D − tr), its link by tr/(D − ex) (1 without files) and its memory by need/size. A load above 1 is an
// overload. In each step:
//
//  1. Jobs that no resource can finish by their hard deadline are left out.
//  2. A job is overloaded in an attribute where more than the share λ (processors), χ (memory) or η (bandwidth) of all resources would be.
//     Rules 3 and 4 look only at the jobs left that are overloaded in the most attributes.
//  3. Fragment rule: of their pairs of job and resource that leave at most the fragment (0.05) of every attribute, the one that leaves least in sum is placed; ties go to the first resource, then to the first job.
//  4. Without such a pair each job has its resource of the least completion time f, and the job of the least mt = f/(e^cpu + e^bandwidth + e^memory), the exponents the numbers
//     of overloaded resources (eq. 16), is placed; ties go to the first resource, then to the first job.
//
// Source: Y. Hao (2016), KSII Transactions on Internet and Information Systems 10(3), algorithms 1–3, eqs. 5–16, 19–21.
//
// Complexity: the paper's loops take O(n²·C²). Releases only grow, so per resource the jobs are sorted by deadline − tr − ex, as far as needed, and a pointer passes each of
// them once, when the resource becomes overloaded with it and too late: O(n·C·log n). A heap a class holds lower bounds of mt,
// which are evaluated again, O(C), at the top until the top does not change. Jobs that overload the same numbers of resources have mt that differ by f
// alone: where they are looked at often they become a group, which sorts them by time on each resource, and of which the heap holds one bound. Jobs that
// are alike in everything count as one. Fragments are looked for only among jobs whose deadline lets the resource load be near 1. Memory: 24 bytes a pair
// of job and resource, and 16 more of jobs in groups.
//
// It refuses nothing. Where an instance asks for more than groups of machines honour (precedence, licences, moldable jobs, spans, memory that several tasks share,
// parallel jobs on clusters whose machines differ), the resources are the clusters and the rules are the same: see the last of the deviations.
//
// Deviations from the paper:
//   - Loads by the time left, as above: eqs. 19 and 21 cannot exceed 1. Overloaded is > 1, not ≥ 1, in the form that s + tr + ex is late, see [model.Late], of which processors and
//     links are overloaded alike; an unlimited attribute is never overloaded and leaves no fragment.
//   - Without all three rules it is Min-min, with its ties: the first job, then the first resource.
//   - Only a hard deadline forbids a start; a soft one counts in the loads. Jobs that can be served nowhere are left out (the paper
//     does not say what becomes of them).
//   - λ, χ and η are 0.5 (the paper gives no values). f counts from the first arrival, waiting included. mt is compared as ln f − ln(Σ e^count): the sum overflows from 710 resources on.
//   - Algorithm 3 resets its least fragment in the loop (line 6) and asks for one before it looks at mt (line 15); neither is done.
//   - Usable shares below 1 enter what is planned with: loads, deadlines and comparisons. Jobs run, and free a resource, by the time
//     rule of the model.
//   - Jobs may arrive later and be parallel, where the processors of a resource are many.
//   - On clusters as resources, s, ex and tr are those of the slot in which [plan.Schedule] would place the job next: of the numbers of processors that it may hold,
//     that with which it ends first. Only jobs whose predecessors are placed take part. The size of a cluster's memory is that of its largest machine, and its
//     link that of its best machine. A cluster that cannot run the job for its number of processors or its run times is overloaded in processors and link; a
//     job that must spread has its one slot on the first cluster that can hold a piece of it. It takes O(n·C) a step, and a search for a slot for each ready
//     job whose slot the last placement may have changed.
type Solver struct {
	Lambda         float64 `range:"[0, inf)" doc:"λ: share of the resources above which a job that overloads their processors is in that class"`
	Chi            float64 `range:"[0, inf)" doc:"χ: the same for memory"`
	Eta            float64 `range:"[0, inf)" doc:"η: the same for bandwidth"`
	Fragment       float64 `range:"[0, 1)" doc:"fragment rule: largest share of each attribute of a resource that may stay unused"`
	ProcessorShare float64 `range:"(0, 1]" doc:"∂: usable share of the processors"`
	MemoryShare    float64 `range:"(0, 1]" doc:"β: usable share of the memory"`
	BandwidthShare float64 `range:"(0, 1]" doc:"δ: usable share of the bandwidth"`
	Classes        string  `enum:"on,off" doc:"apply rule 2: jobs that overload the most attributes first"`
	Fragments      string  `enum:"on,off" doc:"apply rule 3, the fragment rule"`
	list.Filling
	Weights string `enum:"on,off" doc:"the denominator of mt in rule 4; off: the least completion time"`
}

// work estimates the work, by the complexity of each form as measured.
func work(in *model.Instance, s *solve.Size) float64 {
	if grid.Serves(in, s.Binding) {
		return s.Jobs * (3000 + 5*s.Jobs + 20*s.Resources*math.Log2(s.Jobs+2))
	}
	return s.Jobs*s.Jobs*(10*s.Clusters+0.15*s.Slot*s.Widths) + s.List()
}

// newSolver is the solver with its defaults.
func newSolver() *Solver {
	return &Solver{
		Lambda: 0.5, Chi: 0.5, Eta: 0.5, Fragment: 0.05, ProcessorShare: 1, MemoryShare: 1, BandwidthShare: 1,
		Classes: "on", Fragments: "on", Weights: "on",
	}
}

// Supports implements [solve.Solver].
func (m *Solver) Supports(in *model.Instance) error {
	return m.Unsupported(in, plan.ScheduleFeatures)
}

// Solve implements [solve.Solver].
func (m *Solver) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	if err := m.Supports(in); err != nil {
		return solve.Result{}, err
	}
	if err := params.Check(m); err != nil {
		return solve.Result{}, err
	}
	if m.Holes || grid.Supports(in) != nil {
		return m.solveOnClusters(ctx, in, opt)
	}
	r := newRun(ctx, in, *m)
	if r != nil {
		r.trace = opt.Trace
	}
	for r != nil && r.step() {
	}
	if r == nil || r.poll.Ended() {
		return solve.Stopped(ctx), nil
	}
	return r.Result(ctx), nil
}

// prepare makes what a run needs to know of the parameters and the number of resources.
func prepare(ctx context.Context, in *model.Instance, p Solver, resources int) *run {
	r := &run{p: p, origin: in.FirstArrival(), all: float64(resources), fragments: p.Fragments != "off", poll: kit.NewPoll(ctx), powers: make([]float64, resources+1),
		few: 16, patience: 2, pause: 256}
	r.minmin = !r.fragments && p.Classes == "off" && p.Weights == "off"
	for d := range r.powers {
		r.powers[d] = math.Exp(-float64(d))
	}
	return r
}

// times are how long the kind runs on the resource and how long it moves its files, with the usable shares of the resource.
func (r *run) times(k *jobKind, resource int) (ex, tr float64) {
	l, j := &r.Resources[resource], &r.Instance.Jobs()[k.jobs[0]]
	size := l.Size(j)
	ex = r.Instance.Busy(int(k.jobs[0]), l.Cluster, l.Speed, (j.Tasks+size-1)/size) / r.p.ProcessorShare
	return ex, r.Instance.Transfer(int(k.jobs[0]), l.Bandwidth) / r.p.BandwidthShare
}

// logSumExp is ln(e^a + e^b + e^c).
func (r *run) logSumExp(a, b, c int32) float64 {
	most := max(a, b, c)
	return float64(most) + math.Log(r.powers[most-a]+r.powers[most-b]+r.powers[most-c])
}
