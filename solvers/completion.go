package solvers

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan/place"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/grid"
	"github.com/allot-opt/allot/solvers/internal/list"
)

// completions holds, while jobs are placed one by one, what the completion time of each remaining job on each resource depends
// on: max(release, arrival) + duration, where the release is that of as many processors as the job needs. Releases only grow.
// A job with a hard deadline can be placed only where it would not be late, see [model.Late].
type completions struct {
	*grid.Outline
	duration  [][]float64 // by job and resource; +Inf: it cannot run there
	sizes     [][]int     // by resource: the sizes, numbers of processors, that jobs have there
	release   [][]float64 // by resource and size: the earliest time at which that many processors are free
	only      []float64   // by resource: the release of the one size that jobs have there; nil where some resource has several sizes
	deadlines bool        // some job has a hard deadline
	count     int         // jobs not yet placed that could run somewhere
}

// blockCells is about the number of durations that are allocated at once.
const blockCells = 1 << 16

// newCompletions starts with no job placed; nil where the context ends first. The error is that of [grid.Supports]. O(jobs · resources).
func newCompletions(ctx context.Context, in *model.Instance) (*completions, error) {
	if err := grid.Supports(in); err != nil {
		return nil, err
	}
	n := len(in.Jobs())
	c := &completions{Outline: grid.NewOutline(in), count: n, deadlines: in.Features().Has(model.HardDeadlines)}
	c.duration = make([][]float64, n)
	var block []float64 // rows of the next jobs
	for j, poll := 0, kit.NewPoll(ctx); j < n; j++ {
		if poll.Stopped(8 * len(c.Resources)) {
			return nil, nil
		}
		if m := len(c.Resources); len(block) < m {
			block = make([]float64, m*max(1, min(n-j, blockCells/m)))
		}
		c.duration[j], block = block[:len(c.Resources):len(c.Resources)], block[len(c.Resources):]
		if !c.measure(j) {
			c.count--
		}
	}
	c.sizes, c.release = make([][]int, len(c.Resources)), make([][]float64, len(c.Resources))
	for k, poll := 0, kit.NewPoll(ctx); k < len(c.Resources); k++ {
		if poll.Stopped(4 * n) {
			return nil, nil
		}
		c.release[k] = make([]float64, c.Resources[k].Processors+1)
		seen := make([]bool, c.Resources[k].Processors+1)
		for j := range n {
			if d := c.duration[j][k]; math.IsInf(d, 1) {
				continue
			}
			if size := c.Resources[k].Size(&in.Jobs()[j]); !seen[size] {
				seen[size] = true
				c.sizes[k] = append(c.sizes[k], size)
				c.release[k][size] = c.Resources[k].Release(size)
			}
			if len(c.sizes[k]) == 1 && (c.Resources[k].Whole || c.Resources[k].Processors == 1) {
				break // every job has the same size there
			}
		}
	}
	if !slices.ContainsFunc(c.sizes, func(sizes []int) bool { return len(sizes) > 1 }) {
		c.only = make([]float64, len(c.Resources))
		for k := range c.Resources {
			c.keepOnly(k)
		}
	}
	return c, nil
}

// keepOnly brings the release of the one size of the resource up to date.
func (c *completions) keepOnly(resource int) {
	if c.only != nil && len(c.sizes[resource]) > 0 {
		c.only[resource] = c.release[resource][c.sizes[resource][0]]
	}
}

// measure computes the durations of the job on all resources; false where it can run on none.
func (c *completions) measure(job int) bool {
	j, somewhere := &c.Instance.Jobs()[job], false
	row := c.duration[job]
	for k := range row {
		row[k] = math.Inf(1)
		if l := &c.Resources[k]; l.Fits(j) {
			row[k] = l.Duration(c.Instance, job)
			somewhere = somewhere || !math.IsInf(row[k], 1)
		}
	}
	return somewhere
}

// on is the duration of the job on the resource.
func (c *completions) on(job, resource int) float64 { return c.duration[job][resource] }

// runs says whether the job could be placed on the resource at some time.
func (c *completions) runs(job, resource int) bool { return !math.IsInf(c.on(job, resource), 1) }

// start is when the job would start on the resource if it were placed next; it must be able to run there.
func (c *completions) start(job, resource int) float64 {
	j := &c.Instance.Jobs()[job]
	return max(c.release[resource][c.Resources[resource].Size(j)], j.Arrival)
}

// at is the completion time of the job on the resource if it were placed next; +Inf where it cannot run there or would miss a hard deadline.
func (c *completions) at(job, resource int) float64 {
	d := c.on(job, resource)
	if math.IsInf(d, 1) {
		return d
	}
	start := c.start(job, resource)
	if c.deadlines && c.late(job, start, d) {
		return math.Inf(1)
	}
	return start + d
}

// late says whether the job would miss a hard deadline if it started at the given time.
func (c *completions) late(job int, start, duration float64) bool {
	j := &c.Instance.Jobs()[job]
	return j.DeadlineHard && model.Late(start+duration, j.Deadline)
}

