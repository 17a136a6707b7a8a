// Package prove looks for false claims of solvers and lower bounds. It makes random instances for which it knows more than the solvers are
// told: the optimum of a metric by construction, a good schedule, or the optimum of a MILP of its own. Then it compares every bound, every status
// and every schedule of the registered methods with that, see [Planted.Try].
//
// It shares no code with the methods that it tests. Its generators state the instances and their schedules themselves; only the model's evaluator
// and checker are used to judge them.
package prove

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/model"
)

// Planted is an instance with the facts that are known of it.
type Planted struct {
	Kind      string
	Spec      *model.InstanceSpec
	Instance  *model.Instance
	Schedules []*model.Solution // correct schedules: no optimum is above the cheapest of them
	// Optimum is the least value of a metric, by construction. One of the schedules has it.
	Optimum map[string]float64
	// Least holds lower bounds of metrics, for optima that are not known to the last digit, such as those of a MILP.
	Least map[string]float64
	// Metrics lists further metrics to minimise, besides those of Optimum and Least.
	Metrics []string
	// MayLeave says that a schedule may leave out jobs that other schedules place, because there are hard deadlines.
	MayLeave bool

	// judged says that nothing is known by construction: the evaluator compares all right schedules with each other and with all claims about the objective.
	judged    bool
	objective map[string]float64
	unit      float64 // of time

	small    *small    // the batch whose schedules are enumerated; nil: they are not
	rankings []ranking // objectives with weights as priorities, for such a batch
}

// Kind draws instances of one construction.
type Kind struct {
	Name  string
	Share int  // how often it is drawn, beside the other kinds
	MILP  bool // its optimum comes from HiGHS, which is not part of every build
	draw  func(*draft)
}

// kinds lists all kinds.
var kinds = []Kind{
	{Name: "arrivals", Share: 6, draw: equalJobsThatArrive},
	{Name: "hard deadlines", Share: 4, draw: equalJobsLeftOut},
	{Name: "whole machines", Share: 3, draw: wholeMachines},
	{Name: "together", Share: 60, draw: together},
	{Name: "equal", Share: 5, draw: equalJobs},
	{Name: "shortest first", Share: 5, draw: shortestFirst},
	{Name: "agreeable", Share: 4, draw: agreeableDeadlines},
	{Name: "on time", Share: 5, draw: mostOnTime},
	{Name: "chains", Share: 5, draw: roomForAll},
	{Name: "milp, queues", Share: 4, draw: queuesByMILP, MILP: true},
	{Name: "milp, assignment", Share: 3, draw: assignmentByMILP, MILP: true},
	{Name: "milp, clusters", Share: 6, draw: clustersByMILP, MILP: true},
	{Name: "late", Share: 6, draw: nothingLate},
	{Name: "packing", Share: 6, draw: perfectPacking},
	{Name: "shelves", Share: 2, draw: moldableShelves},
	{Name: "unrelated", Share: 4, draw: unrelatedLoads},
	{Name: "memory", Share: 2, draw: memoryPacking},
	{Name: "licences", Share: 3, draw: licencePacking},
	{Name: "grid", Share: 1, draw: overTheGrid},
	{Name: "priorities", Share: 10, draw: priorities},
	{Name: "queues, types", Share: 10, draw: queuesOfTypes},
	{Name: "queues, no penalty", Share: 3, draw: queuesWithoutPenalty},
}

// Draw draws an instance. If since is not 0, its times count from that long ago: the first job arrives at that time. Then all times are whole
// numbers or simple fractions, which float64 numbers hold exactly even there.
func (k *Kind) Draw(rng *rand.Rand, since float64) (*Planted, error) {
	d := newDraft(k.Name, rng)
	if since > 0 {
		d.unit, d.mass, d.origin, d.exact = 1, pick(rng, 1.0, 1000), since, true
		if since > 1e14 { // where an end is late only half a unit after the deadline, a fraction of a unit is too little
			d.unit = 64
		}
	}
	k.draw(d)
	return d.finish()
}

