package backfill

import (
	"github.com/allot-opt/allot/sim"
)

// FCFS is first come, first served: no job starts before the jobs ahead of it in the queue. Another order than that of arrival makes it a list policy
// without backfilling.
//
// Complexity: on a flat platform, see [sim.Platform.Flat], O(k) an instant at which jobs start, for k kinds of queued jobs, which are their sizes there; else what [EASY] states for a search.
func FCFS(order Ranking) sim.Discipline {
	if !order.isArrival() {
		return ranked(0, 0, order)
	}
	return sim.Discipline{
		General: newGeneral(0, 0, Order{}, Ranking{}),
		ByQueue: true, Afresh: true, Midway: true,
	}
}

// EASY is EASY backfilling where depth is 1 and the order that of arrival, the zero Ranking. The policy expects a job that has outlived its estimate to
// end step time units from now, and in any case later than now.
//
// The first depth blocked jobs get a reservation: in queue order, each gets the earliest one. A later job starts if it fits beside these reservations
// from now until its estimated end. With a depth of all jobs it is conservative backfilling that makes all reservations afresh at each instant. In
// another order of the queue a job that moves ahead of others may start before them, so reservations hold only until the next instant.
//
// Jobs of one kind fit the same processors and are looked at together; on a flat platform, see [sim.Platform.Flat], those of one size. Where scores vary with time, see [Ranking], the decisions are those of
// a queue that is sorted at each instant, without sorting it. One search is made for each job that starts or gets a reservation, and one more.
//
// Complexity: O(k·C·m + s) for k kinds on C clusters of m machines and each search for the next job, with s sections of
// up to about 1,000 jobs of one kind, and of one user with multifactor or one association with slurm. Scores are computed only of blocks of up to 31 jobs one of which may be the next to start: mostly few, and all q/31 of q queued
// jobs at worst. An instant at which no job fits takes O(k). A reservation takes O(r·C·m) at worst beside r running jobs, and those of a depth d above 1 take O(d·s²·C·m) for s steps of the plan, on a flat platform
// O(r + d·s).
func EASY(step float64, depth int, order Ranking) sim.Discipline {
	if depth != 1 || !order.isArrival() {
		return ranked(step, depth, order)
	}
	return sim.Discipline{
		General: newGeneral(1, step, Order{}, Ranking{}),
		ByQueue: true, Afresh: true, Midway: true,
	}
}

// ranked is a discipline with another order or depth.
func ranked(step float64, depth int, order Ranking) sim.Discipline {
	return sim.Discipline{
		General: newGeneral(depth, step, Order{}, order),
		Classes: order.looksAtClasses(), Stated: order.looksAtRequests(), Remembers: order.remembers(), ByQueue: true, Afresh: !order.remembers(), Midway: !order.looksAtRequests(),
	}
}

// Flexible is EASY backfilling with the queue in order of priority, sorted again at each instant; ties go by queue order. For step
// see [EASY].
//
// Complexity: as [EASY]; the queue is not sorted.
func Flexible(step float64, priorities Priorities) sim.Discipline {
	return sim.Discipline{
		General:   newGeneral(1, step, Order{Priorities: priorities}, Ranking{}),
		Deadlines: true, Licences: priorities.Licences != 0,
		ByQueue: true, Afresh: true, Midway: true,
	}
}

// Conservative is conservative backfilling: every queued job has a reservation. For step see [EASY]. A job that arrives gets its reservation after all
// jobs that have one, whatever the order, so no job loses its reservation. The order applies to jobs that arrive at the same instant, after early ends,
// and when jobs outlive their estimates.
//
// Complexity: on a flat platform, see [sim.Platform.Flat], O(q·p) an instant at which a job ended early, else O(p) an arrival, for q queued jobs and
// p ≤ 2(q + r) + 1 steps of the profile, with r running jobs. Elsewhere: O(q·s²·C·m) an instant at which a job ended
// early, for s steps of the plan and C clusters of m machines; mostly the search looks at one or two steps from each. Where machines count one by one, and nothing
// but what jobs hold tells times apart (no closed times, limited licences, machines of different speed or rule that draws), it is O(q) an instant, O(s) for each need at each machine on which something
// became free, and O(m + s) for each job that may move, for s steps of one machine. Another order than that of arrival adds O(q·log q) an instant for sorting.
func Conservative(step float64, order Ranking) sim.Discipline {
	return ConservativeUpTo(0, step, order)
}

// ConservativeUpTo is [Conservative] in which at most a number of queued jobs hold reservations; 0: all, which is Conservative. It is what Slurm's parameter
// bf_max_job_test limits, but for the reservations, which Slurm makes afresh in each pass and which last here.
//
// After each decision as many queued jobs hold a reservation as the number allows. A job keeps its reservation until it starts. When one starts, the first of the others, in
// queue order, or in the order given as it is then, gets its reservation, behind all there are; if that is for now, it starts too, and the next gets its turn. The jobs behind
// are not looked at: they do not start, even where they fit and would delay nobody, and one that can meet its hard deadline no more is dropped when its turn comes.
//
// Complexity: as Conservative with q at most that number, and O(q + n·log n) an instant for sorting n jobs behind in another order than that of arrival.
func ConservativeUpTo(reservations int, step float64, order Ranking) sim.Discipline {
	return sim.Discipline{
		General: newGeneralConservative(step, reservations, order),
		Classes: order.looksAtClasses(), Stated: order.looksAtRequests(), Remembers: order.remembers(), ByQueue: true, Midway: !order.looksAtRequests(),
	}
}
