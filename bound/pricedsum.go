package bound

import (
	"context"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/bound/internal/powered"
	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/exactsteps"
	"github.com/allot-opt/allot/proof"
)

var (
	_ = Register(pricedSumMethod("mean_response", "end"))
	_ = Register(pricedSumMethod("mean_wait", "start"))
	_ = Register(pricedSumMethod("mean_slowdown", "slowdown"))
	_ = Register(pricedSumMethod("slowdown_without_deadline", "slowdown"))
	_ = Register(pricedSumMethod("bounded_slowdown", "slowdown"))
	_ = Register(pricedSumMethod("over_deadline", "time over its deadline"))
	_ = Register(pricedSumMethod("missed", "missed deadline"))
)

// pricedSumMethod bounds a sum of costs by the jobs' starts and ends.
func pricedSumMethod(metric, what string) Method {
	return Method{Name: "priced-time", Metric: metric, Certifies: true, Doc: "prices of processor time that changes with time, and each job where it and its " + what + " are cheapest",
		Source: "J. M. van den Akker, C. A. J. Hurkens, M. W. P. Savelsbergh (2000), Time-indexed formulations for machine scheduling problems, INFORMS J. Comput. 12, doi:10.1287/ijoc.12.2.111.11896, the relaxation; without its grid",
		New: func(r *Relaxation, proved *Gate) Prover {
			return &ascent{r: r, proved: proved, kind: pricedSum{metric}}
		}}
}

// pricedSum bounds a sum of what the starts and ends of jobs cost by
//
//	Σ_j min over clusters i, numbers of processors and starts of cost_j + what j pays − Σ_i capacity_i·∫price_i
//
// for any prices of processor time that are at least 0, and 0 from some time on. This is a bound because the jobs that run at an instant hold together no more
// processors than there are.
type pricedSum struct{ metric string }

// sumBuckets is how many buckets of time there are at first.
const sumBuckets = 24

// input implements [ascentKind].
func (s pricedSum) input(ctx context.Context, r *Relaxation) (*powered.Input, Sum) {
	x := &powered.Input{}
	parts, ok := s.parts(ctx, r)
	if !ok {
		return nil, Sum{}
	}
	constant := s.jobs(ctx, r, parts, x)
	until := s.horizon(ctx, r)
	if len(x.Jobs) == 0 || !(until > 0) || !gate.Finite(until) {
		return nil, Sum{}
	}
	longest, last := 0.0, until
	for j := range x.Jobs {
		for k := range x.Jobs[j].Ways {
			way := &x.Jobs[j].Ways[k]
			way.Last = max(way.First, min(way.Last, until)) // later it pays nothing, and costs no less
			last, longest = max(last, way.Last), max(longest, way.Length)
		}
	}
	x.To, x.Until = 2*(last+longest), until
	for j := range x.Jobs { // a certificate rounds times on a grid for all jobs
		most, cost := 0.0, math.Inf(-1)
		for k := range x.Jobs[j].Ways {
			way := &x.Jobs[j].Ways[k]
			most = max(most, way.Delay, way.Over)
			cost = max(cost, way.Constant+way.Delay*x.To+way.Over*max(0, x.To-way.Due))
		}
		if s.metric != "missed" {
			x.Most += cost
		}
		constant.Size += most * x.To
	}
	for k := 1; k <= sumBuckets; k++ {
		x.Limits = append(x.Limits, until*float64(k)/sumBuckets)
	}
	x.Limits[sumBuckets-1] = until
	fulls := r.fills(ctx, x, parts)
	if fulls == nil {
		return nil, Sum{}
	}
	for k, full := range fulls {
		machines := 1
		if part := parts[k]; part.group >= 0 {
			machines = r.in.Clusters()[part.cluster].Machines[part.group].Count
		}
		capacity := powered.Group{Count: float64(machines) * full, Units: 1}
		x.Clusters = append(x.Clusters, powered.Cluster{Steps: []exactsteps.Step{{}}, Rates: []float64{0}, Groups: []powered.Group{capacity}})
	}
	return x, constant
}

// mostSumLooks is the most pairs of a job and a part that are looked at for ways.
const mostSumLooks = 1 << 24

// parts lists the parts of the machines. It returns false if the ways of the jobs in them, or their prices, are too many to look at, or if the context has ended.
func (s pricedSum) parts(ctx context.Context, r *Relaxation) ([]sumPart, bool) {
	n := len(r.in.Jobs())
	if n > mostSumLooks || n*len(r.in.Clusters()) > mostSumLooks || ctx.Err() != nil {
		return nil, false
	}
	parts := r.sumParts()
	return parts, len(parts)*sumBuckets <= powered.MostPrices && n*len(parts) <= mostSumLooks
}

// sumPart is a part of the machines of which processors have a price of their own: a cluster, or a group of machines of one. group is −1 for a cluster.
type sumPart struct{ cluster, group int }