// allMetrics are the metrics that have bounds of their own, which any instance may be asked for.
var allMetrics = []string{"makespan", "mcp", "mean_response", "mean_wait", "over_deadline", "missed", "idle_time", "mean_slowdown", "bounded_slowdown", "cost", "unfinished",
	"miss_rate", "slowdown_without_deadline", "over_budget", "workflow_failures"}

// draft is an instance that is being made: its text, and the places of its jobs in the planted schedules.
type draft struct {
	*rand.Rand
	kind    string
	spec    *model.InstanceSpec
	built   *model.Instance // of the spec as it is; see instance
	planted *Planted
	unit    float64 // unit of time: every time is a multiple of it, unless a generator says otherwise
	mass    float64 // unit of work: a processor of speed 1 does this much work in a time of 1
	origin  float64 // earliest arrival
	exact   bool    // the origin is long ago, so that all times have to be whole numbers or simple fractions
	plans   [][]slot
	err     error
}

// slot is the place of a job in a plan. A plan lists the jobs in an order in which they can be placed one after another.
type slot struct {
	job       int
	cluster   int
	first, n  int                // processors
	set       model.ProcessorSet // the processors, if they are not neighbours; nil: first and n state them
	notBefore float64            // earliest start, besides arrival, predecessors and processors
}

// newDraft draws the units. They reach from 1e-9 to 1e9; the multiples are wholes, quarters, tenths or thirds of them.
func newDraft(kind string, rng *rand.Rand) *draft {
	d := &draft{Rand: rng, kind: kind, spec: &model.InstanceSpec{Schema: model.InstanceSchema, Name: kind}}
	d.unit = pick(rng, 1, 1, 1, 1, 1, 1e-9, 1e9, 1e-3) * pick(rng, 1, 1, 1, 0.25, 0.1, 0.7)
	d.mass = pick(rng, 1, 1, 1, 1e6, 1e-6, 1000)
	if rng.IntN(8) == 0 {
		d.origin = d.unit * pick(rng, 1.0, 1000, 123457)
	}
	d.planted = &Planted{Kind: kind, Optimum: map[string]float64{}, Least: map[string]float64{}}
	return d
}

// pick draws one of the values.
func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

// between draws a whole number from low to high.
func (d *draft) between(low, high int) int { return low + d.IntN(high-low+1) }

// chance is true once in n times.
func (d *draft) chance(n int) bool { return d.IntN(n) == 0 }

// cluster adds a cluster of n processors of the speed, in one machine or one machine each, and returns its number.
func (d *draft) cluster(n int, speed float64) int {
	c := len(d.spec.Clusters)
	machine := model.MachineSpec{ID: "m", Processors: n, Speed: speed * d.mass}
	if d.chance(2) {
		machine.Count, machine.Processors = n, 1
	}
	d.spec.Clusters = append(d.spec.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{machine}})
	d.built = nil
	return c
}

// job adds a job with the given number of processors and run time at a speed of 1, and returns its index. The job arrives at the origin.
func (d *draft) job(processors int, time float64) int {
	j := len(d.spec.Jobs)
	spec := model.JobSpec{ID: fmt.Sprint("j", j), Work: new(time * d.mass), Arrival: d.origin}
	if processors > 1 {
		spec.Processors = model.Rigid(processors)
	}
	d.spec.Jobs = append(d.spec.Jobs, spec)
	d.built = nil
	return j
}

// at is the job with the number, to be changed.
func (d *draft) at(job int) *model.JobSpec {
	d.built = nil
	return &d.spec.Jobs[job]
}

// shuffle puts the jobs into a random order, so that the order of the file gives no hint. It renumbers the jobs of the plans too.
func (d *draft) shuffle() {
	order := d.Perm(len(d.spec.Jobs)) // order[new] is the old number
	jobs, place := make([]model.JobSpec, len(order)), make([]int, len(order))
	for now, old := range order {
		jobs[now], place[old] = d.spec.Jobs[old], now
	}
	d.spec.Jobs, d.built = jobs, nil
	for _, plan := range d.plans {
		for k := range plan {
			plan[k].job = place[plan[k].job]
		}
	}
}

// plan adds a planted schedule. Jobs that it does not list are left out.
func (d *draft) plan(slots []slot) { d.plans = append(d.plans, slots) }

// optimum states the least value of the metric.
func (d *draft) optimum(metric string, value float64) { d.planted.Optimum[metric] = value }

