package solvers

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/internal/list"
)

var _ = solve.Register(solve.Info{
	Name:   "sufferage",
	Doc:    "Sufferage: repeatedly places the job that would lose most on its second-best cluster on its best one. About O(n·C·log n) where run times follow from work and data, O(n²) at worst.",
	Source: "M. Maheswaran, S. Ali, H. J. Siegel, D. Hensgen, R. F. Freund (1999), Dynamic mapping of a class of independent tasks onto heterogeneous computing systems, J. Parallel Distrib. Comput. 59(2), doi:10.1006/jpdc.1999.1581, §4",
	Traces: true,
	New:    func() solve.Solver { return &Sufferage{} },

	Work: func(in *model.Instance, s *solve.Size) float64 { return workOfPreferred(in, s, 40+s.Resources/4) },
	AutoIf: func(in *model.Instance) bool {
		return (len(in.Clusters()) > 1 || !in.Clusters()[0].Uniform) && grid.FewMoldable(in) // with one resource no job suffers, and it is MCT
	},
})

// Sufferage repeatedly places the job whose sufferage, the difference between its second smallest and its smallest completion time, is the
// largest, where it ends first; ties go to the first job, then to the first resource. A job that can run on one resource only has an
// infinite sufferage.
//
// Source: M. Maheswaran et al. (1999), Journal of Parallel and Distributed Computing 59(2), doi:10.1006/jpdc.1999.1581, §4.
//
// Complexity: O(n·C·log n) for n jobs on C resources, plus the work of the steps.
//
// If all jobs arrive at once and have one size on each resource, jobs whose run times follow from work and data share a tree, see shapeTree: one tree for
// each 32 jobs or more that fit the same resources. A step looks at about a hundred nodes of a tree. A tree is given up if its bounds tell nothing, as
// when all resources are equally fast.
//
// The other jobs, those near their hard deadlines among them, are kept with their two best resources. A placement costs O(1), sometimes O(C), for each
// of them that has the resource of the placement as one of the two. These are about 2·n/C of n jobs if the jobs prefer different resources, and all n if
// they prefer the same. So without trees the steps take O(n²/C) to O(n²) in all.
//
// It refuses nothing, as [MinMin] does. Where the resources are whole clusters, a step looks at all jobs that are ready, and searches for slots for those whose two best
// ones the last placement may have changed: O(n²/C) searches in all, O(n²) at worst.
//
// Deviations from the paper: see [MCT]; arrivals; one job is placed at a time, where the paper places one for each
// machine before it looks again.
type Sufferage struct{ list.Machines }

// Supports implements [solve.Solver].
func (s *Sufferage) Supports(in *model.Instance) error {
	return s.Unsupported(in, plan.ScheduleFeatures)
}

// Solve implements [solve.Solver].
func (s *Sufferage) Solve(ctx context.Context, in *model.Instance, opt solve.Options) (solve.Result, error) {
	rule := completionRule{name: "largest sufferage", text: "of all jobs left it would lose most by its second-best cluster", Machines: s.Machines, terms: func(o option) []sim.Term {
		if o.runnerUp < 0 {
			return nil // no other resource can take it
		}
		return []sim.Term{{Name: "sufferage", Value: o.sufferage()}, {Name: "second end", Value: o.second}}
	}}
	return placeOneByOne(ctx, in, opt, rule, func(c *completions) func() (int, int) {
		if s := newSuffering(ctx, c, leastShapeTree); s != nil {
			return s.next
		}
		return nil
	}, (*openEnds).worstSuffering)
}

// leastShapeTree is the fewest jobs that are worth a tree.
const leastShapeTree = 32

// suffering finds the job of the largest sufferage: in trees where the durations of many jobs have one shape, and in the options of the others.
type suffering struct {
	rest  *options
	trees []*shapeTree
	in    []int32 // by job: its tree; −1: none
	best  option  // the best job that the step has found; job −1: none
	last  int     // resource of the last placement; −1: none yet
	poll  *kit.Poll
}

// newSuffering starts with no job placed; nil where the context ends first. Kinds of fewer jobs than least get no tree.
func newSuffering(ctx context.Context, c *completions, least int) *suffering {
	s := &suffering{rest: newOptions(ctx, c), in: slices.Repeat([]int32{-1}, len(c.Left)), last: -1, poll: kit.NewPoll(ctx)}
	place := make([]int32, len(c.Left))
	for _, jobs := range kinds(c) {
		if len(jobs) < least {
			continue
		}
		if t := newShapeTree(ctx, c, jobs, place); t != nil {
			for _, j := range jobs {
				s.in[j] = int32(len(s.trees))
			}
			s.trees = append(s.trees, t)
		}
	}
	for j, tree := range s.in {
		if tree < 0 {
			s.rest.add(j)
		}
	}
	if s.poll.Ask(); s.poll.Ended() {
		return nil
	}
	return s
}

// kinds groups the jobs whose durations may have one shape: they fit the same resources, have as many tasks and messages as long, and state no run times. It is
// empty where jobs have several sizes on one resource or arrive at several times.
func kinds(c *completions) [][]int32 {
	if c.only == nil || c.Instance.Features().Has(model.Arrivals) {
		return nil
	}
	type kind struct {
		tasks, size int
		message     float64
		fits        string
	}
	var list [][]int32
	number, fits := map[kind]int{}, make([]byte, len(c.Resources))
	for job := range c.Left {
		j := &c.Instance.Jobs()[job]
		if j.StatesRuntimes() {
			continue
		}
		count := 0
		for k := range c.Resources {
			if fits[k] = 0; !math.IsInf(c.on(job, k), 1) {
				fits[k], count = 1, count+1
			}
		}
		if count < 2 {
			continue // its sufferage is infinite
		}
		of := kind{j.Tasks, j.Min, j.Message, string(fits)}
		k, ok := number[of]
		if !ok {
			k = len(list)
			number[of], list = k, append(list, nil)
		}
		list[k] = append(list[k], int32(job))
	}
	return list
}

