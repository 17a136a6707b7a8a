package grid

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solvers/internal/list"
)

// Ends are the earliest ends of jobs on clusters while jobs are placed one at a time on a [plan.Schedule], which honours every feature. It serves the
// instances for which [Supports] is not nil; a resource is a whole cluster there.
//
// Holes are not filled, so the end of a job on a cluster never falls, whatever is placed. It stays as it is until something is placed on the cluster, or
// takes copies of a licence that the job needs too. So an end that was looked at before is a lower bound, mostly of the value itself. Two kinds of pairs are
// loose, as the processors that are free later may serve the job better: parallel jobs on clusters whose machines differ, and jobs that spread; and where ends are
// planned, all jobs with a choice. Their lower bound comes from the release of enough processors and the least time that the job can take.
//
// Jobs that take no time wait for processors as all others do, see [plan.Resources.QueueInstants].
type Ends struct {
	*plan.Schedule
	Instance *model.Instance

	planned func(job, cluster int, slot *plan.Slot) float64 // see NewEnds
	ready   []float64                                       // by job: when it may start; NaN: it waits for a job that is not placed
	waits   []int                                           // by job: the jobs not placed that it waits for
	left    []bool                                          // by job: not placed
	pairs   []pair                                          // of job j on cluster c at j·clusters + c
	changed []int32                                         // by cluster: the number of placements when the last was made there
	pools   int32                                           // the number of placements when the last that took licences was made
	placed  int32                                           // number of placements
	pooled  []bool                                          // by job: it needs copies of a licence
	fastest []float64                                       // by cluster: the greatest speed
	link    []float64                                       // and the greatest bandwidth
	spread  []float64                                       // by job that must spread: the least time that it can take; nil: there is none
}

// pair is a job on a cluster.
type pair struct {
	end  float64 // when it was last looked at; +Inf: it may not go there
	seen int32   // the number of placements then; −1: never
	kind pairKind
}

type pairKind uint8

const (
	apart     pairKind = iota // the job has no slot on the cluster
	tight                     // its end never falls
	loose                     // its end may fall
	scattered                 // the cluster stands for the slot of a job that spreads, whose end may fall
)

// NewEnds starts with nothing placed. planned is the end that a job in a slot counts with; +Inf: it may not go there. It is not before the slot's, up to
// rounding. nil: the slot's own end. machines is the rule that chooses among machines. O(jobs · clusters).
func NewEnds(in *model.Instance, machines plan.Placing, planned func(job, cluster int, slot *plan.Slot) float64) (*Ends, error) {
	s, err := plan.NewPlacedSchedule(in, machines)
	if err != nil {
		return nil, err
	}
	s.QueueInstants()
	n, clusters := len(in.Jobs()), len(in.Clusters())
	e := &Ends{Schedule: s, Instance: in, planned: planned, ready: make([]float64, n), waits: make([]int, n), left: make([]bool, n), pairs: make([]pair, n*clusters),
		changed: make([]int32, clusters), pooled: make([]bool, n), fastest: make([]float64, clusters), link: make([]float64, clusters)}
	for c := range clusters {
		for _, m := range in.Clusters()[c].Machines {
			e.fastest[c], e.link[c] = max(e.fastest[c], m.Speed), max(e.link[c], m.Bandwidth)
		}
	}
	if in.Features().Has(model.GridSpan) {
		e.spread = make([]float64, n)
	}
	for j := range n {
		e.left[j], e.waits[j], e.ready[j] = true, len(in.Jobs()[j].After), math.NaN()
		if e.waits[j] == 0 {
			e.ready[j] = in.Jobs()[j].Arrival
		}
		for _, need := range in.Jobs()[j].Licences {
			e.pooled[j] = e.pooled[j] || need.Copies > 0
		}
		e.relate(j)
	}
	return e, nil
}

