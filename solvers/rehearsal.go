package solvers

import (
	"context"
	"math"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/plan/objective"
)

// rehearsal tells what metrics that are no sums over the jobs make of a slot: it places all jobs again, and the next one into the slot, and asks the evaluator.
//
// Complexity: O(n) for each slot that is tried, beside the evaluator.
type rehearsal struct {
	ended        func() bool     // the context has ended
	of           *model.Instance // with these metrics alone as the objective
	empty, stage *plan.Schedule
	jobs         []int // placed so far, in this order
	slots        []plan.Slot
	placed       []bool // by job
}

// mostRehearsed is the largest estimate of looksAtWhole for which slots are rehearsed: a tenth of a second for each order of the jobs.
const mostRehearsed = 1 << 16

// looksAtWhole is about how often the evaluator looks at a job while one order of the jobs is placed.
func looksAtWhole(in *model.Instance) float64 {
	n, widths := float64(len(in.Jobs())), 1.0
	for j := range in.Jobs() {
		least, most := in.Jobs()[j].Min, min(in.Jobs()[j].Max, in.Processors())
		widths = max(widths, 1+4*math.Log2(float64(max(least, most))/float64(least)))
	}
	return n * n * float64(len(in.Clusters())) * widths
}

// rehearses says whether metrics that are no sums over the jobs count, on so few jobs that slots are rehearsed.
func rehearses(in *model.Instance) bool {
	return len(noSums(in)) > 0 && looksAtWhole(in) <= mostRehearsed
}

// noSums are the metrics of the objective that are no sums over the jobs, with their weights, but those that are in the price of a slot.
func noSums(in *model.Instance) map[string]float64 {
	rest := in.StatedObjective()
	for _, metric := range objective.Metrics() {
		delete(rest, metric)
	}
	if plan.PricesStarts(in) {
		for _, metric := range inPrices {
			delete(rest, metric)
		}
	}
	for metric, weight := range rest {
		if weight == 0 {
			delete(rest, metric)
		}
	}
	return rest
}

// newRehearsal makes the schedules on which slots are rehearsed.
func newRehearsal(ctx context.Context, in *model.Instance, placing plan.Placing) (*rehearsal, error) {
	of, err := in.WithObjective(noSums(in))
	if err != nil {
		return nil, err
	}
	empty, err := plan.NewCheapSchedule(in, placing)
	if err != nil {
		return nil, err
	}
	stage, err := plan.NewCheapSchedule(in, placing)
	return &rehearsal{ended: func() bool { return ctx.Err() != nil }, of: of, empty: empty, stage: stage, placed: make([]bool, len(in.Jobs()))}, err
}

// clear takes all jobs away.
func (r *rehearsal) clear() {
	r.jobs, r.slots = r.jobs[:0], r.slots[:0]
	clear(r.placed)
}

// place places a job for good.
func (r *rehearsal) place(job int, slot plan.Slot) {
	r.jobs, r.slots, r.placed[job] = append(r.jobs, job), append(r.slots, slot), true
}

// with is the value of the metrics for the jobs placed so far and one more; 0 once the context has ended.
func (r *rehearsal) with(job int, slot *plan.Slot) float64 {
	if r.ended() {
		return 0
	}
	r.stage.Restart(r.empty)
	for k, before := range r.jobs {
		r.stage.Place(before, r.slots[k])
	}
	r.stage.Place(job, *slot)
	for other := range r.placed {
		if !r.placed[other] && other != job {
			r.stage.Leave(other, "")
		}
	}
	value, err := model.EvaluateObjective(r.of, r.stage.Solution())
	if err != nil {
		return math.Inf(1)
	}
	return value
}
