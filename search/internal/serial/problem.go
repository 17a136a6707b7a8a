package serial

import (
	"context"
	"math"
	"math/bits"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/search/internal/separable"
)

// features are the features that the engine takes into account. It also takes instances with those of featuresSometimes, if they make no
// difference, see [problem.like].
const (
	features          = plan.RigidFeatures | model.HardDeadlines | model.Precedence | model.LicencePools
	featuresSometimes = model.MemoryLimits | model.BandwidthNeeds | model.MachineSpan
)

// problem is an instance as the engine sees it. It does not change once made.
//
// If all times are whole multiples of a unit, the engine counts in units from the earliest arrival on. Then no time is rounded. Otherwise the
// unit is 1 and times are those of the instance, so that a start plus a length is exactly the end that the checker expects.
type problem struct {
	separable.Problem
	n            int
	unit, origin float64 // a time t of the engine is the time origin + unit·t of the instance
	exact        bool    // all times are whole multiples of the unit
	room         int     // units of time of a grid; 0: the profiles are steps
	profiles     []lanes // one word each
	places       [][]place
	brief        []brief   // by job; nil: some job has several places, or the profile is not one grid
	arrival      []float64 // by job
	before       graph     // by job: the jobs it waits for
	behind       graph     // by job: the jobs that wait for it
	head, tail   []float64 // by job: least time from the beginning to its start, and from its end to the end of the last job that waits for it
	order        []int32   // the jobs in queue order
	atOnce       []float64 // by job: 0
	several      []int32   // jobs with several places
	lastOnly     bool      // the objective is the makespan alone
	justifies    bool      // the makespan of the grid or of a cluster counts
	hard         []int32   // jobs with a hard deadline; all jobs are placed, see [New]
	bound        []bool    // by job: it has a hard deadline, or such a job waits for it
	due          []float64 // by job: the latest end with which it and all that wait for it can meet their hard deadlines; +Inf: any
	util         []float64 // by job: length · mean share of the resources that it uses
}

// place is a cluster on which a job can run.
type place struct {
	cluster int32
	length  float64
	needs   []need
}

// brief is a job with one place, where there is one grid. A job that takes no time needs nothing.
type brief struct {
	need   uint64
	length int32
}

// need is what a job uses of a profile while it runs.
type need struct {
	profile int32
	amount  uint64
}

// graph is the edges of the precedence, by job.
type graph struct {
	first []int32 // by job: index of its first edge; one more at the end
	jobs  []int32
}

// of lists the jobs at the other ends of the job's edges.
func (g *graph) of(j int32) []int32 { return g.jobs[g.first[j]:g.first[j+1]] }

// maxJobs is the most jobs that the engine takes. To make a schedule of more jobs takes above a millisecond, and the engine does not check
// whether to stop while it makes one.
const maxJobs = 2000

// newProblem reads an instance. It returns nil if the engine cannot search it or ctx ends.
func newProblem(ctx context.Context, in *model.Instance) *problem {
	n := len(in.Jobs())
	if n == 0 || n > maxJobs || in.Features()&^(features|featuresSometimes) != 0 {
		return nil
	}
	sums := separable.NewWith(ctx, in, features|featuresSometimes)
	if sums == nil || len(sums.Nowhere) > 0 {
		return nil
	}
	p := &problem{Problem: *sums, n: n, arrival: make([]float64, n), places: make([][]place, n),
		atOnce: make([]float64, n), util: make([]float64, n)}
	for c := range in.Clusters() {
		if !in.Clusters()[c].Uniform || !p.like(c) {
			return nil
		}
	}
	p.readGraph()
	if !p.readDeadlines() || !p.readTimes() || !p.readResources() {
		return nil
	}
	p.measure()
	p.lastOnly, p.justifies = p.lastCounts()
	for j := range p.places {
		if len(p.places[j]) > 1 {
			p.several = append(p.several, int32(j))
		}
	}
	p.shorten()
	return p
}

// shorten notes the brief forms of the jobs, if they have any.
func (p *problem) shorten() {
	if p.room == 0 || len(p.profiles) != 1 || len(p.several) > 0 {
		return
	}
	p.brief = make([]brief, p.n)
	for j := range p.places {
		at := &p.places[j][0]
		p.brief[j].length = int32(at.length)
		for _, need := range at.needs { // at most one, of the one profile
			if at.length > 0 {
				p.brief[j].need = need.amount
			}
		}
	}
}