// next returns the job of the largest sufferage with its best resource; resource −1: no job is left or the context has ended.
func (s *suffering) next() (job, resource int) {
	if s.last >= 0 {
		s.rest.renew(s.last)
	}
	s.best = s.rest.top()
	best := &s.best
	for k, t := range s.trees {
		if t == nil {
			continue
		}
		t.search(best)
		for _, j := range t.leaving {
			s.release(t, int(j))
		}
		if t.hopeless() {
			t.each(func(j int32) { s.release(t, int(j)) })
			s.trees[k] = nil
		}
		if t.poll.Ended() {
			return -1, -1
		}
	}
	if s.poll.Stopped(1) || s.rest.poll.Ended() || best.job < 0 {
		return -1, -1
	}
	if tree := s.in[best.job]; tree >= 0 {
		s.trees[tree].remove(best.job)
	}
	s.last = best.best
	return best.job, best.best
}

// release moves a job from its tree to the options.
func (s *suffering) release(t *shapeTree, job int) {
	t.remove(job)
	s.in[job] = -1
	if o := s.rest.add(job); o.before(&s.best) {
		s.best = *o
	}
}

// sufferage is the time that the job loses on its second-best resource; +Inf where it has none.
func (p *option) sufferage() float64 {
	if math.IsInf(p.second, 1) {
		return math.Inf(1)
	}
	return p.second - p.first
}

// before says whether the job can be placed and comes before the other one: its sufferage is larger, or as large and it is the first of the two.
func (p *option) before(o *option) bool {
	if p.best < 0 || o.best < 0 {
		return p.best >= 0
	}
	own, other := p.sufferage(), o.sufferage()
	return own > other || own == other && p.job < o.job
}

// options keeps, for each of its jobs, its two best resources. They stay the best until the completion time on one of the two grows, since
// completion times never fall. So a placement touches only the jobs that have its resource as one of their two.
type options struct {
	c      *completions
	kept   []option    // by job
	short  []shortlist // by job
	of     [][]int32   // by resource: the jobs that have it as one of their two best
	leader []int32     // by resource: the job of the largest sufferage, of those that have it as their best; −1: none
	poll   *kit.Poll
}

// newOptions starts without jobs.
func newOptions(ctx context.Context, c *completions) *options {
	return &options{c: c, kept: make([]option, len(c.Left)), short: make([]shortlist, len(c.Left)), of: make([][]int32, len(c.Resources)), leader: slices.Repeat([]int32{-1}, len(c.Resources)),
		poll: kit.NewPoll(ctx)}
}

// add adds a job and returns its two best resources.
func (o *options) add(job int) *option {
	p := &o.kept[job]
	if o.poll.Stopped(len(o.c.Resources)) {
		p.best = -1
		return p
	}
	*p = o.best(job)
	for _, resource := range [2]int{p.best, p.runnerUp} {
		if resource >= 0 {
			o.of[resource] = append(o.of[resource], int32(job))
		}
	}
	o.lead(p)
	return p
}

// best is the best two resources of the job; ties go to the first resource.
func (o *options) best(job int) option {
	s := &o.short[job]
	if !s.renew(2, func(resource int) float64 { return o.c.at(job, resource) }) {
		s.clear()
		o.c.ends(job, s.offer)
	}
	p := option{job: job, best: -1, runnerUp: -1, first: math.Inf(1), second: math.Inf(1)}
	if s.n > 0 {
		p.best, p.first = int(s.resource[0]), s.end[0]
	}
	if s.n > 1 {
		p.runnerUp, p.second = int(s.resource[1]), s.end[1]
	}
	return p
}

// lead makes the job the leader of its best resource where it comes before the one there.
func (o *options) lead(p *option) {
	if p.best < 0 {
		return
	}
	if leader := &o.leader[p.best]; *leader < 0 || p.before(&o.kept[*leader]) {
		*leader = int32(p.job)
	}
}

// top is the job of the largest sufferage with its two best resources; job −1: there is none.
func (o *options) top() option {
	best := option{job: -1, best: -1, runnerUp: -1, first: math.Inf(1), second: math.Inf(1)}
	for _, leader := range o.leader {
		if leader >= 0 && o.kept[leader].before(&best) {
			best = o.kept[leader]
		}
	}
	return best
}

// renew brings the options of the jobs up to date that have the given resource as one of their two; a job was placed there.
func (o *options) renew(resource int) {
	jobs := o.of[resource]
	o.of[resource], o.leader[resource] = jobs[:0], -1
	for _, j := range jobs {
		if !o.c.Left[j] || o.poll.Stopped(16) {
			continue
		}
		p := &o.kept[j]
		before := [2]int{p.best, p.runnerUp}
		*p = o.best(p.job)
		for _, now := range [2]int{p.best, p.runnerUp} {
			if now >= 0 && (now == resource || now != before[0] && now != before[1]) {
				o.of[now] = append(o.of[now], j)
			}
		}
		o.lead(p)
	}
}