// sumParts lists the parts by cluster.
func (r *Relaxation) sumParts() (parts []sumPart) {
	for c := range r.in.Clusters() {
		if !r.staysOnMachines(c) {
			parts = append(parts, sumPart{c, -1})
			continue
		}
		for g := range r.in.Clusters()[c].Machines {
			parts = append(parts, sumPart{c, g})
		}
	}
	return parts
}

// waysIn lists the ways to run a job in all parts. known is false if what is needed is not known.
func (r *Relaxation) waysIn(parts []sumPart, j int, need knownWays) (list []powered.Way, known bool) {
	list = make([]powered.Way, 0, len(parts))
	for k, part := range parts {
		var ways []powered.Way
		if part.group < 0 {
			ways, known = r.waysOn(j, part.cluster, need)
		} else {
			ways, known = r.waysInGroup(j, part.cluster, part.group, need)
		}
		if !known {
			return nil, false
		}
		for _, way := range ways {
			way.Cluster = k
			list = append(list, way)
		}
	}
	return list, true
}

// horizon is the time from which on no prices are looked for: long after the area of the jobs could be done, or the last deadline that counts.
func (s pricedSum) horizon(ctx context.Context, r *Relaxation) float64 {
	last, longest := 0.0, 0.0
	if s.metric == "missed" {
		for j := range r.in.Jobs() {
			if r.in.Jobs()[j].HasDeadline() && r.duties[j] != MustLeave {
				last = max(last, r.Deadline(j)+r.Lateness(j))
			}
		}
		return last
	}
	prices, ok := r.AreaPrices(ctx)
	if !ok {
		return 0
	}
	for _, j := range r.must {
		last, longest = max(last, r.start[j]), max(longest, r.least[j])
	}
	return max(1.3*prices.Value, last) + longest
}

// mostFilled is the most processors of a part of which it is worked out how many the jobs can hold.
const mostFilled = 1 << 14

// fills is how many of its processors the jobs can hold at once, by part; nil: the context has ended.
func (r *Relaxation) fills(ctx context.Context, x *powered.Input, parts []sumPart) []float64 {
	full, counts := make([]float64, len(parts)), make([][]int, len(parts)) // by part and size: jobs that may have it; nil: they may hold all
	for k, part := range parts {
		m := r.in.Clusters()[part.cluster].Processors
		if part.group >= 0 {
			m = r.in.Clusters()[part.cluster].Machines[part.group].Units
		}
		if full[k] = float64(m); m <= mostFilled {
			counts[k] = make([]int, m+1)
		}
	}
	for j := range x.Jobs {
		part, seen := -1, 0
		for k := range x.Jobs[j].Ways {
			way := &x.Jobs[j].Ways[k]
			size := int(way.Width)
			if way.Cluster != part {
				part, seen = way.Cluster, 0
			}
			if count := counts[part]; way.Loose || size >= len(count) {
				counts[part] = nil
			} else if seen != size {
				count[size]++
			}
			seen = size
		}
	}
	for k, count := range counts {
		if ctx.Err() != nil {
			return nil
		}
		if count != nil {
			full[k] = float64(fill(count))
		}
	}
	return full
}

// fill is the largest sum of sizes that is less than the number of sizes, where count says how often each may be taken.
//
// Complexity: O(m² log m / 64) for m sizes: an addition of a size to all sums is a shift of a set of bits.
func fill(count []int) int {
	m := len(count) - 1
	sums, within := big.NewInt(1), new(big.Int)
	within.Sub(within.Lsh(sums, uint(m+1)), sums)
	for size, shifted := 1, new(big.Int); size <= m; size++ {
		for range min(count[size], m/size) {
			shifted.Lsh(sums, uint(size))
			sums.Or(sums, shifted.And(shifted, within))
		}
		if sums.Bit(m) == 1 {
			return m
		}
	}
	return sums.BitLen() - 1
}

// jobs lists the jobs, and returns what is added to what they cost. It lists none if too little of them is known.
func (s pricedSum) jobs(ctx context.Context, r *Relaxation, parts []sumPart, x *powered.Input) (constant Sum) {
	if s.metric == "missed" {
		return s.inTime(ctx, r, parts, x)
	}
	slowdown := s.need() == exactly
	if slowdown && r.in.Features()&model.BackgroundLoad != 0 {
		return Sum{} // a longer job may have a smaller slowdown
	}
	// Jobs that may be left out cost nothing, or 1 for a slowdown. So the mean is least if all of them count.
	n, others := 0.0, 0.0
	var jobs []int
	for j, duty := range r.duties {
		switch {
		case duty == MustLeave || s.metric == "slowdown_without_deadline" && r.in.Jobs()[j].HasDeadline():
			continue
		case duty == MustPlace:
			jobs = append(jobs, j)
		case slowdown:
			others++
		}
		n++
	}
	if len(jobs) == 0 {
		return Sum{}
	}
	constant.Add(others / n)
	room := wayRoom{poll: kit.NewPoll(ctx)}
	for _, j := range jobs {
		ways, known := r.waysIn(parts, j, s.need())
		for k := range ways {
			known = known && s.cost(r, j, n, &ways[k])
		}
		ways = slices.DeleteFunc(ways, func(way powered.Way) bool { return way.Last < way.First }) // it would end too late
		job := powered.Job{Ways: ways}
		if !known || len(ways) == 0 || !room.take(&job, len(parts)) {
			x.Jobs = nil
			return Sum{}
		}
		x.Jobs = append(x.Jobs, job)
	}
	return constant
}

