package backfill

import "github.com/allot-opt/allot/sim"

// FCFS is first come, first served: no job starts before the jobs ahead of it in the queue.
//
// Complexity: O(1) a job in the plain world; see [EASY] for the general world.
func FCFS() sim.Discipline {
	return sim.Discipline{
		Plain:   func(int) sim.Policy { return &fcfs{} },
		General: newGeneral(0, 0, Order{}, Ranking{}),
		Afresh:  true,
	}
}

// FCFSBy is [FCFS] with the queue in another order: no job starts before the jobs ahead of it.
//
// Complexity in the plain world: O(q·log q) an instant at which some of the q queued jobs fits; for the general world see [EASYBy].
func FCFSBy(order Ranking) sim.Discipline {
	if order.isArrival() {
		return FCFS()
	}
	return ranked(0, 0, order)
}

// EASY is EASY backfilling. The policy expects a job that has outlived its estimate to end step time units from now, and
// in any case later than now.
//
// Complexity in the plain world: O(log n + s + r/64) an instant and O(s·log n) a job that is backfilled, for n queued jobs of s sizes and r
// running jobs. In the general world jobs of one kind fit the same processors and are looked at together: O(k·C·m + q/32) an instant for q
// queued jobs of k kinds and C clusters of m machines, where a block of 32 jobs is looked at only if one of them may be the next to start,
// and O(r·C·m) at worst for a reservation beside r running jobs.
func EASY(step float64) sim.Discipline {
	return sim.Discipline{
		Plain:   func(int) sim.Policy { return &easy{step: step} },
		General: newGeneral(1, step, Order{}, Ranking{}),
		Afresh:  true,
	}
}

// EASYBy is [EASY] with another order of the queue and with reservations for the first depth blocked jobs. In queue order, each gets the
// earliest reservation. A later job starts if it fits beside these reservations from now until its estimated end. With a depth of 1 and the
// order of arrival it is EASY. With a depth of all jobs it is conservative backfilling that makes all reservations afresh at each instant. A
// job that moves ahead of others may start before them, so reservations hold only until the next instant.
//
// Complexity in the plain world: O(q·log q + d·p) an instant for q queued jobs, depth d and p steps of the profile. In the general world:
// O(q·(q/32 + C·m)) an instant where scores vary with time, see [Ranking], and O(d·s²·C·m) for the reservations, for s steps of the plan and
// C clusters of m machines.
func EASYBy(step float64, depth int, order Ranking) sim.Discipline {
	if depth == 1 && order.isArrival() {
		return EASY(step)
	}
	return ranked(step, depth, order)
}

// ranked is a discipline with another order or depth.
func ranked(step float64, depth int, order Ranking) sim.Discipline {
	return sim.Discipline{
		Plain: func(processors int) sim.Policy {
			return &ordered{step: step, depth: depth, processors: processors, scorer: newScorer(order, processors)}
		},
		General: newGeneral(depth, step, Order{}, order),
		Classes: order.looksAtClasses(), Remembers: order.remembers(), Afresh: !order.remembers(),
	}
}

// Flexible is EASY backfilling with the queue in order of priority, sorted again at each instant; ties go by queue order. For step
// see [EASY].
//
// Complexity in the plain world: O(q·log q) an instant for q queued jobs. In the general world: as [EASY]; the queue is not sorted.
func Flexible(step float64, priorities Priorities) sim.Discipline {
	return sim.Discipline{
		Plain:     func(int) sim.Policy { return newFlexible(step, priorities) },
		General:   newGeneral(1, step, Order{Priorities: priorities}, Ranking{}),
		Deadlines: true,
		Afresh:    true,
	}
}

// Conservative is conservative backfilling: every queued job has a reservation. For step see [EASY].
//
// Complexity in the plain world: O(q·p) an instant at which a job ended early, else O(p) an arrival, for q queued jobs and
// p ≤ 2(q + r) + 1 steps of the profile, with r running jobs. In the general world: O(q·s²·C·m) an instant at which a job ended
// early, for s steps of the plan and C clusters of m machines; mostly the search looks at one or two steps from each.
func Conservative(step float64) sim.Discipline { return ConservativeBy(step, Ranking{}) }

// ConservativeBy is [Conservative] with another order of the queue. A job that arrives gets its reservation after all jobs that have one,
// whatever the order, so no job loses its reservation. The order applies to jobs that arrive at the same instant, after early ends, and when
// jobs outlive their estimates. The complexity is that of [Conservative] plus O(q·log q) an instant for sorting.
func ConservativeBy(step float64, order Ranking) sim.Discipline {
	return sim.Discipline{
		Plain: func(processors int) sim.Policy {
			return &conservative{step: step, processors: processors, scorer: newScorer(order, processors)}
		},
		General: newGeneralConservative(step, order),
		Classes: order.looksAtClasses(), Remembers: order.remembers(),
	}
}