// like says that the processors of the cluster are alike for every job that can run there: the job may hold any that are free, whatever
// else runs there. Memory is never short if each job finds enough for one of its tasks on every processor of a machine.
func (p *problem) like(cluster int) bool {
	c := &p.In.Clusters()[cluster]
	for j := range p.In.Jobs() {
		if p.Clusters[cluster].Jobs[j].Size == 0 {
			continue
		}
		job := &p.In.Jobs()[j]
		if job.Span == model.SpanMachine && !c.WholeMachines && job.Min > 1 && (len(c.Machines) > 1 || c.Machines[0].Count > 1) {
			return false
		}
		for g := range c.Machines {
			if p.In.ProcessorsFor(job, &c.Machines[g]) < c.Machines[g].Units {
				return false
			}
		}
	}
	return true
}

// readGraph reads the precedence and the queue order.
func (p *problem) readGraph() {
	jobs := p.In.Jobs()
	p.before.first, p.behind.first = make([]int32, 1, p.n+1), make([]int32, 1, p.n+1)
	for j := range jobs {
		for _, k := range jobs[j].After {
			p.before.jobs = append(p.before.jobs, int32(k))
		}
		for _, k := range p.In.Successors(j) {
			p.behind.jobs = append(p.behind.jobs, int32(k))
		}
		p.before.first = append(p.before.first, int32(len(p.before.jobs)))
		p.behind.first = append(p.behind.first, int32(len(p.behind.jobs)))
	}
	for _, j := range plan.ArrivalOrder(p.In) {
		p.order = append(p.order, int32(j))
	}
}

// finest is the smallest unit of time. It is a power of two, so dividing by it rounds nothing.
const finest = 1.0 / 1024

// maxGrid is the most units of time that a grid has room for.
const maxGrid = 1 << 14

// readTimes reads arrivals and lengths and chooses the unit. It returns false in two cases: a length is so short that adding it to a late time may leave that
// time as it is, and a job that takes time would hold nothing; or deadlines are hard and times have no unit.
func (p *problem) readTimes() bool {
	unit, whole, shortest := uint64(0), true, math.Inf(1)
	note := func(t float64) {
		u := t / finest
		if whole = whole && u == math.Trunc(u) && u < 1<<40; whole {
			unit = separable.GCD(unit, uint64(u))
		}
	}
	last, sum := 0.0, 0.0
	for j := range p.In.Jobs() {
		arrival, longest := p.In.Jobs()[j].Arrival-p.Origin, 0.0
		note(arrival)
		for c := range p.Clusters {
			if on := &p.Clusters[c].Jobs[j]; on.Size > 0 {
				note(on.Duration)
				longest = max(longest, on.Duration)
				if on.Duration > 0 {
					shortest = min(shortest, on.Duration)
				}
			}
		}
		last, sum = max(last, arrival), sum+longest
	}
	note(math.Abs(p.Origin))
	p.unit = 1
	if whole && unit > 0 && p.Origin+last+sum < 1<<40 {
		p.unit, p.origin, p.exact = float64(unit)*finest, p.Origin, true
		room := (last + sum) / p.unit
		if len(p.hard) > 0 {
			room += sum / p.unit // jobs may have to go behind those whose places are reserved
		}
		if room <= maxGrid && room <= 64*float64(p.n) {
			p.room = int(room) + 1
		}
	}
	for j := range p.In.Jobs() {
		p.arrival[j] = (p.In.Jobs()[j].Arrival - p.origin) / p.unit
		for c := range p.Clusters {
			if on := &p.Clusters[c].Jobs[j]; on.Size > 0 {
				p.places[j] = append(p.places[j], place{cluster: int32(c), length: on.Duration / p.unit})
			}
		}
	}
	if len(p.hard) > 0 && !p.exact {
		return false // rounded, reserved places might overlap
	}
	end := p.Origin + last + sum
	return shortest > (math.Nextafter(end, math.Inf(1))-end)/2 // of half the distance some ends would be their starts, others not
}

// lanes are the resources that share a word.
type lanes struct {
	empty, guard uint64
	used         int // bits
}

// resource is something that jobs use while they run and of which there is a limited amount.
type resource struct {
	cluster  int // to which it belongs; the number of clusters: the grid
	capacity int
	amount   func(job, cluster int) int // that the job uses when it runs on the cluster
}

// readResources finds the resources that can be short and packs them into words. It returns false if an amount is too large.
func (p *problem) readResources() bool {
	words := map[int]int{} // by cluster: the word to add lanes to
	return !slices.ContainsFunc(p.resources(), func(r resource) bool { return !p.pack(words, r) })
}

