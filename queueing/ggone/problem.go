// Package ggone allocates tasks to machines, modelled as G/G/1 queues, with the least penalty for missed deadlines and
// budgets: a Lagrangian branch-and-bound for the MINLP of Y. Patel, J. Darlington (2006), "A novel approach to allocating
// QoS-constrained workflow-based jobs in a multi-cluster grid", Proc. 4th Int. Workshop on Middleware for Grid Computing,
// doi:10.1145/1186675.1186678, eqs. 2, 3, 9–18 and 23.
//
// Resource r serves its tasks in S at k standard deviations (eq. 23) after a wait of at most W = κ·λ/(1 − λ/μ), the
// Kingman/Marshall bound on the mean wait (eq. 3). R = W + S mixes a bound on a mean with a quantile, as the paper does.
// With integer loads n fixed, λ = n/T, the cost of task y on r is a number that does not fall as n grows, and the allocation is a
// transportation problem. See docs/ggone.md for the formulation, the bounds and what was tried.
//
// Where the rate of all arrivals exceeds the rate of the tasks and the committed rates, the rest is the idle rate: machines serve it too,
// and it is parked where it costs least. Times the period it is the idle load, in tasks.
package ggone

import (
	"errors"
	"fmt"
	"math"

	"github.com/allot-opt/allot/queueing"
)

// Problem is the allocation problem. Times and rates are in any one unit.
type Problem struct {
	Period  float64 // T, over which the tasks arrive; λ_r = n_r/T
	Rate    float64 // λ, of all arrivals; its excess over Tasks/T and the committed rates is the idle rate
	Tasks   []Task
	Classes []Class
	// ServiceOnly says that a task pays for its service time only, not for its wait.
	ServiceOnly bool
	// Dummies states that the idle load consists of whole tasks of zero weight, where they fit, instead of
	// any amount.
	Dummies bool
}

// Task is what a task asks for.
type Task struct {
	Deadline float64 // d, after its arrival; +Inf: none
	Budget   float64 // e; +Inf: none
}

// Class is a number of machines that are alike.
type Class struct {
	Machines    int
	ServiceRate float64   // μ, tasks per time
	Kappa       float64   // κ = (σA² + σS²)/2
	Committed   float64   // b, arrival rate that each machine carries already
	Price       float64   // c, cost of a processor per time
	Service     []float64 // S of each task; +Inf: the task cannot be on the class
	Processors  []float64 // that each task holds there, each at the price; nil: one
}

// errInvalid is wrapped by the error of a problem that check refuses.
var errInvalid = errors.New("invalid problem")

// check returns an error if the problem is invalid.
func (p *Problem) check() error {
	if !(p.Period > 0 && p.Rate >= 0) || math.IsInf(p.Period, 1) || math.IsInf(p.Rate, 1) {
		return fmt.Errorf("%w: expected a finite period > 0 and rate ≥ 0, found %v and %v", errInvalid, p.Period, p.Rate)
	}
	for k, t := range p.Tasks {
		if math.IsNaN(t.Deadline) || math.IsNaN(t.Budget) {
			return fmt.Errorf("%w: task %d: a limit is not a number", errInvalid, k)
		}
	}
	for k := range p.Classes {
		if err := p.Classes[k].check(len(p.Tasks)); err != nil {
			return fmt.Errorf("%w: class %d: %w", errInvalid, k, err)
		}
	}
	return nil
}

// check says what is wrong with the class.
func (c *Class) check(tasks int) error {
	finite := func(x float64) bool { return x >= 0 && !math.IsInf(x, 1) }
	if c.Machines < 0 || !finite(c.ServiceRate) || !finite(c.Kappa) || !finite(c.Committed) || !finite(c.Price) {
		return errors.New("expected finite numbers ≥ 0")
	}
	if len(c.Service) != tasks {
		return fmt.Errorf("expected %d service times, found %d", tasks, len(c.Service))
	}
	for y, s := range c.Service {
		if !(s >= 0) {
			return fmt.Errorf("service time of task %d: expected a number ≥ 0, found %v", y, s)
		}
	}
	if c.Processors != nil && len(c.Processors) != tasks {
		return fmt.Errorf("expected %d numbers of processors, found %d", tasks, len(c.Processors))
	}
	for y, n := range c.Processors {
		if !(n >= 1) || !finite(n) {
			return fmt.Errorf("processors of task %d: expected a finite number ≥ 1, found %v", y, n)
		}
	}
	return nil
}

// most is the largest number n of tasks, at most the given one, under which a machine of the class stays stable: n/T + b < μ. It is 0 also
// where b alone is too much.
func (c *Class) most(period float64, tasks int) int {
	stable := func(n int) bool { return float64(n)/period+c.Committed < c.ServiceRate }
	n := tasks
	if estimate := (c.ServiceRate - c.Committed) * period; estimate < float64(tasks) {
		n = max(0, int(estimate))
	}
	for n > 0 && !stable(n) {
		n--
	}
	for n < tasks && stable(n+1) {
		n++
	}
	return n
}

