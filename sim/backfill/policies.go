package backfill

import "github.com/allot-opt/allot/sim"

// FCFS is first come, first served: no job starts before the jobs ahead of it in the queue.
//
// Complexity: O(1) a job in the plain world; see [EASY] for the general world.
func FCFS() sim.Discipline {
	return sim.Discipline{
		Plain:   func(int) sim.Policy { return &fcfs{} },
		General: newGeneral(false, 0, Order{}),
	}
}

// EASY is EASY backfilling. The policy takes a job that has outlived its estimate to end step time units from now, and in
// any case later than now.
//
// Complexity in the plain world: O(log n + s + r/64) an instant and O(s·log n) a job that is backfilled, for n queued jobs of s
// sizes and r running jobs. In the general world the jobs of one kind, which fit the same processors, are looked at together:
// O(k·C·m + q/32) an instant for q queued jobs of k kinds and C clusters of m machines, 32 jobs at a time where one of them may be the next
// to start, and O(r·C·m) at worst for a reservation beside r running jobs.
func EASY(step float64) sim.Discipline {
	return sim.Discipline{
		Plain:   func(int) sim.Policy { return &easy{step: step} },
		General: newGeneral(true, step, Order{}),
	}
}

// Flexible is EASY backfilling with the queue in order of priority, sorted again at each instant; ties go by queue order. For step
// see [EASY].
//
// Complexity in the plain world: O(q·log q) an instant for q queued jobs. In the general world: that of [EASY]; the queue is not sorted.
func Flexible(step float64, priorities Priorities) sim.Discipline {
	return sim.Discipline{
		Plain:     func(int) sim.Policy { return &flexible{step: step, priorities: priorities} },
		General:   newGeneral(true, step, Order{Priorities: priorities}),
		Deadlines: true,
	}
}

// Conservative is conservative backfilling: every queued job has a reservation. For step see [EASY].
//
// Complexity in the plain world: O(q·p) an instant at which a job ended early, else O(p) an arrival, for q queued jobs and
// p ≤ 2(q + r) + 1 steps of the profile, with r running jobs. In the general world: O(q·s²·C·m) an instant at which a job ended
// early, for s steps of the plan and C clusters of m machines; mostly the search looks at one or two steps from each.
func Conservative(step float64) sim.Discipline {
	return sim.Discipline{
		Plain:   func(processors int) sim.Policy { return &conservative{step: step, processors: processors} },
		General: newGeneralConservative(step),
	}
}