// option is the two best resources of a job.
type option struct {
	job            int
	best, runnerUp int     // resources with the least and the second least completion time; −1: none
	first, second  float64 // these times; +Inf: none
}

// best finds the two resources on which the job would end first; ties go to the first resource.
func (c *completions) best(job int) option {
	o := option{job: job, best: -1, runnerUp: -1, first: math.Inf(1), second: math.Inf(1)}
	c.ends(job, func(resource int, end float64) {
		switch {
		case end < o.first:
			o.runnerUp, o.second = o.best, o.first
			o.best, o.first = resource, end
		case end < o.second:
			o.runnerUp, o.second = resource, end
		}
	})
	return o
}

// ends calls yield with each resource on which the job can be placed, and its completion time there. The heuristics spend most of their time
// here.
func (c *completions) ends(job int, yield func(resource int, end float64)) {
	j := &c.Instance.Jobs()[job]
	arrival, latest := j.Arrival, math.Inf(1)
	if c.deadlines && j.DeadlineHard {
		latest = j.Deadline
	}
	for k, d := range c.duration[job] {
		if d > math.MaxFloat64 {
			continue
		}
		start := arrival
		if c.only != nil {
			start = max(start, c.only[k])
		} else {
			start = max(start, c.release[k][c.Resources[k].Size(j)])
		}
		if end := start + d; !model.Late(end, latest) {
			yield(k, end)
		}
	}
}

// put places the job on the resource and brings the releases up to date.
func (c *completions) put(job, resource int) {
	start := c.start(job, resource)
	c.Place(job, resource, start, model.End(start, c.on(job, resource)))
	c.count--
	for _, size := range c.sizes[resource] {
		c.release[resource][size] = c.Resources[resource].Release(size)
	}
	c.keepOnly(resource)
}

// board is a schedule on which a heuristic places jobs one by one: completions or, for all that they do not honour, openEnds.
type board interface {
	ResourceName(resource int) string
	Scores(chosen int, of func(resource int) (value float64, why string)) []solve.Score
	Step(why sim.Reason, score string, scores []solve.Score) solve.Step

	best(job int) option
	at(job, resource int) float64 // the completion time if it were placed next; +Inf: it cannot be placed there in time
	runs(job, resource int) bool  // it could be placed there at some time
	put(job, resource int)        // places it
}

// placeOneByOne runs a heuristic that places jobs one by one. prepare reads the completions, with no job placed yet, and returns next: the next job with its
// resource; resource −1: no job left can be placed. Without next the context has ended. Where the completions do not honour the instance, general returns
// next for the ends of [grid.Ends]. rule states the rule of the heuristic, see [stepOn].
func placeOneByOne(ctx context.Context, in *model.Instance, opt solve.Options, rule completionRule, prepare func(c *completions) (next func() (job, resource int)),
	general func(e *openEnds) (next func() (job, resource int))) (solve.Result, error) {
	if grid.Supports(in) != nil || rule.Holes || rule.Place.OrFirst() != place.First && rule.Placing(opt.Seed).ByNode(in) {
		return placeOnEnds(ctx, in, opt, rule, general)
	}
	c, err := newCompletions(ctx, in)
	if c == nil {
		return solve.Stopped(ctx), err
	}
	next := prepare(c)
	if next == nil || !placeEach(ctx, in, opt, c, rule, func() (job, resource int) {
		if c.count == 0 {
			return -1, -1
		}
		return next()
	}) {
		return solve.Stopped(ctx), nil
	}
	return c.Result(ctx), nil
}

// placeEach places jobs one by one as next says; false where the context ends first.
func placeEach(ctx context.Context, in *model.Instance, opt solve.Options, b board, rule completionRule, next func() (job, resource int)) bool {
	for ctx.Err() == nil {
		job, resource := next()
		switch {
		case ctx.Err() != nil:
			return false
		case resource < 0:
			return true
		case opt.Trace != nil:
			opt.Trace(stepOn(b, in, rule, job, resource))
		default:
			b.put(job, resource)
		}
	}
	return false
}

// completionRule is the rule by which a heuristic chose the next job, in words. terms returns the figures that it compared; nil: only the end.
type completionRule struct {
	name, text string
	terms      func(o option) []sim.Term
	list.Machines
}

// stepOn places the job on the resource and returns that as a step: the rule, and what the completion times were before.
func stepOn(b board, in *model.Instance, rule completionRule, job, resource int) solve.Step {
	id := in.Jobs()[job].ID
	why := sim.Reason{Rule: rule.name, Text: id + " goes to " + b.ResourceName(resource) + ": " + rule.text}
	if rule.terms != nil {
		why.Terms = rule.terms(b.best(job))
	}
	scores := b.Scores(resource, func(k int) (float64, string) {
		end := b.at(job, k)
		switch {
		case !math.IsInf(end, 1):
			return end, ""
		case b.runs(job, k):
			return 0, "after its hard deadline"
		}
		return 0, "cannot run it"
	})
	for k := range scores {
		if k != resource && scores[k].Value != nil && *scores[k].Value == *scores[resource].Value {
			why.Text += "; of equal clusters the first"
			break
		}
	}
	b.put(job, resource)
	return b.Step(why, "end", scores)
}