// nearlyFull is the part of the service rate below which what is left decides the wait, and the rounding of the rate with it.
const nearlyFull = 0x1p-10

// wait is W of a machine of the class with n tasks. Near the service rate it computes what is left, μ·T − n, with one rounding: a rounding of n/T would
// decide the wait there.
func (c *Class) wait(n, period float64) float64 {
	if n == 0 && c.Committed == 0 {
		return 0
	}
	load := n/period + c.Committed
	if c.Committed == 0 && load < c.ServiceRate && c.ServiceRate-load < nearlyFull*c.ServiceRate {
		return c.Kappa * load / (math.FMA(c.ServiceRate, period, -n) / period / c.ServiceRate)
	}
	w, err := queueing.KingmanMarshall(c.Kappa, load, c.ServiceRate)
	if err != nil {
		return math.Inf(1)
	}
	return w
}

// penalties holds, for a class, the terms of the penalty of each task beside the wait W. With R = W + service the penalty is
// max(0, R − deadline)·perTime + max(0, price·R − budget)·perCost; where tasks pay for service alone, price·service stands for price·R. It
// is a structure of arrays for speed. The terms are those of the evaluator, so that a penalty of 0 there is 0 here.
type penalties struct {
	service, deadline, perTime, budget, perCost []float64
	price                                       float64
	serviceOnly                                 bool
}

// penaltiesOf prepares the penalties on a class. A limit of 0 or less that is exceeded costs +Inf, and so does a place where the task cannot be: a
// limit that any wait exceeds. A task that holds n processors exceeds its budget as one that holds a single one exceeds an n-th of it.
func penaltiesOf(p *Problem, c *Class, tasks []Task) penalties {
	n := len(tasks)
	all := make([]float64, 5*n)
	wait := c.wait(1, p.Period) // the least wait of a task
	q := penalties{all[:n:n], all[n : 2*n : 2*n], all[2*n : 3*n : 3*n], all[3*n : 4*n : 4*n], all[4*n:], c.Price, p.ServiceOnly}
	for y, t := range tasks {
		switch {
		case y >= len(c.Service): // a dummy takes no time
		case math.IsInf(c.Service[y], 1):
			q.deadline[y], q.perTime[y], q.budget[y] = math.Inf(-1), 1, math.Inf(1)
			continue
		default:
			q.service[y] = c.Service[y]
		}
		if y < len(c.Processors) {
			t.Budget /= c.Processors[y]
		}
		q.deadline[y], q.perTime[y] = limitOf(t.Deadline, q.service[y], wait > 0)
		q.budget[y], q.perCost[y] = limitOf(t.Budget, c.Price*q.service[y], c.Price*wait > 0 && !p.ServiceOnly)
	}
	return q
}

// limitOf is the limit from which on a penalty is due and the penalty for each unit above it. Where the limit is 0 or less any excess costs
// +Inf. x is a lower bound of the value that has to keep the limit; more says that the value exceeds x.
func limitOf(limit, x float64, more bool) (from, per float64) {
	switch {
	case math.IsInf(limit, 1):
		return limit, 0
	case limit > 0:
		return limit, 1 / limit
	case x > limit || more:
		return math.Inf(-1), 1
	default:
		return math.Inf(1), 0
	}
}

// at computes the penalties of all tasks at wait w.
func (q *penalties) at(w float64, out []float64) {
	service, deadline, perTime, budget, perCost := q.service[:len(out)], q.deadline[:len(out)], q.perTime[:len(out)], q.budget[:len(out)], q.perCost[:len(out)]
	charged := w
	if q.serviceOnly {
		charged = 0
	}
	for y, s := range service {
		out[y] = max(0, w+s-deadline[y])*perTime[y] + max(0, q.price*(charged+s)-budget[y])*perCost[y]
	}
}

// of is the penalty of task y at wait w.
func (q *penalties) of(y int, w float64) float64 {
	s, charged := q.service[y], w
	if q.serviceOnly {
		charged = 0
	}
	return max(0, w+s-q.deadline[y])*q.perTime[y] + max(0, q.price*(charged+s)-q.budget[y])*q.perCost[y]
}

// rounding is an upper limit of the absolute rounding error of the penalty of task y at wait w, where that is above 0.
func (q *penalties) rounding(y int, w float64) float64 {
	s, charged, off := q.service[y], w, 0.0
	if q.serviceOnly {
		charged = 0
	}
	if w+s > q.deadline[y] {
		off = 4 * ulp * (w + s) * q.perTime[y]
	}
	if q.price*(charged+s) > q.budget[y] {
		off += 4 * ulp * q.price * (charged + s) * q.perCost[y]
	}
	return off
}

// rate is the right derivative of the penalty of a task by the wait.
func (q *penalties) rate(y int, w float64) float64 {
	rate, s := 0.0, q.service[y]
	if w+s >= q.deadline[y] {
		rate = q.perTime[y]
	}
	if !q.serviceOnly && q.price*(w+s) >= q.budget[y] {
		rate += q.price * q.perCost[y]
	}
	return rate
}
