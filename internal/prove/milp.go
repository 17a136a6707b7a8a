package prove

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
)

// nodes is the limit of nodes that HiGHS may take for one optimum. An instance that takes more is dropped.
const nodes = 3000

// solved returns the optimum of the model by HiGHS; ok is false if that takes too long.
func (d *draft) solved(m *milp.Model) (result milp.Result, ok bool) {
	result, err := milp.Solve(context.Background(), m, milp.Options{Nodes: nodes})
	if err == nil && result.Status != model.Optimal {
		err = errRedraw
	}
	if err != nil {
		d.fail(err)
	}
	return result, err == nil
}

// atLeast returns HiGHS's bound of a value, minus the error that its tolerances may cause in a value of this size.
func atLeast(bound, size float64) float64 { return bound - milp.Tolerance*max(math.Abs(bound), size) }

// queuesByMILP has 15 to 60 different tasks on several kinds of machines. It solves the level form of docs/ggone.md: w machines of a group carry a
// load of n tasks each, so bucket (group, n) holds n·w tasks, and each task has its penalty on a machine of that load. The idle rate is 0: the
// loads are the numbers of tasks.
func queuesByMILP(d *draft) {
	d.origin, d.unit = 0, pick(d.Rand, 1, 1, 1000, 0.001)
	n := pick(d.Rand, 20, d.between(15, 30), d.between(20, 60))
	q := &queueing{draft: d, k: 1.645, service: d.chance(2)}
	counts := q.machinesFor(n)
	tasks := make([]task, n)
	drawTask := q.limited
	if d.chance(2) {
		drawTask = q.workflows()
	}
	for j := range tasks {
		tasks[j] = drawTask()
		q.add(tasks[j])
	}
	m := &milp.Model{Name: "levels"}
	one, room := make([][]milp.Term, n), 0
	var buckets []bucket
	for g, count := range counts {
		first := slices.Index(q.group, g)
		var machines []milp.Term
		most := 0
		for load := 1; load <= n && !math.IsInf(q.waits(first, load), 1); load++ {
			b := bucket{group: g, load: load, machines: m.Add(milp.Variable{Upper: float64(count), Integer: true})}
			machines = append(machines, milp.Term{Var: b.machines, Coefficient: 1})
			fill := []milp.Term{{Var: b.machines, Coefficient: -float64(load)}}
			for j, t := range tasks {
				x := m.Add(milp.Variable{Upper: 1, Cost: q.penalty(first, load, t)})
				b.tasks = append(b.tasks, x)
				fill = append(fill, milp.Term{Var: x, Coefficient: 1})
				one[j] = append(one[j], milp.Term{Var: x, Coefficient: 1})
				m.AddRow("", math.Inf(-1), 0, milp.Term{Var: x, Coefficient: 1}, milp.Term{Var: b.machines, Coefficient: -1})
			}
			m.AddRow("", 0, 0, fill...)
			buckets = append(buckets, b)
			most = load
		}
		m.AddRow("", math.Inf(-1), float64(count), machines...)
		room += most * count
	}
	if room < n {
		d.fail(errRedraw)
		return
	}
	for j := range one {
		m.AddRow("", 1, 1, one[j]...)
	}
	result, ok := d.solved(m)
	if !ok {
		return
	}
	d.planted.Least["qos_penalty"] = atLeast(result.Bound.Or(math.Inf(-1)), 1)
	d.plan(q.allocation(buckets, result.Values, n))
}

// bucket holds the machines of a group that carry the same load.
type bucket struct {
	group, load int
	machines    milp.Var
	tasks       []milp.Var
}

// machinesFor draws groups of machines for n tasks as the G/G/1 workload of the paper has them: price and service rate go with the speed.
func (q *queueing) machinesFor(n int) (counts []int) {
	share, all := pick(q.Rand, 0.3, 0.5, 0.7, 0.9), 0.0
	var speeds []float64
	even := q.between(1, 6) * q.IntN(2)
	for range q.between(1, 4) {
		counts, speeds = append(counts, cmp.Or(even, q.between(1, 6))), append(speeds, float64(q.between(2, 14)))
		all += float64(counts[len(counts)-1]) * speeds[len(speeds)-1]
	}
	rate := all / 20 / q.unit * share // rate of all tasks together; the mean work is 20
	q.period = float64(n) / rate
	arrival, service := pick(q.Rand, 0.1, 0.1, 1, 2), pick(q.Rand, 0.1, 0.5, 1.2, 1.2)
	for g, count := range counts {
		mu := speeds[g] / 20 / q.unit
		va := math.Pow(arrival/rate*all/speeds[g], 2)
		vs := math.Pow(service/mu, 2)
		q.machines(count, queue{speeds[g] * q.mass, speeds[g] / 40, mu, (va + vs) / 2}, va, vs)
	}
	q.state(rate, arrival)
	return counts
}

