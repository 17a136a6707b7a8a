package prove

import (
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// enumerated asks the checker about the schedules of a tiny batch, and returns those that no other beats: the best by the rank, and the least of each metric of the objective.
// It places the jobs in the order of their starts, each at a time at which something changes or so long before that the job ends there. Not all schedules may
// be among them, and need not: each is right, so a bound or an optimum above it is false.
func enumerated(in *model.Instance, rng *rand.Rand) []*model.Solution {
	const most, jobs = 6000, 4
	if len(in.Jobs()) > jobs {
		return nil
	}
	e := &placing{in: in, rng: rng, left: most, done: make([]bool, len(in.Jobs())), ranks: map[string]model.Rank{}, best: map[string]*model.Solution{}}
	for j := range in.Jobs() {
		if run := in.Jobs()[j].Node().Running; run != nil {
			e.done[j] = true
			e.jobs = append(e.jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: in.Clusters()[run.Cluster].ID, Processors: run.Processors,
				End: in.Duration(j, run.Cluster, run.Processors), Devices: run.Devices})
		}
	}
	e.changes()
	e.starts()
	e.extend(0)
	var list []*model.Solution
	for _, term := range in.ObjectiveTerms() {
		if sol := e.best[term.Metric]; sol != nil && !slices.Contains(list, sol) {
			list = append(list, sol)
		}
	}
	if sol := e.best[""]; sol != nil && !slices.Contains(list, sol) {
		list = append(list, sol)
	}
	return list
}

// placing is an enumeration under way.
type placing struct {
	in    *model.Instance
	rng   *rand.Rand
	left  int         // of the schedules that the checker may be asked about
	times []float64   // at which something changes, whatever runs
	from  [][]float64 // by job: starts to try, whatever runs
	done  []bool      // by job: it is placed
	jobs  []model.Placement
	ranks map[string]model.Rank // by metric; "": the objective
	best  map[string]*model.Solution
}

// changes lists the times at which something changes.
func (e *placing) changes() {
	if from, to, stated := e.in.Horizon(); stated {
		e.times = append(e.times, from, to)
	}
	spec := e.in.Spec()
	steps := func(lists ...[][]float64) {
		for _, list := range lists {
			for _, step := range list {
				e.times = append(e.times, step[0])
			}
		}
	}
	if t := spec.Tariff; t != nil {
		steps(t.Price, t.Carbon)
	}
	for c := range spec.Clusters {
		steps(spec.Clusters[c].PowerCap)
		for g := range spec.Clusters[c].Machines {
			for _, x := range spec.Clusters[c].Machines[g].Closed {
				if e.times = append(e.times, x.From); x.To != nil {
					e.times = append(e.times, *x.To)
				}
			}
		}
	}
	for j := range spec.Jobs {
		e.times = append(e.times, spec.Jobs[j].Arrival)
		if spec.Jobs[j].Deadline != nil {
			e.times = append(e.times, *spec.Jobs[j].Deadline)
		}
	}
}

// starts lists the starts of each job.
func (e *placing) starts() {
	machines := modeltest.Enumeration{In: e.in}
	for j := range e.in.Jobs() {
		arrival := e.in.Jobs()[j].Arrival
		list := slices.Clone(e.times)
		var lengths []float64
		machines.Placements(nil, j, arrival, func(p model.Placement) {
			if length := p.End - p.Start; !slices.Contains(lengths, length) && len(lengths) < 3 {
				lengths = append(lengths, length)
			}
		})
		for _, t := range e.times {
			for _, length := range lengths {
				list = append(list, t-length)
			}
		}
		list = slices.DeleteFunc(list, func(t float64) bool { return t < arrival })
		slices.Sort(list)
		e.from = append(e.from, slices.Compact(list))
	}
}

// extend asks about the schedule so far, without all other jobs, and adds one more job, which does not start before the given time.
func (e *placing) extend(from float64) {
	if e.left--; e.left < 0 || !e.ask() {
		return
	}
	machines := modeltest.Enumeration{In: e.in}
	for _, j := range e.rng.Perm(len(e.done)) {
		if e.done[j] {
			continue
		}
		starts := slices.Clone(e.from[j])
		for k := range e.jobs {
			starts = append(starts, e.jobs[k].End)
		}
		slices.Sort(starts)
		for _, start := range slices.Compact(starts) {
			if start < max(from, e.in.Jobs()[j].Arrival) {
				continue
			}
			e.done[j] = true
			held, tried := slices.Clone(e.jobs), 0
			machines.Placements(held, j, start, func(p model.Placement) {
				if tried++; tried <= 12 {
					e.jobs = append(slices.Clone(held), p)
					e.extend(start)
				}
			})
			e.jobs, e.done[j] = held, false
		}
	}
}

// ask says whether the checker accepts what is placed so far, with all other jobs left out, and keeps the schedule where it is better than those before.
func (e *placing) ask() bool {
	sol := &model.Solution{Schema: model.SolutionSchema, Jobs: slices.Clone(e.jobs)}
	for j, done := range e.done {
		if !done {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: e.in.Jobs()[j].ID, Reason: "left out by the enumeration"})
		}
	}
	report := model.Check(e.in, sol)
	if !report.OK() {
		return false
	}
	e.keep("", sol, report.Objective)
	for _, term := range e.in.ObjectiveTerms() {
		if value, ok := report.Metrics.Get(term.Metric); ok {
			if term.Weight < 0 {
				value = -value
			}
			e.keep(term.Metric, sol, value)
		}
	}
	return true
}

// keep keeps a schedule if it is the best by a metric.
func (e *placing) keep(by string, sol *model.Solution, value float64) {
	rank := e.in.RankOf(sol, value)
	if known, ok := e.ranks[by]; !ok || rank.Less(known) {
		e.ranks[by], e.best[by] = rank, sol
	}
}
