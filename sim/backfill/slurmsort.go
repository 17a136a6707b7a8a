package backfill

import (
	"slices"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/sim"
)

// sorting is the queue of [Slurm], which is put in order only as far as a scheduler looks.
type sorting struct {
	queue  []*sim.Job // nil: has left, a gap
	scores []scored   // by handle
	gaps   int
	first  int // so many places are in queue order; the jobs of the others come later, in any order
	batch  int // the fewest jobs that are put in order at a time
}

// scored is the score of a job with what it is made of.
type scored struct {
	score, fastest, class float64
	fewest                int
}

// leastSorted is the fewest jobs that are put in order at a time.
const leastSorted = 256

// insert puts a job into the queue.
func (p *slurm) insert(j *sim.Job) {
	if p.scorer != nil {
		p.scores[j.Handle] = scored{fastest: fastest(p.platform, j, p.every, p.empty), class: p.platform.UserPriority(j), fewest: fewest(p.platform, j, p.every)}
		p.score(j.Arrival, j)
		p.first = min(p.first, p.batch) // so that few jobs have to make room
	}
	at, within := p.first, false
	for ; at > 0; at-- {
		if other := p.queue[at-1]; other != nil {
			if !p.before(j, other) {
				break
			}
			within = true
		}
	}
	switch {
	case within:
		p.queue = slices.Insert(p.queue, at, j)
		p.first++
	case p.first == len(p.queue):
		p.first++
		fallthrough
	default:
		p.queue = append(p.queue, j)
	}
}

// before is the order of the queue: jobs of a reservation first, then those of a higher tier. A job of several partitions has the highest of their tiers: where Slurm has an entry for each partition, it
// has one.
func (p *slurm) before(a, b *sim.Job) bool {
	if first := p.reserved(a); first != p.reserved(b) {
		return first
	}
	if x, y := p.tier(a), p.tier(b); x != y {
		return x > y
	}
	if p.scorer != nil {
		if x, y := p.scores[a.Handle].score, p.scores[b.Handle].score; x != y {
			return x > y
		}
	}
	return a.Number < b.Number
}

// tier is the highest tier of the partitions of the job.
func (p *slurm) tier(j *sim.Job) float64 {
	of := p.line[j.Handle]
	highest := of[0].tier
	for _, l := range of[1:] {
		highest = max(highest, l.tier)
	}
	return highest
}

// reserved says whether the job belongs to a reservation.
func (p *slurm) reserved(j *sim.Job) bool { return p.platform.Needs(j).Reservation != "" }

// score computes the score of a job at the time.
func (p *slurm) score(now float64, j *sim.Job) {
	s := &p.scores[j.Handle]
	s.score = p.scorer.score(now, j, s.fastest, s.fewest, s.class)
}

// sort forgets the order of the queue, where scores change with time.
func (p *slurm) sort(now float64) {
	if p.scorer == nil || !p.scorer.varies() {
		return
	}
	p.scorer.begin(now)
	p.rescore(now)
}

// rescore computes all scores and forgets the order.
func (p *slurm) rescore(now float64) {
	p.compact(0)
	for _, j := range p.queue {
		p.score(now, j)
	}
	p.first = 0
}

// follow forgets the order where a pass has changed all scores. A new order is a change that a cycle answers.
func (p *slurm) follow(now float64) {
	before := p.scorer.epoch()
	if p.scorer.begin(now); p.scorer.epoch() != before {
		p.rescore(now)
		p.changed = true
	}
}

// sorted says whether the queue has a place k, and puts the places up to it in order. It takes O(n) for n jobs where k is small; as far as the end O(n·log n).
func (p *slurm) sorted(k int) bool {
	for p.first <= k && p.first < len(p.queue) {
		rest := slices.DeleteFunc(p.queue[p.first:], func(j *sim.Job) bool { return j == nil })
		p.gaps -= len(p.queue) - p.first - len(rest)
		p.queue = p.queue[:p.first+len(rest)]
		n := min(max(p.batch, p.first), len(rest))
		p.choose(rest, n)
		slices.SortFunc(rest[:n], func(a, b *sim.Job) int {
			if p.before(a, b) {
				return -1
			}
			return 1
		})
		p.first += n
	}
	return k < len(p.queue)
}

// choose puts the first n of some jobs before the others. It takes O(jobs) mostly.
//
// C. A. R. Hoare (1961), Algorithm 65: Find, Communications of the ACM 4(7), 321–322, doi:10.1145/366622.366647.
func (p *slurm) choose(jobs []*sim.Job, n int) {
	for 0 < n && n < len(jobs) {
		last, low := len(jobs)-1, 0
		at := kit.Mix(uint64(last)) % uint64(len(jobs))
		jobs[at], jobs[last] = jobs[last], jobs[at]
		for k, j := range jobs[:last] {
			if p.before(j, jobs[last]) {
				jobs[k], jobs[low] = jobs[low], jobs[k]
				low++
			}
		}
		jobs[low], jobs[last] = jobs[last], jobs[low]
		if n <= low {
			jobs = jobs[:low]
		} else {
			jobs, n = jobs[low+1:], n-low-1
		}
	}
}

// compact takes the gaps out of the queue if there are more than so many.
func (p *slurm) compact(most int) {
	if p.gaps <= most {
		return
	}
	sorted := p.queue[:p.first]
	for _, j := range sorted {
		if j == nil {
			p.first--
		}
	}
	p.queue, p.gaps = slices.DeleteFunc(p.queue, func(j *sim.Job) bool { return j == nil }), 0
}
