package lists

import (
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/separable"
)

// probe decodes one cluster as it would be after a move, from the first position that changes. It gives up as soon as the
// cluster costs too much, or would do so if the jobs still to come cost what they cost before.
type probe struct {
	releases *plan.Releases
	origin   float64
	global   float64 // weight of the makespan over all clusters
	unit     float64 // 1/(makespan that the spread is measured in); 0: the spread does not count
	spread   float64 // weight of the spread

	cluster *separable.Cluster
	weights separable.Weights
	busy    float64 // processor time of all jobs that the cluster will have
	per     float64 // 1/processors
	floor   float64 // makespan of the clusters that the move does not change
	limit   float64 // highest energy of the cluster, without its busy time
	margin  float64 // an estimate must be above the limit by this much to give up
	sums    sums
	end     sums // of the cluster before the move
	delays  bool // the jobs still to come are delayed by what the processors are released later
}

// spreadWeight is the weight of the spread relative to that of the makespan.
const spreadWeight = 1

// begin starts a probe at position k of cluster c. After the move the cluster will have n jobs with the given busy time.
func (w *chain) begin(c int32, k, n int, busy, floor, limit float64) *probe {
	q, s, cluster := &w.probe, &w.clusters[c], &w.p.Clusters[c]
	w.rewind(c, k)
	q.cluster, q.weights = cluster, cluster.At(w.share(n))
	q.busy, q.per, q.floor = busy, 1/cluster.Processors, floor
	q.limit, q.margin = limit-q.weights.Busy*busy, w.margin
	q.sums, q.end = s.prefix[k], s.prefix[len(s.prefix)-1]
	return q
}

// place decodes jobs; false: the cluster would cost more than the limit.
func (q *probe) place(ids ...int32) bool {
	for _, id := range ids {
		j := &q.cluster.Jobs[id]
		q.sums.add(q.cluster, id, q.releases.Place(j.Size, j.Arrival, j.Duration)+j.Duration)
		if q.least() > q.limit {
			return false
		}
	}
	return true
}

// follow decodes jobs that followed each other in the same order before the move; before holds the sums after each of them at
// that time. It returns false if the cluster would cost more than the limit, or very likely so.
//
// If the processors are now released later on average, each late job still to come will end that much later, or earlier.
func (q *probe) follow(ids []int32, before []sums) bool {
	limit := q.limit + q.margin - q.weights.Over*q.end.over - q.end.direct
	more, perLate := q.busy-q.end.busy, 0.0 // perLate: cost of a late job if the processors are released later by a unit, summed over them
	if q.delays {
		perLate = q.weights.Over * q.per
	}
	for k, id := range ids {
		j := &q.cluster.Jobs[id]
		q.sums.add(q.cluster, id, q.releases.Place(j.Size, j.Arrival, j.Duration)+j.Duration)
		least := q.least()
		if least > q.limit {
			return false
		}
		was := &before[k]
		delayed := perLate * (more + q.releases.Idle() - was.idle) * (q.end.late - was.late)
		if least-q.weights.Over*was.over-was.direct+delayed > limit {
			return false
		}
	}
	return true
}

// least is a lower bound of the final cost of the cluster, without its busy time.
func (q *probe) least() float64 {
	mean := (q.busy + q.releases.Idle()) * q.per // lower bound of the mean time at which its processors are free at last
	makespan := max(q.sums.latest-q.origin, mean)
	cost := q.weights.Makespan*makespan + q.weights.Over*q.sums.over + q.sums.direct
	if q.global > 0 {
		cost += q.global * max(makespan, q.floor)
		mean *= q.unit
		mean *= mean
		cost += q.spread / q.per * mean * mean
	}
	return cost
}

// done returns the energy of the cluster once all its jobs are decoded, and whether it is within the limit.
func (q *probe) done() (energy float64, ok bool) {
	makespan := q.sums.latest - q.origin
	energy = q.weights.Makespan*makespan + q.weights.Over*q.sums.over + q.sums.direct + q.spreadOf(q.releases)
	all := energy
	if q.global > 0 {
		all += q.global * max(makespan, q.floor)
	}
	return energy + q.weights.Busy*q.busy, all <= q.limit
}

// spreadOf is the cost of the spread: the sum over the processors of the fourth power of the time at which each is released at
// last, in units of the makespan. A small spread means little idle time between jobs and an even end.
func (q *probe) spreadOf(r *plan.Releases) float64 {
	if q.global == 0 || q.unit == 0 {
		return 0
	}
	return q.spread * r.FourthPowers(q.origin, q.unit)
}
