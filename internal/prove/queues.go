package prove

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/model"
)

// queue is a machine as a G/G/1 server, with the paper's formulas for it.
type queue struct {
	speed, cost, serviceRate, kappa float64
}

// queueing is a G/G/1 batch that is being made. Its formulas are written again here, independently of the product, from eqs. 2, 3, 9–11 and 23 of
// Y. Patel, J. Darlington (2006), Proc. MGC '06.
type queueing struct {
	*draft
	period  float64
	k       float64
	service bool // a task pays for its service time, not for its response
	queues  []queue
	group   []int // by queue: its cluster
	index   []int // by queue: its processor there
}

// newQueueing draws machines for n tasks with a mean work of 1. The machines of a group are alike; all have stated rates and variances. Together the
// machines can serve the tasks.
func newQueueing(d *draft, n, most int) *queueing {
	d.origin = 0
	switch { // variances are squares of times, but have the same limits as times
	case d.unit > 1e8:
		d.unit /= 1000
	case d.unit < 1e-7:
		d.unit *= 1000
	}
	q := &queueing{draft: d, period: float64(n) * pick(d.Rand, 1, 0.5, 3) * d.unit, k: pick(d.Rand, 1.645, 0, 1), service: d.chance(2)}
	groups := d.between(1, 3)
	for range groups {
		machines, speed := d.between(1, 3), pick(d.Rand, 1, 1, 2, 0.5, 1.3)
		if len(q.queues)+machines > most {
			machines = 1
		}
		load := (1 + d.Float64()*2) * float64(n) / q.period // the machine could serve all tasks
		if d.chance(2) {
			load /= 1 + d.Float64()*float64(groups) // the machine cannot serve all tasks
		}
		if len(q.queues) == 0 {
			load = 1.2 * float64(n) / q.period
		}
		va, vs := d.variance()*d.unit*d.unit, d.variance()*d.unit*d.unit
		q.machines(machines, queue{speed * d.mass, float64(d.IntN(4)) / 4, load, (va + vs) / 2}, va, vs)
	}
	q.state(float64(n)/q.period, 1)
	return q
}

// machines adds a group of machines that are alike, as a cluster of its own. va and vs are the variances of the times between arrivals and of the
// service times.
func (q *queueing) machines(count int, one queue, va, vs float64) {
	c := len(q.spec.Clusters)
	q.spec.Clusters = append(q.spec.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: count,
		Speed: one.speed, Cost: one.cost, Queue: &model.QueueSpec{ServiceRate: one.serviceRate, ArrivalVariance: &va, ServiceVariance: &vs}}}})
	for k := range count {
		q.queues, q.group, q.index = append(q.queues, one), append(q.group, c), append(q.index, k)
	}
}

// state states the queueing view of the batch, with the rate of all arrivals and the coefficient of variation of the times between them.
func (q *queueing) state(rate, cv float64) {
	charge := string(model.ChargeResponse)
	if q.service {
		charge = string(model.ChargeService)
	}
	q.spec.Queueing = &model.QueueingSpec{Rate: rate, Period: q.period, K: &q.k, CV: &cv, Charge: charge}
	q.spec.Objective = map[string]float64{"qos_penalty": 1}
}

// variance draws a variance in square units.
func (d *draft) variance() float64 {
	return pick(d.Rand, 0, 1, float64(d.IntN(400))/100, float64(d.IntN(2000))/100, 9)
}

// waits returns the bound on the mean wait of the machine with the given number of tasks; +Inf: the queue is not stable.
func (q *queueing) waits(r, tasks int) float64 {
	rate := float64(tasks) / q.period
	if rate >= q.queues[r].serviceRate {
		return math.Inf(1)
	}
	return q.queues[r].kappa * rate / (1 - rate/q.queues[r].serviceRate)
}

// task holds a task's work and limits. +Inf means no limit.
type task struct{ work, cv, deadline, budget float64 }

// serves returns the service time of the task on the machine.
func (q *queueing) serves(r int, t task) float64 { return t.work / q.queues[r].speed * (1 + q.k*t.cv) }

// pays returns the cost of the task on the machine, if that carries the given number of tasks.
func (q *queueing) pays(r, tasks int, t task) float64 {
	if q.service {
		return q.queues[r].cost * q.serves(r, t)
	}
	return q.queues[r].cost * (q.waits(r, tasks) + q.serves(r, t))
}

// penalty returns the part of the objective that the task causes there.
func (q *queueing) penalty(r, tasks int, t task) float64 {
	wait := q.waits(r, tasks)
	if math.IsInf(wait, 1) {
		return wait
	}
	sum := 0.0
	if response := wait + q.serves(r, t); response > t.deadline {
		sum += (response - t.deadline) / t.deadline
	}
	if cost := q.pays(r, tasks, t); cost > t.budget {
		sum += (cost - t.budget) / t.budget
	}
	return sum
}

// draw draws a task of a mean work of 1; limits may be tight, loose or none.
func (q *queueing) draw() task {
	t := task{work: float64(q.between(1, 8)) / 4 * q.unit * q.mass, cv: pick(q.Rand, 0, 0, 0.5, 1), deadline: math.Inf(1), budget: math.Inf(1)}
	if !q.chance(5) {
		t.deadline = float64(q.between(1, 16)) / 4 * q.unit
	}
	if q.chance(2) {
		t.budget = float64(q.between(1, 12)) / 8 * q.unit
	}
	return t
}

