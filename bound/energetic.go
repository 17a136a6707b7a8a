package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/windows"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/plan"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "energetic", Metric: "makespan", Certifies: true,
	Doc:    "the makespans within which the jobs need more processor time, memory or copies of a licence than some interval has, whenever they run between their head and tail",
	Source: "P. Baptiste, C. Le Pape, W. Nuijten (1999), Satisfiability tests and time-bound adjustments for cumulative scheduling problems, Ann. Oper. Res. 92, doi:10.1023/A:1018995000688, §3, energetic reasoning, of which the time-table is the part with the shortest intervals; R. Klein, A. Scholl (1999), Computing lower bounds by destructive improvement, Eur. J. Oper. Res. 112, doi:10.1016/S0377-2217(97)00442-6",
	New:    func(r *Relaxation, proved *Gate) Prover { return &energetic{r: r, proved: proved} }})

// energetic refutes makespans. The largest makespan that it refutes is the bound. It takes rigid jobs on clusters of equal
// processors if some jobs wait, arrive later, have to end by some time or need licences; for other jobs it would prove no more than the bounds by area.
//
// If the makespan is T, a job with head r and tail q runs within [r, T − q], and before its hard deadline or the end of the horizon. While it runs, it holds its part of each resource:
// of the processors at the best prices of the clusters (see [Prices]), of processors and memory together at such prices, and of the copies of each licence in all pools. A job
// that runs for a time p holds its part in an interval [a, b] for at least min(p, b − a, r + p − a, b − (T − q − p)). All jobs
// together hold at most the whole resource.
type energetic struct {
	r         *Relaxation
	proved    *Gate
	started   bool
	resources [][]energyJob
	held      []energyJob            // scratch
	licences  []string               // by resource; empty: one at prices
	prices    []Prices               // of the first resources: processors, perhaps with memory
	show      func() *proof.Argument // what proves low
	points    int                    // number of limits that intervals may have, on each side
	work      int64                  // work to test one makespan
	credit    int64
	low, high float64 // the largest makespan refuted; the least one not refuted, +Inf: none yet
	growth    float64
	done      bool
}

// energyJob is a job as one resource sees it.
type energyJob struct {
	head, tail float64
	latest     float64     // end
	ways       []energyWay // one for each cluster where it can run
}

// end is when the job ends at the latest.
func (j *energyJob) end(makespan float64) float64 { return min(makespan-j.tail, j.latest) }

// energyWay is the part of the resource that the job holds, and for how long.
type energyWay struct{ part, length float64 }

// Improve implements [Prover].
func (e *energetic) Improve(ctx context.Context, work int64) bool {
	if !e.started {
		e.started = true
		e.start(ctx)
		e.settle()
	}
	const enough = 1e-4 // of the bound
	e.credit += work
	for !e.done && e.credit > 0 && ctx.Err() == nil {
		e.credit -= e.work
		next := e.low * (1 + e.growth)
		if !math.IsInf(e.high, 1) {
			next = (e.low + e.high) / 2
		}
		at := e.refutes(ctx, next)
		switch {
		case ctx.Err() != nil:
		case at != nil:
			e.low, e.show = next, at
			e.growth *= 4
			e.settle()
		default:
			e.high = next
		}
		e.done = e.high-e.low < enough*e.low || e.growth > 1e6 || e.low > 2*e.r.length // beyond that no schedule ends in time at all
	}
	return !e.done
}

// settle hands over the largest makespan refuted.
func (e *energetic) settle() {
	if !(e.low <= 0) && e.proved.Prove(e.r.Chained(e.r.pricedSum(e.low, e.prices[len(e.prices)-1]))) { // also where it is NaN
		e.proved.Show(e.show)
	}
}