// relate finds out on which clusters the job has slots.
func (e *Ends) relate(job int) {
	in, must := e.Instance, e.spread != nil && e.Instance.MustSpread(job)
	var over []bool
	if must {
		over = in.SpreadOver(job)
		e.spread[job] = math.Inf(1)
	}
	first := true
	for c := range in.Clusters() {
		p, cluster := e.pair(job, c), &in.Clusters()[c]
		p.seen = -1
		least, most := in.Width(job, c)
		switch {
		case must && over[c]:
			e.spread[job] = min(e.spread[job], e.shortest(job, c, min(in.Jobs()[job].Max, in.Processors())))
			if first {
				p.kind, first = scattered, false
			}
		case must || !in.CanRun(job, c):
		case !cluster.Uniform && (most > 1 || e.planned != nil), e.planned != nil && least < most:
			p.kind = loose
		default:
			p.kind = tight
		}
		if p.kind == apart {
			p.end = math.Inf(1)
		}
	}
}

func (e *Ends) pair(job, cluster int) *pair { return &e.pairs[job*len(e.changed)+cluster] }

// shortest is a time that the job takes at least if it holds some of the fastest processors of the cluster and n processors in all.
func (e *Ends) shortest(job, cluster, n int) float64 {
	tasks := e.Instance.Jobs()[job].Tasks
	return e.Instance.Busy(job, cluster, e.fastest[cluster], (tasks+n-1)/n) + e.Instance.Transfer(job, e.link[cluster])
}

// Open says whether the job is ready and not placed.
func (e *Ends) Open(job int) bool { return e.left[job] && !math.IsNaN(e.ready[job]) }

// exact says whether the end of the pair is what it would be if it were looked at now.
func (e *Ends) exact(job, cluster int, p *pair) bool {
	switch {
	case p.kind == apart, p.kind == tight && p.seen >= 0 && math.IsInf(p.end, 1):
		return true
	case p.kind == scattered:
		return p.seen == e.placed
	}
	return p.seen >= e.changed[cluster] && (!e.pooled[job] || p.seen >= e.pools)
}

// least is a lower bound of the end of the ready job on the cluster; lasting: it stays one whatever is placed.
func (e *Ends) least(job, cluster int, lasting bool) float64 {
	p := e.pair(job, cluster)
	switch {
	case p.kind == apart, p.kind == tight && p.seen >= 0, !lasting && e.exact(job, cluster, p):
		return p.end
	case p.kind == scattered:
		return e.ready[job] + e.spread[job]
	}
	fewest, most := e.Instance.Width(job, cluster)
	start := max(e.ready[job], e.Release(cluster, fewest))
	return start + e.shortest(job, cluster, min(most, e.Instance.Clusters()[cluster].Processors))
}

// Least is a lower bound of the earliest end of the ready job on any cluster, whatever is placed until the job is; +Inf: it will have none.
func (e *Ends) Least(job int) float64 {
	end := math.Inf(1)
	for c := range e.changed {
		end = min(end, e.least(job, c, true))
	}
	return end
}

// Most is an upper bound of the earliest end of the ready job on any cluster if it were placed next; +Inf: it has none, or none is known.
func (e *Ends) Most(job int) float64 {
	end := math.Inf(1)
	for c := range e.changed {
		switch p := e.pair(job, c); {
		case p.kind == apart, p.kind == scattered, e.planned != nil:
		case e.exact(job, c, p):
			end = min(end, p.end)
		default:
			end = min(end, e.LatestEnd(job, c, e.ready[job]))
		}
	}
	return end
}

// Runs says whether the job could have a slot on the cluster.
func (e *Ends) Runs(job, cluster int) bool { return e.pair(job, cluster).kind != apart }

// Rises says whether the end of the job on the cluster never falls.
func (e *Ends) Rises(job, cluster int) bool { return e.pair(job, cluster).kind <= tight }

