package bound

import (
	"math"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/tasks"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/proof"
)

// wholeTimes is the instance as a problem in whole units of time. If no schedule of the problem ends before k units, none of the instance ends
// before k·unit − wrong.
type wholeTimes struct {
	problem *tasks.Problem
	unit    float64
	wrong   float64
	jobs    []int                  // by job of the problem: its position in the instance
	nearest bool                   // times are rounded to the nearest multiple of the unit, else down
	shown   []proof.WindowResource // by resource of the problem: as a certificate names it
	// faithful says that a schedule of the problem gives one of the instance with the same makespan, if the jobs are placed in the order of
	// their starts. That holds if there is one cluster and nothing but processors and licences is scarce.
	faithful bool
}

// wholeTimesOf is the problem. It is nil if the times cannot be expressed in units. It is computed once; [Relaxation.chained] says for which jobs
// it may be used.
//
// If there is a grain (see [Relaxation.roundUp]), it is the unit. The times are rounded to the nearest multiple, with the error that is derived
// there. Otherwise the times are rounded down to multiples of a small unit u. That is a relaxation. To see this, divide the starts of a schedule
// by u and round them down as well. A job that runs at the whole time t of the rounded schedule starts before (t+1)·u and ends no earlier than
// (t+1)·u. So all these jobs run together just before (t+1)·u. A job that waits still starts no earlier than the rounded end of the other job.
func (r *Relaxation) wholeTimesOf() *wholeTimes {
	if !r.scaled {
		r.scaled = true
		r.whole = r.findWholeTimes()
	}
	return r.whole
}

// mostTasks is the largest number of jobs for which windows are narrowed.
const mostTasks = 2000

// chained says that there are at most the given number of jobs, that they are rigid, and that some wait, arrive later, have to end by some time, or need licences or
// memory. For other jobs the bounds by area are about as good.
func (r *Relaxation) chained(most int) bool {
	const features = model.Precedence | model.LicencePools | model.Arrivals | model.MemoryLimits
	return r.solid && len(r.must) > 0 && len(r.must) <= most && (r.in.Features()&features != 0 || r.limited())
}

// wholeTimesWork is about the work that it takes to make the problem.
func (r *Relaxation) wholeTimesWork() int64 {
	n, clusters := int64(len(r.must)), int64(len(r.in.Clusters()))
	return n * n * (20 + 50*clusters*clusters)
}

func (r *Relaxation) findWholeTimes() *wholeTimes {
	longest, sum := 0.0, 0.0
	for _, j := range r.must {
		longest = max(longest, r.Released(j))
		sum += r.least[j]
	}
	w := &wholeTimes{problem: &tasks.Problem{}}
	horizon := longest + sum
	if !(horizon > 0) || !gate.Finite(horizon) {
		return nil
	}
	round := math.Floor
	const finest = 1 << 22
	if g := r.grainOf(false); g.step > 0 && horizon < tasks.Most/2*g.step && float64(len(r.must)+2)*g.off < 1e-3*g.step {
		w.unit, w.nearest, round = g.step, true, math.Round
		_, w.wrong = r.stepOf("makespan")
	} else if w.unit = horizon / finest; !(w.unit > 0) {
		return nil
	}
	position := make([]int, len(r.in.Jobs()))
	for j := range position {
		position[j] = -1
	}
	for k, j := range r.must {
		position[j] = k
	}
	p := w.problem
	latest, total := int32(0), int32(0)
	p.After, w.jobs = make([][]int, len(r.must)), r.must
	for k, j := range r.must {
		p.Length = append(p.Length, int32(round(r.least[j]/w.unit)))
		p.Head = append(p.Head, int32(round(r.Released(j)/w.unit)))
		latest, total = max(latest, p.Head[k]), total+p.Length[k]
		for _, before := range r.in.Jobs()[j].After {
			p.After[k] = append(p.After[k], position[before]) // placed as well: see Duty
		}
	}
	p.Horizon = latest + total
	for _, j := range plan.ArrivalOrder(r.in) {
		if position[j] >= 0 {
			p.Order = append(p.Order, position[j])
		}
	}
	if !w.endInTime(r) {
		return nil
	}
	w.resources(r)
	return w
}

// endInTime states when jobs end at the latest. It returns false if rounding has left a job no time.
//
// Rounded down, a job ends no later than its latest end rounded down. To the nearest multiple the ends of a best schedule move by w.wrong at most, and are multiples then.
func (w *wholeTimes) endInTime(r *Relaxation) bool {
	p := w.problem
	if !r.limited() {
		return true
	}
	latest, _ := r.latestEnds()
	for _, j := range w.jobs {
		last := int32(tasks.Most)
		if units := math.Floor((latest[j] + w.wrong) / w.unit); units < tasks.Most {
			last = int32(max(0, units))
		}
		p.Last = append(p.Last, last)
	}
	heads := p.Heads()
	for j, end := range p.Ends() {
		if heads[j]+p.Length[j] > end {
			return false
		}
	}
	return true
}

// sum turns a lower bound of the makespan of the problem into one of the instance.
func (w *wholeTimes) sum(r *Relaxation, least int32) Sum {
	value := float64(least)*w.unit - w.wrong
	return Sum{Value: value, Size: value, Terms: 4 + r.depth}
}

// enough is the makespan of the problem that proves a makespan of the instance of at least the limit.
func (w *wholeTimes) enough(limit float64) int32 {
	const margin = 1e-6 // of a unit: a limit just above a value is taken for the value
	return int32(min(tasks.Most, math.Ceil((limit-w.wrong)/w.unit-margin)))
}