// start prepares the resources. It sets low to the largest makespan that areas, licences and chains of jobs refute at once.
func (e *energetic) start(ctx context.Context) {
	const pairs = 2_000_000 // of an interval and a job on a cluster
	e.done, e.high, e.growth = true, math.Inf(1), 0.001
	r := e.r
	if !r.solid || len(r.must) == 0 || r.in.Features()&(model.Precedence|model.LicencePools|model.Arrivals) == 0 && !r.limited() {
		return
	}
	sets, ok := r.priceSets(ctx)
	if !ok {
		return
	}
	tails := r.Tails()
	for _, prices := range sets {
		if e.prices = append(e.prices, prices); prices.Value > e.low {
			e.low, e.show = prices.Value, func() *proof.Argument { return showArea(nil, prices) }
		}
		e.resources, e.licences = append(e.resources, r.pricedEnergy(prices, tails)), append(e.licences, "")
	}
	for _, j := range r.must {
		if end := r.EarliestEnd(j) + tails[j]; end > e.low {
			e.low, e.show = end, func() *proof.Argument { return r.chainThrough(j, tails) }
		}
	}
	e.resources = append(e.resources, e.licensed(tails)...)
	all, held := 0, 0 // ways; those but for memory, which leaves the other resources as many points
	for resource, jobs := range e.resources {
		area := 0.0
		for k := range jobs {
			if all += len(jobs[k].ways); resource == 0 || resource >= len(sets) {
				held += len(jobs[k].ways)
			}
			if len(jobs[k].ways) == 1 {
				area += jobs[k].ways[0].part * jobs[k].ways[0].length
			}
		}
		if area > e.low {
			e.low, e.show = area, func() *proof.Argument {
				if resource < len(sets) {
					return showArea(nil, sets[resource])
				}
				return &proof.Argument{Area: &proof.Area{Licence: e.licences[resource]}}
			}
		}
	}
	e.points = int(min(64, math.Sqrt(pairs/float64(held))))
	if e.points < 4 || !(e.low > 0) || math.IsInf(e.low, 1) {
		return
	}
	e.work = int64(4 * e.points * e.points * all)
	e.done = false
}

// pricedEnergy is what the jobs that have to be placed hold of the clusters at the prices.
func (r *Relaxation) pricedEnergy(prices Prices, tails []float64) []energyJob {
	jobs := make([]energyJob, 0, len(r.must))
	latest, _ := r.latestEnds()
	for _, j := range r.must {
		job := energyJob{head: r.start[j], tail: tails[j], latest: latest[j]}
		for c := range prices.Price {
			if r.in.CanRun(j, c) {
				size, _ := r.in.Width(j, c)
				job.ways = append(job.ways, energyWay{prices.of(c, r.in.Jobs()[j].Memory) * float64(size), r.in.DurationOn(j, c, size)})
			}
		}
		jobs = append(jobs, job)
	}
	return jobs
}

// Tails are, by job, the least time from its end to the end of all jobs that wait for it and have to be placed.
func (r *Relaxation) Tails() []float64 {
	tails, placed := make([]float64, len(r.in.Jobs())), make([]bool, len(r.in.Jobs()))
	for _, j := range r.must {
		placed[j] = true
	}
	for _, j := range slices.Backward(plan.ArrivalOrder(r.in)) { // those that wait come first
		for _, next := range r.in.Successors(j) {
			if placed[next] {
				tails[j] = max(tails[j], r.least[next]+tails[next])
			}
		}
	}
	return tails
}

// copiesOf is the number of copies of a licence in the pools of the grid and of all clusters; +Inf if it is not limited, or if there are none.
func (r *Relaxation) copiesOf(licence int) (copies float64) {
	add := func(n int) {
		if copies += float64(n); n == model.Unlimited {
			copies = math.Inf(1)
		}
	}
	add(r.in.Licences()[licence].Copies)
	for c := range r.in.Clusters() {
		if own, has := r.in.Pool(c, licence); has {
			add(own)
		}
	}
	if copies == 0 {
		return math.Inf(1)
	}
	return copies
}

// copiesFor is the number of copies of a licence that job j needs.
func (r *Relaxation) copiesFor(j, licence int) float64 {
	for _, need := range r.in.Jobs()[j].Licences {
		if need.Licence == licence {
			return float64(need.Copies)
		}
	}
	return 0
}