// At is the end of the ready job on the cluster if it were placed next; +Inf where it cannot go there or would miss a hard deadline.
func (e *Ends) At(job, cluster int) float64 {
	p := e.pair(job, cluster)
	if e.exact(job, cluster, p) {
		return p.end
	}
	slot, ok := e.Earliest(job, cluster)
	p.end, p.seen = math.Inf(1), e.placed
	if !ok {
		p.kind = apart // what is closed to the job later, or taken, stays so
		return p.end
	}
	if p.end = slot.End; e.planned != nil {
		p.end = e.planned(job, cluster, &slot)
	}
	if j := &e.Instance.Jobs()[job]; j.DeadlineHard && model.Late(slot.End, j.Deadline) {
		p.end = math.Inf(1)
	}
	return p.end
}

// Best is the cluster on which the ready job would end first, and with two that on which it would end second; −1: none. Ties go to the first cluster. It
// looks only at clusters whose lower bounds are the least.
func (e *Ends) Best(job int, two bool) (best, second int) {
	for {
		best, second = -1, -1
		first, next := math.Inf(1), math.Inf(1)
		for c := range e.changed {
			switch end := e.least(job, c, false); {
			case end < first:
				second, next = best, first
				best, first = c, end
			case end < next:
				second, next = c, end
			}
		}
		switch {
		case best >= 0 && !e.exact(job, best, e.pair(job, best)):
			e.At(job, best)
		case !two:
			return best, -1
		case second >= 0 && !e.exact(job, second, e.pair(job, second)):
			e.At(job, second)
		default:
			return best, second
		}
	}
}

// Lasts says whether what Best found for the job is still so: neither of the two has changed, and no other can have become better.
func (e *Ends) Lasts(job, best, second int) bool {
	for c := range e.changed {
		p := e.pair(job, c)
		if (c == best || c == second || p.kind > tight) && !e.exact(job, c, p) {
			return false
		}
	}
	return true
}

// Put places the ready job into its slot on the cluster and calls ready with each job that is ready by that; false: it has no slot there.
func (e *Ends) Put(job, cluster int, ready func(job int)) bool {
	slot, ok := e.Earliest(job, cluster)
	if !ok {
		p := e.pair(job, cluster)
		p.kind, p.end = apart, math.Inf(1)
		return false
	}
	e.Place(job, slot)
	e.placed++
	e.left[job] = false
	e.Pieces(&slot, func(c, _ int, _ float64) { e.changed[c] = e.placed })
	if e.pooled[job] {
		e.pools = e.placed
	}
	for _, next := range e.Instance.Successors(job) {
		if e.waits[next]--; e.waits[next] == 0 {
			e.ready[next], _ = e.Ready(next)
			ready(next)
		}
	}
	return true
}

// Finish leaves out the jobs that are not placed, each with the reason, and returns the schedule.
func (e *Ends) Finish() *model.Solution {
	first := list.EarliestEnd(e.Instance)
	for _, j := range plan.ArrivalOrder(e.Instance) {
		if !e.left[j] {
			continue
		}
		slot, ok := first(&list.Schedule{Schedule: e.Schedule}, j)
		switch {
		case !ok:
			e.LeaveUnplaceable(j)
		case e.Instance.Jobs()[j].DeadlineHard && model.Late(slot.End, e.Instance.Jobs()[j].Deadline):
			e.Place(j, slot) // which leaves it out
		default:
			e.Leave(j, fmt.Sprintf("the shares of the clusters that may be used are too small for it; all of %s would end it at %v", e.ResourceName(slot.Cluster), slot.End))
		}
	}
	return e.Solution()
}

// ResourceName is the name of the cluster.
func (e *Ends) ResourceName(k int) string { return e.Instance.Clusters()[k].ID }

// Scores are the scores of all clusters, as [Outline.Scores].
func (e *Ends) Scores(chosen int, of func(k int) (value float64, why string)) []solve.Score {
	return scores(len(e.changed), e.ResourceName, chosen, of)
}

// Step is the step that placed the last job, as [Outline.Step].
func (e *Ends) Step(why sim.Reason, score string, scores []solve.Score) solve.Step {
	return placedLast(*e.Last(), why, score, scores)
}