// limited draws a task whose deadline and budget are about its response time and cost on one of the machines. Some tasks are alike.
func (q *queueing) limited() task {
	work := 8 + 24*q.Float64()
	if q.chance(3) {
		work = float64(q.between(2, 8)) * 4
	}
	t := task{work: work * q.unit * q.mass, cv: pick(q.Rand, 0, 0.25, 1), deadline: math.Inf(1), budget: math.Inf(1)}
	on := q.queues[q.IntN(len(q.queues))]
	service := t.work / on.speed * (1 + q.k*t.cv)
	if !q.chance(10) {
		t.deadline = service * pick(q.Rand, 1, 1.1, 1.5, 0.7)
	}
	if !q.chance(5) {
		t.budget = service * on.cost * pick(q.Rand, 1, 1.1, 1.5, 0.7)
	}
	return t
}

// workflows draws tasks in chains of one to five, with one coefficient of variation. The tasks of a chain divide its deadline and its budget in
// proportion to their work, as in the paper. On equal machines they differ only in their size, which makes ties.
func (q *queueing) workflows() func() task {
	cv, mean, cost := pick(q.Rand, 0, 0.25, 1), 0.0, 0.0
	for _, one := range q.queues {
		mean += 20 * q.unit * q.mass / one.speed / float64(len(q.queues))
		cost += one.cost / float64(len(q.queues))
	}
	most, left, tight := q.between(1, 8), 0, pick(q.Rand, 0.1, 0.5, 1)
	deadline, budget := 0.0, 0.0
	return func() task {
		if left == 0 { // of a work of 1
			left = most
			deadline = mean / 20 * (1 + 3*q.Float64()) * (1 + q.k*cv)
			budget = mean / 20 * cost * tight * (0.2 + q.Float64()) * (1 + q.k*cv)
		}
		left--
		work := 6 + 24*q.Float64()
		return task{work: work * q.unit * q.mass, cv: cv, deadline: work * deadline, budget: work * budget}
	}
}

// allocation makes the plan from the buckets, in order of arrival on each machine. It is nil if HiGHS splits a task.
func (q *queueing) allocation(buckets []bucket, values []float64, n int) []slot {
	used, plan := make([]int, len(q.spec.Clusters)), []slot(nil)
	for _, b := range buckets {
		machines := int(math.Round(values[b.machines]))
		in := 0
		for j, x := range b.tasks {
			if values[x] > 0.5 && machines > 0 {
				plan = append(plan, slot{job: j, cluster: b.group, first: used[b.group] + in/b.load, n: 1})
				in++
			}
		}
		if in != machines*b.load {
			return nil
		}
		used[b.group] += machines
	}
	if len(plan) != n {
		return nil
	}
	return plan
}

// assignmentByMILP has jobs with a run time cluster by cluster, on clusters of one processor: the makespan is the largest sum.
func assignmentByMILP(d *draft) {
	clusters, n, whole := d.between(2, 4), d.between(6, 20), d.chance(2)
	m := &milp.Model{Name: "assignment"}
	last := m.Add(milp.Variable{Upper: math.Inf(1), Cost: 1})
	sums := make([][]milp.Term, clusters)
	for c := range sums {
		d.cluster(1, 1)
		sums[c] = []milp.Term{{Var: last, Coefficient: -1}}
	}
	choices := make([][]milp.Var, n)
	for k := range n {
		job := d.at(d.job(1, 0))
		job.Work, job.Runtime = nil, map[string]float64{}
		var one []milp.Term
		for c := range clusters {
			steps := math.Round(1 + 30*d.Float64())
			if !whole {
				steps = 1 + 30*d.Float64()
			}
			x := m.Add(milp.Variable{Upper: 1, Integer: true})
			choices[k] = append(choices[k], x)
			if d.chance(10) && c > 0 { // not there
				m.AddRow("", 0, 0, milp.Term{Var: x, Coefficient: 1})
			} else {
				job.Runtime[d.spec.Clusters[c].ID] = steps * d.unit
			}
			one = append(one, milp.Term{Var: x, Coefficient: 1})
			sums[c] = append(sums[c], milp.Term{Var: x, Coefficient: steps})
		}
		m.AddRow("", 1, 1, one...)
	}
	for c := range sums {
		m.AddRow("", math.Inf(-1), 0, sums[c]...)
	}
	result, ok := d.solved(m)
	if !ok {
		return
	}
	var plan []slot
	for k := range choices {
		for c, x := range choices[k] {
			if result.Values[x] > 0.5 {
				plan = append(plan, slot{job: k, cluster: c, n: 1})
			}
		}
	}
	d.plan(plan)
	least := atLeast(result.Bound.Or(math.Inf(-1)), 1)
	if whole {
		least = math.Ceil(least)
	}
	d.planted.Least["makespan"] = least * d.unit
}
