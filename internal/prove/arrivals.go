package prove

import (
	"fmt"
	"slices"

	"github.com/allot-opt/allot/model"
)

// equalJobsThatArrive has jobs of one length on m servers of one speed. They arrive at multiples of a fraction of the length. The k-th start is at
// least the k-th arrival, and at least the (k − m)-th start plus the length. First come, first served starts each job at exactly that time, so every
// end is as early as possible. Jobs of length 0 hold nothing and end when they arrive. Deadlines are in the order of the arrivals, so that the
// k-th deadline belongs to the k-th end.
func equalJobsThatArrive(d *draft) {
	width, speed := d.between(1, 3), d.speed()
	var list []server
	for range d.between(1, 3) {
		n := d.between(1, 3)
		c := d.cluster(n*width+d.IntN(width), speed)
		for k := range n {
			list = append(list, server{c, k * width, speed})
		}
	}
	n, parts := d.size(), pick(d.Rand, 1, 4, 10, 7)
	if d.exact {
		parts = 1
	}
	length := d.unit * float64(d.between(1, 3))
	arrivals := make([]int, n) // counted in fractions of the unit
	span := 1 + n*3*parts/len(list)*d.between(1, 4)/2
	for k := range arrivals[1:] {
		arrivals[k+1] = d.IntN(span)
		if d.chance(4) {
			arrivals[k+1] = arrivals[k] // ties
		}
	}
	slices.Sort(arrivals)
	d.arrive(list, arrivals, float64(parts)/d.unit, length, width)
	d.ask("mcp")
	d.weights()
	d.shuffle()
}

// arrive adds jobs that arrive at the given times and plans them first come, first served. The times are counted in equal fractions of the time 1.
func (d *draft) arrive(list []server, arrivals []int, parts, length float64, width int) {
	n, m := len(arrivals), len(list)
	starts, plan := make([]float64, n), make([]slot, n)
	end, over, response, wait := 0.0, 0.0, 0.0, 0.0
	due := 0.0
	for k := range arrivals {
		arrival := float64(arrivals[k]) / parts
		starts[k] = arrival
		if k >= m {
			starts[k] = max(arrival, starts[k-m]+length)
		}
		end = starts[k] + length
		j := d.job(width, length*list[0].speed)
		d.at(j).Arrival = d.origin + arrival
		due = max(due, d.whole(arrival+float64(d.between(0, 12))/4*length))
		d.at(j).Deadline = new(d.origin + due)
		over += max(0, end-due)
		response += end - arrival
		wait += starts[k] - arrival
		plan[k] = slot{job: j, cluster: list[k%m].cluster, first: list[k%m].first, n: width}
	}
	if d.chance(3) {
		for range d.between(1, 3) {
			j := d.job(d.between(1, width), 0)
			arrival := d.whole(end * float64(d.IntN(13)) / 12)
			d.at(j).Arrival = d.origin + arrival
			plan = append(plan, slot{job: j, n: max(1, d.at(j).Processors.Min)})
		}
	}
	d.plan(plan)
	d.optimum("makespan", end)
	d.optimum("mean_response", response/float64(len(plan)))
	d.optimum("mean_wait", wait/float64(len(plan)))
	d.optimum("over_deadline", over)
}

// equalJobsLeftOut has equal jobs with hard deadlines, not all of which can be met. To meet the most, take the turns of the servers in order of their
// ends, and give each to the earliest remaining deadline that it meets.
func equalJobsLeftOut(d *draft) {
	width := d.between(1, 3)
	list := d.servers(width, d.between(1, 3))
	n, length := d.size(), d.unit*float64(d.between(1, 9))
	first := turns(list, n)
	last := first[n-1].end * length
	deadlines := make([]float64, n)
	for j := range deadlines {
		d.job(width, length)
		deadlines[j] = d.whole(float64(d.between(0, 9))/9*last + 0.0137*length) // equal to an end only for exact times, so that rounding decides nothing
	}
	slices.Sort(deadlines)
	var plan []slot
	for j, deadline := range deadlines {
		d.at(j).Deadline, d.at(j).DeadlineHard = new(d.origin+deadline), true
		if t := first[len(plan)]; t.end*length <= deadline {
			plan = append(plan, slot{job: j, cluster: list[t.server].cluster, first: list[t.server].first, n: width})
		}
	}
	d.plan(plan)
	d.planted.MayLeave = true
	d.optimum("unfinished", float64(n-len(plan)))
	d.optimum("missed", float64(n-len(plan)))
	d.optimum("over_deadline", 0)
	d.ask("makespan", "mean_response")
	d.shuffle()
}

// wholeMachines fills machines that each run one job at a time, with the speed of all their processors together.
func wholeMachines(d *draft) {
	steps := d.between(2, 30)
	var plan []slot
	for c := range d.between(1, 2) {
		n, each, speed := d.between(1, 5), d.between(1, 4), d.speed()
		d.spec.Clusters = append(d.spec.Clusters, model.ClusterSpec{ID: fmt.Sprint("c", c), Allocation: "machine",
			Machines: []model.MachineSpec{{ID: "m", Count: n, Processors: each, Speed: speed * d.mass}}})
		for k := range n {
			for _, p := range d.cut(piece{c, k, 1, 0, steps}, d.between(1, 8)) {
				j := d.job(1, float64(p.length)*d.unit*speed*float64(each))
				if d.chance(3) {
					d.at(j).Processors, d.at(j).Tasks = model.Rigid(each), 1 // the job gets a whole machine anyway
				}
				plan = append(plan, slot{job: j, cluster: c, first: k, n: 1})
			}
		}
	}
	d.plan(plan)
	d.optimum("makespan", float64(steps)*d.unit)
	d.optimum("idle_time", 0)
	d.ask("mean_response", "mcp")
	d.shuffle()
}