// add adds the task as a job.
func (q *queueing) add(t task) int {
	j := q.job(1, 0)
	spec := q.at(j)
	spec.Work, spec.WorkCV = &t.work, t.cv
	if !math.IsInf(t.deadline, 1) {
		spec.Deadline = &t.deadline
	}
	if !math.IsInf(t.budget, 1) {
		spec.Budget = &t.budget
	}
	return j
}

// on plans the job on the machine.
func (q *queueing) on(job, r int) slot {
	return slot{job: job, cluster: q.group[r], first: q.index[r], n: 1}
}

// queuesOfTypes has many tasks of one to three types. Only the numbers of tasks of each type on each machine matter, so a dynamic programme over the
// machines finds the least penalty.
func queuesOfTypes(d *draft) {
	kinds := d.between(1, 3)
	each := []int{0, 60, 16, 7}[kinds]
	types, counts, n := make([]task, kinds), make([]int, kinds), 0
	for k := range types {
		counts[k] = d.between(1, each)
		n += counts[k]
	}
	q := newQueueing(d, n, 6)
	for k := range types {
		types[k] = q.draw()
	}
	shape := newShape(counts)
	least := make([]float64, shape.size) // least penalty of the machines so far, by the numbers of tasks that they have taken
	for s := range least {
		least[s] = math.Inf(1)
	}
	least[0] = 0
	choice := make([][]int, len(q.queues)) // by machine and state: the tasks that the machine takes
	for r := range q.queues {
		own := q.takes(r, shape, types)
		next := make([]float64, shape.size)
		choice[r] = make([]int, shape.size)
		for s := range next {
			next[s] = math.Inf(1)
			shape.within(s, func(part int) {
				if sum := least[s-part] + own[part]; sum < next[s] {
					next[s], choice[r][s] = sum, part
				}
			})
		}
		least = next
	}
	full := shape.size - 1
	if math.IsInf(least[full], 1) {
		d.fail(errRedraw)
		return
	}
	var plan []slot
	for r, s := len(q.queues)-1, full; r >= 0; r-- {
		part := choice[r][s]
		for k := range types {
			for range shape.count(part, k) {
				plan = append(plan, q.on(q.add(types[k]), r))
			}
		}
		s -= part
	}
	d.plan(plan)
	d.optimum("qos_penalty", least[full])
	d.shuffle()
}

// takes returns the penalty of the machine for every choice of how many tasks of each type it takes.
func (q *queueing) takes(r int, shape shape, types []task) []float64 {
	own := make([]float64, shape.size)
	for part := range own {
		tasks := 0
		for k := range types {
			tasks += shape.count(part, k)
		}
		for k := range types {
			if count := shape.count(part, k); count > 0 {
				own[part] += float64(count) * q.penalty(r, tasks, types[k])
			}
		}
	}
	return own
}

// shape numbers the vectors from 0 to the counts. The number of a sum of vectors is the sum of their numbers.
type shape struct {
	counts, stride []int
	size           int
}

func newShape(counts []int) shape {
	s := shape{counts: counts, size: 1}
	for _, count := range counts {
		s.stride = append(s.stride, s.size)
		s.size *= count + 1
	}
	return s
}

// count returns the k-th element of the vector with the given number.
func (s shape) count(vector, k int) int { return vector / s.stride[k] % (s.counts[k] + 1) }

// within calls yield for every vector whose elements are all at most those of the given one.
func (s shape) within(vector int, yield func(part int)) {
	var extend func(k, part int)
	extend = func(k, part int) {
		if k == len(s.counts) {
			yield(part)
			return
		}
		for c := range s.count(vector, k) + 1 {
			extend(k+1, part+c*s.stride[k])
		}
	}
	extend(0, 0)
}

// queuesWithoutPenalty puts tasks on machines and gives each a deadline and a budget that it keeps there, often to the last digit.
func queuesWithoutPenalty(d *draft) {
	n := d.between(2, 60)
	q := newQueueing(d, n, 6)
	loads := make([]int, len(q.queues))
	on := make([]int, n)
	for j := range n {
		on[j] = d.IntN(len(q.queues))
		if math.IsInf(q.waits(on[j], loads[on[j]]+1), 1) {
			on[j] = 0 // the first machine takes all tasks
		}
		loads[on[j]]++
	}
	var plan []slot
	for _, r := range on {
		t := q.draw()
		margin := pick(d.Rand, 1+1e-12, 1+1e-12, 1.01, 1.5)
		if !math.IsInf(t.deadline, 1) {
			t.deadline = margin * (q.waits(r, loads[r]) + q.serves(r, t))
		}
		if cost := q.pays(r, loads[r], t); !math.IsInf(t.budget, 1) && cost > 0 {
			t.budget = margin * cost
		}
		plan = append(plan, q.on(q.add(t), r))
	}
	d.plan(plan)
	d.optimum("qos_penalty", 0)
	d.shuffle()
}
