package lists

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/beam"
	"github.com/allot-opt/allot/search/internal/separable"
)

// packer is a chain of beam searches, each for a shorter schedule than the best so far. It helps where the makespan on one cluster is all that
// counts and all jobs are there from the beginning.
type packer struct {
	p        *problem
	rng      *rand.Rand
	beam     *beam.Search
	jobs     []int32 // those of the beam search, by their number in it
	rest     []int32 // the others; they take no time
	releases *plan.Releases

	begun    int64 // searches
	running  bool
	effort   int64   // work in an evaluation
	known    float64 // the least makespan that is known
	shortest float64 // no schedule is shorter
	unit     float64 // all makespans are whole multiples of it; 0: it is not known

	best   float64   // least objective so far
	orders [][]int32 // the order of the jobs in that schedule
}

// Parameters of packers.
const (
	packers     = 2         // of an engine
	packedMost  = 2000      // most jobs
	narrowest   = 8         // width of every other beam
	widest      = 8192      // most states of a level
	widestRoom  = 1_000_000 // most states of a level times jobs, for the memory's sake
	wholeDigits = 1024      // durations are whole multiples of one part of so many, or no unit is looked for
	nearestAim  = 4         // the nearest aim lies at two to the power of −nearestAim of the way to the bound

	// An evaluation is some work in ns, as the beam counts it: states are small parts of schedules. A walk takes about 50 ns a job for one.
	workAhead   = 240   // a job, if a packer has found the best schedule
	workBehind  = 30    // a job, otherwise
	leastBehind = 2_000 // in all, otherwise
	mostBehind  = 6_000
)

// packable says whether a packer can search the instance.
func (p *problem) packable() bool {
	c := &p.Clusters[0]
	if len(p.Clusters) > 1 || p.Makespan == 0 || c.Costs != nil || c.MCP != (separable.Weights{}) || c.Plain != (separable.Weights{}) || len(p.Movable) > packedMost {
		return false
	}
	for _, j := range p.Movable {
		if c.Jobs[j].Arrival != p.Origin {
			return false
		}
	}
	return true
}

// newPacker makes a packer that looks for shorter schedules than the one of the given orders and their objective; nil if no job takes time.
func newPacker(p *problem, objective float64, orders [][]int32, rng *rand.Rand) *packer {
	c := &p.Clusters[0]
	k := &packer{p: p, rng: rng, releases: newReleases(p), best: objective, orders: [][]int32{slices.Clone(orders[0])}}
	k.learn(objective)
	var jobs []beam.Job
	grain := uint64(0) // all sizes are whole multiples of it
	for _, j := range p.Movable {
		if job := &c.Jobs[j]; job.Duration > 0 {
			k.jobs = append(k.jobs, j)
			jobs = append(jobs, beam.Job{Size: job.Size, Duration: job.Duration})
			grain = separable.GCD(grain, uint64(job.Size))
		} else {
			k.rest = append(k.rest, j)
		}
	}
	if len(jobs) == 0 {
		return nil
	}
	for i := range jobs {
		jobs[i].Size /= int32(grain)
	}
	processors := int(c.Processors) / int(grain)
	k.share(false)
	k.unit = unitOf(jobs)
	k.shortest = k.rounded(shortestOf(jobs, processors), math.Ceil)
	k.beam = beam.New(processors, jobs, rng)
	return k
}

// shortestOf is a lower bound of the makespan: by area, by the longest job and by the jobs that need more than half of the processors.
func shortestOf(jobs []beam.Job, processors int) float64 {
	area, longest, wide := 0.0, 0.0, 0.0
	for _, j := range jobs {
		area += float64(j.Size) * j.Duration
		longest = max(longest, j.Duration)
		if 2*int(j.Size) > processors {
			wide += j.Duration
		}
	}
	return max(area/float64(processors), longest, wide)
}

// unitOf is the largest unit of which all durations are whole multiples; 0 if it is not found.
func unitOf(jobs []beam.Job) float64 {
	unit := uint64(0)
	for _, j := range jobs {
		whole := j.Duration * wholeDigits
		if whole != math.Trunc(whole) || whole > 1<<40 {
			return 0
		}
		unit = separable.GCD(unit, uint64(whole))
	}
	return float64(unit) / wholeDigits
}

// rounded rounds a makespan to whole units, by math.Ceil or math.Floor. It leaves alone what is a whole number of units but for rounding errors.
func (k *packer) rounded(makespan float64, to func(float64) float64) float64 {
	if k.unit == 0 {
		return makespan
	}
	units := makespan / k.unit
	if near := math.Round(units); math.Abs(units-near) <= 1e-9*near {
		return near * k.unit
	}
	return to(units) * k.unit
}

// learn tells the packer of a schedule with the given objective.
func (k *packer) learn(objective float64) {
	k.known = (objective - k.p.Constant) / k.p.Makespan
}

// share sets how much work goes into an evaluation; ahead: a packer has found the best schedule.
func (k *packer) share(ahead bool) {
	if n := int64(len(k.jobs)); ahead {
		k.effort = workAhead * n
	} else {
		k.effort = min(mostBehind, max(leastBehind, workBehind*n))
	}
}

// begin begins a beam search; false: there is nothing shorter to find. Every other beam is narrow, every other one of the rest twice as wide and so on, so that all
// widths get the same time.
func (k *packer) begin() bool {
	gap := k.known - k.shortest
	if gap <= 1e-9*k.known {
		return false
	}
	k.begun++
	width := narrowest
	for n := k.begun; n%2 == 0; n /= 2 {
		width *= 2
	}
	aim := k.rounded(k.known-gap*math.Pow(2, -nearestAim*k.rng.Float64()), math.Floor)
	k.beam.Begin(max(aim, k.shortest), max(1, min(width, widest, widestRoom/len(k.jobs))))
	return true
}

// advance searches on for the given number of evaluations, or until stop returns true or nothing shorter is to be found. It returns the number of evaluations made.
func (k *packer) advance(evaluations int64, stop func() bool) (made int64) {
	for ; made < evaluations; made++ {
		if stop() {
			break
		}
		for until := k.beam.Work() + k.effort; k.beam.Work() < until; {
			if !k.running && !k.begin() {
				return made
			}
			if k.running = !k.beam.Step(); !k.running {
				k.keep(k.beam.Order())
			}
		}
	}
	return made
}

// keep remembers a schedule, given by the jobs in the order of their starts, if it is the best so far. Nil is no schedule.
func (k *packer) keep(order []int32) {
	if order == nil {
		return
	}
	for n, job := range order {
		order[n] = k.jobs[job]
	}
	order = append(order, k.rest...)
	c := &k.p.Clusters[0]
	k.releases.Reset(k.p.Origin, int(c.Processors))
	last := k.p.Origin
	for _, id := range order {
		j := &c.Jobs[id]
		last = max(last, k.releases.Place(j.Size, j.Arrival, j.Duration)+j.Duration)
	}
	if objective := k.p.Constant + k.p.Makespan*(last-k.p.Origin); objective < k.best {
		k.best, k.orders = objective, [][]int32{order}
		k.learn(objective)
	}
}

// work is about the number of ns of one core spent so far.
func (k *packer) work() int64 { return k.beam.Work() + k.releases.Work() }