// resources are the processors of the clusters and the pools of licences.
func (p *problem) resources() []resource {
	var all []resource
	for c := range p.Clusters {
		all = append(all, resource{c, p.In.Clusters()[c].Processors, func(j, on int) int {
			if on != c {
				return 0
			}
			return int(p.Clusters[c].Jobs[j].Size)
		}})
	}
	for l := range p.In.Licences() {
		copies := func(j int) int {
			for _, need := range p.In.Jobs()[j].Licences {
				if need.Licence == l {
					return need.Copies
				}
			}
			return 0
		}
		for c := range p.Clusters {
			if capacity, own := p.In.Pool(c, l); own && capacity != model.Unlimited {
				all = append(all, resource{c, capacity, func(j, on int) int {
					if on != c {
						return 0
					}
					return copies(j)
				}})
			}
		}
		if capacity := p.In.Licences()[l].Copies; capacity != model.Unlimited {
			all = append(all, resource{len(p.Clusters), capacity, func(j, on int) int {
				if _, own := p.In.Pool(on, l); own {
					return 0
				}
				return copies(j)
			}})
		}
	}
	return all
}

// pack gives the resource a lane in a word of its cluster, unless the resource suffices for all jobs at once. Amounts are divided by their
// greatest common divisor. If there is one cluster, the resources of the grid share its words. It returns false if an amount is too large.
func (p *problem) pack(words map[int]int, r resource) bool {
	wanted, divisor := 0, uint64(r.capacity)
	for j := range p.places {
		most := 0
		for k := range p.places[j] {
			a := r.amount(j, int(p.places[j][k].cluster))
			most, divisor = max(most, a), separable.GCD(divisor, uint64(a))
		}
		wanted += most
	}
	if wanted <= r.capacity {
		return true
	}
	width := bits.Len64(uint64(r.capacity) / divisor)
	if width > 32 {
		return false
	}
	if len(p.Clusters) == 1 {
		r.cluster = 0
	}
	w, known := words[r.cluster]
	if !known || p.profiles[w].used+width+1 > 64 {
		p.profiles = append(p.profiles, lanes{})
		w = len(p.profiles) - 1
		words[r.cluster] = w
	}
	l := &p.profiles[w]
	shift := l.used
	l.used += width + 1
	guard := uint64(1) << (l.used - 1)
	l.guard |= guard
	l.empty |= uint64(r.capacity)/divisor<<shift | guard
	for j := range p.places {
		for k := range p.places[j] {
			at := &p.places[j][k]
			if a := r.amount(j, int(at.cluster)); a > 0 {
				at.use(int32(w), uint64(a)/divisor<<shift)
				p.util[j] += at.length * float64(a) / float64(r.capacity) / float64(len(p.places[j]))
			}
		}
	}
	return true
}

// use adds an amount of a profile to the needs.
func (at *place) use(profile int32, amount uint64) {
	for k := range at.needs {
		if at.needs[k].profile == profile {
			at.needs[k].amount += amount
			return
		}
	}
	at.needs = append(at.needs, need{profile, amount})
}

// measure finds the heads and tails.
func (p *problem) measure() {
	shortest := func(j int32) float64 {
		length := math.Inf(1)
		for k := range p.places[j] {
			length = min(length, p.places[j][k].length)
		}
		return length
	}
	p.due = make([]float64, p.n)
	p.head, p.tail = make([]float64, p.n), make([]float64, p.n)
	for _, j := range p.order {
		p.head[j] = p.arrival[j]
		for _, k := range p.before.of(j) {
			p.head[j] = max(p.head[j], p.head[k]+shortest(k))
		}
	}
	for k := p.n - 1; k >= 0; k-- {
		j := p.order[k]
		p.due[j] = p.latest(j)
		for _, next := range p.behind.of(j) {
			p.due[j] = min(p.due[j], p.due[next]-shortest(next))
			p.tail[j] = max(p.tail[j], shortest(next)+p.tail[next])
		}
	}
}

// newProfiles are the profiles with everything free.
func (p *problem) newProfiles() []profile {
	all := make([]profile, len(p.profiles))
	for k, l := range p.profiles {
		if p.room > 0 {
			all[k] = newGrid(l.empty, l.guard, p.room)
		} else {
			all[k] = newSteps(l.empty, l.guard, p.n)
		}
	}
	return all
}
