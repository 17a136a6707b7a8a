package lists

import "github.com/allot-opt/allot/search/internal/separable"

// Most moves are rejected. Where time over deadlines or makespans of clusters are what counts and all jobs have arrived, a guess of the change of the
// energy tells most of them without decoding anything. A guess takes some ns. It looks only at the sums kept before every position:
//
//   - A job starts when the job starts that had its position before.
//   - If the jobs before a position take some more processor time, the jobs from there on start later by that time divided by the processors.
//   - So late jobs are later by that delay. Jobs that were in time stay in time.
//   - The makespan of the cluster grows by the delay.
//
// A move goes on to be decoded only if its guess would be accepted.

const (
	nobody      = -1 // stands for no job
	guessedFrom = 25 // fewest jobs with which the walks guess; with 15 and 20 schedules became a little worse
)

// guesses says whether the walks guess.
func (p *problem) guesses() bool { return len(p.Movable) >= guessedFrom && p.guessable() }

// guessable says whether energies can be guessed. Delays do not add up like this if jobs arrive later, because of lulls. Costs by job and the makespan over all
// clusters are not guessed.
func (p *problem) guessable() bool {
	if p.Makespan > 0 {
		return false
	}
	for c := range p.Clusters {
		if p.Clusters[c].Costs != nil {
			return false
		}
		for k := range p.Clusters[c].Jobs {
			if j := &p.Clusters[c].Jobs[k]; j.Size > 0 && j.Arrival > p.Origin {
				return false
			}
		}
	}
	return true
}

// overAt is the time over its deadline of a job that starts at the given time.
func overAt(j *separable.Job, start float64) float64 { return max(0, start+j.Duration-j.Deadline) }

// guessExchange guesses the change of the energy of cluster c if job in takes position k in the place of job out, the job there. If out is nobody, the
// jobs from k on make room for job in. If in is nobody, job out leaves.
func (w *chain) guessExchange(c int32, k int, out, in int32) float64 {
	s, cluster := &w.clusters[c], &w.p.Clusters[c]
	n, rest := len(s.order), k // rest: the first position that is delayed
	end := &s.prefix[n]
	start := end.latest // of job in
	if k < n {
		start = s.prefix[k+1].start
	}
	over, more := end.over, 0.0
	if out != nobody {
		over -= s.prefix[k+1].over - s.prefix[k].over
		more -= cluster.Jobs[out].Area()
		n--
		rest++
	}
	if in != nobody {
		over += overAt(&cluster.Jobs[in], start)
		more += cluster.Jobs[in].Area()
		n++
	}
	delay := more / cluster.Processors
	over += delay * (end.late - s.prefix[rest].late)
	after := sums{latest: end.latest + delay, busy: end.busy + more, over: over}
	return after.cost(cluster.At(w.share(n)), w.p.Origin) - s.cost
}

// guessShift guesses the change of the energy of cluster c if the job at position from moves to position to.
func (w *chain) guessShift(c int32, from, to int) float64 {
	s, cluster := &w.clusters[c], &w.p.Clusters[c]
	j := &cluster.Jobs[s.order[from]]
	delay := j.Area() / cluster.Processors
	over := s.prefix[from].over - s.prefix[from+1].over
	if to < from {
		over += overAt(j, s.prefix[to+1].start) + delay*(s.prefix[from].late-s.prefix[to].late)
	} else {
		next := s.prefix[len(s.order)].latest // start of the job after position to
		if to+1 < len(s.order) {
			next = s.prefix[to+2].start
		}
		over += overAt(j, next-delay) - delay*(s.prefix[to+1].late-s.prefix[from+1].late)
	}
	return cluster.At(w.share(len(s.order))).Over * over
}

// guessSwap guesses the change of the energy of cluster c if the jobs at two positions change places; the position from is the first of them.
func (w *chain) guessSwap(c int32, from, to int) float64 {
	s, cluster := &w.clusters[c], &w.p.Clusters[c]
	i, j := &cluster.Jobs[s.order[from]], &cluster.Jobs[s.order[to]]
	delay := (j.Area() - i.Area()) / cluster.Processors // of the jobs between them, and of job i
	over := s.prefix[from].over - s.prefix[from+1].over + s.prefix[to].over - s.prefix[to+1].over
	over += delay * (s.prefix[to].late - s.prefix[from+1].late)
	over += overAt(j, s.prefix[from+1].start) + overAt(i, s.prefix[to+1].start+delay)
	return cluster.At(w.share(len(s.order))).Over * over
}