// wayRoom counts the ways of the jobs of an input, so that they are never too many.
type wayRoom struct {
	poll *kit.Poll
	ways int
}

// take counts the ways of a job, which were looked for in some parts. It returns false if they are too many, or if the context has ended.
func (w *wayRoom) take(job *powered.Job, parts int) bool {
	w.ways += len(job.Ways)
	return w.ways <= powered.MostWays && !w.poll.Stopped(16*(1+parts))
}

// need is what has to be known of the ways to run a job.
func (s pricedSum) need() knownWays {
	switch s.metric {
	case "mean_wait":
		return fromStart
	case "mean_slowdown", "slowdown_without_deadline", "bounded_slowdown":
		return exactly
	}
	return untilEnd
}

// cost writes what job j costs by its start and end on the way, where n jobs count. It returns false if that is not known.
func (s pricedSum) cost(r *Relaxation, j int, n float64, way *powered.Way) bool {
	latest, _ := r.latestEnds()
	way.Last = latest[j] - way.Length
	released := r.Released(j)
	switch s.metric {
	case "mean_response":
		way.Delay, way.Constant = 1/n, (way.Length-released)/n
	case "mean_wait":
		way.Delay, way.Constant = 1/n, -released/n
	case "over_deadline":
		if due := r.due(j); !math.IsInf(due, 1) {
			way.Over, way.Due = 1, due
		}
	case "bounded_slowdown":
		long := max(way.Length, 10)
		way.Over, way.Due, way.Constant = 1/(n*long), released+long, 1/n
	default:
		if way.Length == 0 { // it does not count
			return false
		}
		way.Delay, way.Constant = 1/(n*way.Length), (1-released/way.Length)/n
	}
	return gate.FiniteAll([]float64{way.Delay, way.Over, way.Due, way.Constant})
}

// inTime lists the jobs with a deadline, each of which may be in time, which saves one missed deadline, or not. The lengths are what is left of them if the
// checker accepts shorter durations and later ends.
func (s pricedSum) inTime(ctx context.Context, r *Relaxation, parts []sumPart, x *powered.Input) (constant Sum) {
	room := wayRoom{poll: kit.NewPoll(ctx)}
	for j := range r.in.Jobs() {
		if !r.in.Jobs()[j].HasDeadline() {
			continue
		}
		constant.Add(1)
		if r.duties[j] == MustLeave {
			continue
		}
		ways, _ := r.waysIn(parts, j, untilEnd) // known
		job, allowed := powered.Job{MayLeave: true, Ways: ways[:0]}, r.Lateness(j)
		for _, way := range ways {
			due := r.Deadline(j) + allowed
			if way.Constant = -1; due-way.Length < way.First {
				continue
			}
			share := 1 - allowed/max(r.least[j], allowed)
			switch {
			case !way.Loose:
				way.Length = max(0, way.Length-allowed)
				due += allowed // it starts no later than if it took its time
				way.Last = due - way.Length - allowed
			case way.Length == 0 || share == 0:
				way.Width *= share
				way.Last = due - way.Length
			default:
				way.Length *= share
				way.Last = due - way.Length
			}
			way.Last = max(way.First, way.Last)
			job.Ways = append(job.Ways, way)
		}
		if !room.take(&job, len(parts)) {
			x.Jobs = nil
			return Sum{}
		}
		x.Jobs = append(x.Jobs, job)
	}
	return constant
}

// first implements [ascentKind]: prices that fall from a level to 0, by doubling.
func (s pricedSum) first(p *powered.Problem, k int, x []float64) (use, more bool) {
	p.Falling(math.Ldexp(1, k-12), x)
	return true, k < 20
}

// argument implements [ascentKind].
func (s pricedSum) argument(r *Relaxation, p *powered.Problem, x []float64) *proof.Argument {
	buckets := p.Priced()
	by := &proof.TimePrices{Limits: p.Limits[:buckets+1], Clusters: make([]proof.ClusterPrices, len(r.in.Clusters()))}
	list := pricesByCluster(p, x)
	for k, part := range r.sumParts() {
		if c := &by.Clusters[part.cluster]; part.group < 0 {
			c.Processor = list[k][:buckets]
		} else {
			c.Groups = append(c.Groups, list[k][:buckets])
		}
	}
	return &proof.Argument{TimePrices: by}
}
