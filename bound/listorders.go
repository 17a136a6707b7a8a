package bound

import "math"

// setCost is what a set of jobs costs at least on a cluster.
type setCost struct {
	makespan, late float64
	both           float64 // of makespan and late together, weighted
}

// orders looks at the list schedules of a set of jobs in all orders. In a list schedule each job starts as soon as enough
// processors are free, not before the job before it in the order. One of these schedules is the best, because a later end never
// costs less.
type orders struct {
	*clusterSets
	jobs  []int   // of the set
	known setCost // what is known without: nothing is below
	least setCost
	run   running
}

// running are the ends and sizes of the jobs of a list schedule.
type running [mostOrdered]struct {
	end  float64
	size int
}

// mostOrdered is the largest number of jobs of a set whose orders are looked at.
const mostOrdered = 8

// extend adds each job that is left to a list schedule of n jobs, of which the last started at the time last.
func (o *orders) extend(n, used int, last float64, at setCost) {
	at.both = max(o.known.both, o.weigh(max(at.makespan, o.known.makespan), max(at.late, o.known.late)))
	if max(at.makespan, o.known.makespan) >= o.least.makespan && max(at.late, o.known.late) >= o.least.late && at.both >= o.least.both {
		return
	}
	if n == len(o.jobs) {
		o.least = setCost{min(o.least.makespan, at.makespan), min(o.least.late, at.late), min(o.least.both, o.weigh(at.makespan, at.late))}
		return
	}
	for i, k := range o.jobs {
		if used>>i&1 == 1 {
			continue
		}
		start := o.next(&o.run, n, k, last)
		end := o.run[n].end
		o.extend(n+1, used|1<<i, start, setCost{makespan: max(at.makespan, end), late: at.late + max(0, end-o.due[k])})
	}
}

// next adds job k to a list schedule of n jobs, of which the last started at the time last, and returns its start.
func (s *clusterSets) next(run *running, n, k int, last float64) float64 {
	start := max(last, s.start[k])
	if s.durations[k] > s.moment { // a job of no length needs no room
		start = run.firstStart(s.cluster.Processors, n, start, s.sizes[k])
	}
	run[n].end, run[n].size = start+s.durations[k], s.sizes[k]
	return start
}

// firstStart is the earliest time from at on at which the processors are free beside the first n jobs.
func (s *running) firstStart(processors, n int, at float64, size int) float64 {
	for {
		free, next := processors, math.Inf(1)
		for _, r := range s[:n] {
			if r.end > at {
				free, next = free-r.size, min(next, r.end)
			}
		}
		if free >= size {
			return at
		}
		at = next
	}
}

// weigh is the cost of a makespan and a time over deadlines.
func (s *clusterSets) weigh(makespan, late float64) float64 {
	w := s.cluster.Weights
	return (w.Makespan+w.IdleTime*float64(s.cluster.Processors))*makespan + w.OverDeadline*late
}