// ask adds metrics to minimise.
func (d *draft) ask(metrics ...string) { d.planted.Metrics = append(d.planted.Metrics, metrics...) }

// fail keeps the first error.
func (d *draft) fail(err error) {
	if d.err == nil {
		d.err = err
	}
}

// instance builds the draft so far; nil: the draft is invalid.
func (d *draft) instance() *model.Instance {
	if d.built == nil {
		in, err := model.New(*d.spec)
		if err != nil {
			d.fail(fmt.Errorf("%s drew an instance that is none: %w", d.kind, err))
			return nil
		}
		d.built = in
	}
	return d.built
}

// finish builds the instance and its schedules.
func (d *draft) finish() (*Planted, error) {
	in := d.instance()
	if d.err != nil {
		return nil, d.err
	}
	p := d.planted
	p.Spec, p.Instance = d.spec, in
	for _, plan := range d.plans {
		p.Schedules = append(p.Schedules, layOut(in, plan))
	}
	if d.exact {
		if err := p.rounded(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// rounded returns an error if a schedule has a duration that float64 numbers do not hold that long after 0.
func (p *Planted) rounded() error {
	for _, sol := range p.Schedules {
		for _, place := range sol.Jobs {
			j, _ := p.Instance.JobIndex(place.Job)
			c := slices.IndexFunc(p.Instance.Clusters(), func(c model.Cluster) bool { return c.ID == place.Cluster })
			if c >= 0 && place.End-place.Start != p.Instance.Duration(j, c, place.Processors) {
				return errRedraw
			}
		}
	}
	return nil
}

// whole is the time itself, or for times that have to be exact the whole number below.
func (d *draft) whole(time float64) float64 {
	if d.exact {
		return math.Floor(time)
	}
	return time
}

// layOut makes a schedule of a plan: each job starts when it has arrived, what it waits for has ended, and its processors are free.
// A job that takes no time holds nothing and waits for no processor.
func layOut(in *model.Instance, plan []slot) *model.Solution {
	sol := &model.Solution{Schema: model.SolutionSchema}
	free, origin := make([][]float64, len(in.Clusters())), math.Inf(1)
	for j := range in.Jobs() {
		origin = min(origin, in.Jobs()[j].Arrival)
	}
	for c := range free {
		free[c] = make([]float64, in.Clusters()[c].Processors)
	}
	ends, placed := make([]float64, len(in.Jobs())), make([]bool, len(in.Jobs()))
	for _, s := range plan {
		job := &in.Jobs()[s.job]
		set := s.set
		if set == nil {
			set = model.NewProcessorSet(model.Range{First: s.first, Last: s.first + s.n - 1})
		}
		start, length := max(job.Arrival, s.notBefore), in.Duration(s.job, s.cluster, set)
		for _, before := range job.After {
			start = max(start, ends[before])
		}
		for _, run := range set {
			if length > 0 {
				start = max(start, slices.Max(free[s.cluster][run.First:run.Last+1]))
			}
		}
		for _, placed := range sol.Jobs {
			if by := placed.End - start; by > 0 && by <= 1e-9*(start-origin) {
				start = placed.End // the same point in time but for rounding: what the job frees is needed
			}
		}
		end := start + length
		for _, run := range set {
			for p := run.First; p <= run.Last && length > 0; p++ {
				free[s.cluster][p] = end
			}
		}
		ends[s.job], placed[s.job] = end, true
		sol.Jobs = append(sol.Jobs, model.Placement{Job: job.ID, Cluster: in.Clusters()[s.cluster].ID, Processors: set, Start: start, End: end})
	}
	for j := range placed {
		if !placed[j] {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[j].ID, Reason: "the planted schedule leaves it out"})
		}
	}
	return sol
}

// endsOf returns the end of each job in a schedule; NaN: the job is left out.
func endsOf(in *model.Instance, sol *model.Solution) []float64 {
	ends := slices.Repeat([]float64{math.NaN()}, len(in.Jobs()))
	for k := range sol.Jobs {
		j, _ := in.JobIndex(sol.Jobs[k].Job)
		ends[j] = sol.Jobs[k].End
	}
	return ends
}