// licensed lists, for each licence with a limited number of copies, the jobs that need it.
func (e *energetic) licensed(tails []float64) [][]energyJob {
	r := e.r
	latest, _ := r.latestEnds()
	var resources [][]energyJob
	for l := range r.in.Licences() {
		copies := r.copiesOf(l)
		if math.IsInf(copies, 1) {
			continue
		}
		var jobs []energyJob
		for _, j := range r.must {
			if need := r.copiesFor(j, l); need > 0 {
				jobs = append(jobs, energyJob{r.start[j], tails[j], latest[j], []energyWay{{need / copies, r.least[j]}}})
			}
		}
		if len(jobs) > 0 {
			resources, e.licences = append(resources, jobs), append(e.licences, r.in.Licences()[l].ID)
		}
	}
	return resources
}

// chainThrough is the chain of jobs that decides when job j ends at the earliest, continued by the jobs that have to follow it.
func (r *Relaxation) chainThrough(j int, tails []float64) *proof.Argument {
	a := r.chainTo(j)
	for tails[j] > 0 {
		next := slices.IndexFunc(r.in.Successors(j), func(k int) bool { return r.duties[k] == MustPlace && r.least[k]+tails[k] == tails[j] })
		if next < 0 {
			break
		}
		j = r.in.Successors(j)[next]
		a.CriticalPath.Jobs = append(a.CriticalPath.Jobs, j)
	}
	return a
}

// refutes returns a function that shows why no schedule ends within the makespan, or nil if it does not refute the makespan.
func (e *energetic) refutes(ctx context.Context, makespan float64) (show func() *proof.Argument) {
	for resource, jobs := range e.resources {
		rounding := float64(4*len(jobs)+2*e.r.depth+64) * gate.Epsilon * makespan // times are differences of ones up to the makespan
		var from, to []float64
		for k := range jobs {
			j := &jobs[k]
			end := j.end(makespan)
			for _, way := range j.ways {
				from = append(from, j.head, end-way.length, j.head+way.length)
				to = append(to, end, j.head+way.length, end-way.length)
			}
		}
		from, to = windows.Evenly(from, e.points), windows.Evenly(to, e.points)
		for _, a := range from {
			if ctx.Err() != nil {
				return nil
			}
			e.held = reaching(e.held[:0], jobs, makespan, a, rounding)
			for _, b := range to {
				if a < b && demand(e.held, makespan, a, b, rounding) > (b-a)*(1+1e-9)+rounding {
					return func() *proof.Argument {
						found := &proof.Energetic{Makespan: makespan, From: a, To: b, Licence: e.licences[resource]}
						if resource < len(e.prices) {
							found.Prices, found.Memory = e.prices[resource].Price, e.prices[resource].Memory
						}
						return &proof.Argument{Energetic: found}
					}
				}
			}
		}
	}
	return nil
}

// reaching appends those of the jobs that may have to hold some of the resource after time a. The others may end by then, so they add nothing to
// the demand of an interval from a on.
func reaching(some, jobs []energyJob, makespan, a, rounding float64) []energyJob {
	for k := range jobs {
		j := &jobs[k]
		over := false
		for _, way := range j.ways {
			over = over || j.head+way.length <= a && j.head+way.length <= j.end(makespan)+rounding
		}
		if !over {
			some = append(some, *j)
		}
	}
	return some
}

// demand is the least time for which the jobs hold the whole of the resource in [a, b]. It is +Inf if some job cannot run within
// the makespan, even allowing for the rounding of the times.
func demand(jobs []energyJob, makespan, a, b, rounding float64) float64 {
	sum := 0.0
	for k := range jobs {
		j := &jobs[k]
		end, least := j.end(makespan), math.Inf(1)
		for _, way := range j.ways {
			if p := way.length; j.head+p <= end+rounding {
				held := min(p, b-a, j.head+p-a, b-(end-p))
				least = min(least, way.part*max(0, held))
			}
		}
		sum += least
	}
	return sum
}
