package proof

import (
	"context"
	"maps"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file and the others of list schedules verify the optimum of few rigid jobs: what the best list schedule costs.
//
// In a list schedule the jobs start in the order of a list, each as soon as its processors are free, and not before the one before it. If the list has the
// order of the starts in some schedule, no job starts later than there. None of the metrics is less if a job ends later, so some list schedule is best.
//
// The lists grow job by job. What a job can still do depends on the set of the jobs before it, and on when processors become free. So for each set a list is
// dropped if another has every processor as early, and has cost no more. A list is also dropped if it costs as much as the goal, whatever follows. See
// listgrow.go. Clusters that do not depend on each other take turns. At the end the jobs are shared out among them. See listshares.go.

const (
	mostListed      = 16      // jobs
	mostListedTwice = 1 << 28 // ways to share sets of jobs among the clusters between the first and the last
	mostListStates  = 1 << 21 // lists that are kept of all sets with the same number of jobs
	mostCompared    = 1 << 33 // pairs of lists
	mostAssigned    = 8       // clusters that are treated together
	listDigits      = 58      // of times, and of prices
)

// Listed are the metrics of which list schedules bound a weighted sum.
var Listed = []string{"bounded_slowdown", "cost", "idle_time", "makespan", "mcp", "mean_response", "mean_slowdown", "mean_wait", "miss_rate", "missed", "over_deadline", "unfinished"}

// listing is the jobs and what they cost.
type listing struct {
	*facts
	a        *ListSchedules
	step     string
	jobs     []int // that have to be placed; the others are never placed
	weights  map[string]*big.Rat
	constant *big.Rat // part of the sum that is the same for all schedules
	exact    [][]listRates

	// On the grids.
	target   int128   // what is left to prove, rounded up
	lost     *big.Rat // by how much rounding may have lowered the least cost
	makespan int64    // price of the makespan of all clusters
	clusters []listCluster
}

// listCluster is a cluster as list schedules see it.
type listCluster struct {
	processors int64
	jobs       []listJob // by position among the jobs
	idle       int64     // price of its idle time
	byJobs     []listPrices
}

// listPrices are prices that grow with the number of jobs of the cluster, for mcp: of its makespan, idle time and time over deadlines.
type listPrices struct{ makespan, idle, over int64 }

// listJob is a job on a cluster, and what it costs there.
type listJob struct {
	size           int64 // processors; 0: it cannot run there
	head, low, top int64 // its earliest start; its time, rounded down and up
	fixed          int128
	wait, released int64 // price of the time from its arrival to its start
	steep, long    int64 // price of the time from long to its end
	over, due      int64 // price of the time over its deadline
	late           int128
	lateAfter      int64 // it costs late if it ends after that time
}

// listSchedules verifies a bound of the metric of the part, or of its sum.
func (f *facts) listSchedules(p *Part, goal *big.Rat, step string) error {
	l, err := f.listing(p, step)
	if err != nil {
		return err
	}
	switch {
	case l.constant.Cmp(goal) >= 0:
		return nil
	case len(l.jobs) == 0:
		return short(step, decimal(l.constant), goal)
	}
	unit := l.onGrids(goal)
	least, done := l.best()
	switch {
	case !done && l.ctx.Err() != nil:
		return doubt(step, "the check was cut off")
	case !done:
		return doubt(step, "too many lists of jobs")
	case least.below(l.target):
		value := least.big()
		value.Quo(value, unit)
		return short(step, decimal(value.Add(value, l.constant)), goal)
	}
	return nil
}

// listing looks at the jobs and what they cost.
func (f *facts) listing(p *Part, step string) (*listing, error) {
	l := &listing{facts: f, a: p.By.ListSchedules, step: step, weights: map[string]*big.Rat{}, constant: new(big.Rat)}
	for metric, weight := range p.Sum {
		l.weights[metric] = number(weight)
	}
	if p.Sum == nil {
		l.weights[p.Metric] = big.NewRat(1, 1)
	}
	for _, metric := range slices.Sorted(maps.Keys(l.weights)) {
		if !slices.Contains(Listed, metric) {
			return nil, refute(step, "it does not bound %s", quoted(metric))
		}
	}
	if err := l.covers(); err != nil {
		return nil, err
	}
	return l, l.rates()
}

// ListRounding is by how much rounding in the checker may lower what [ListSchedules] prove of a sum of metrics, up to the bound, so that a prover states no more. 0: nothing
// is rounded. +Inf: the checker does not cover the instance or was cut off, or rounding may decide which jobs are late.
func ListRounding(ctx context.Context, in *model.Instance, sum map[string]float64, bound float64) float64 {
	f := newFacts(ctx, in)
	if f.cut {
		return math.Inf(1)
	}
	l, err := f.listing(&Part{Sum: sum, By: &Argument{ListSchedules: &ListSchedules{}}}, "")
	if err != nil {
		return math.Inf(1)
	}
	if len(l.jobs) == 0 {
		return 0
	}
	if l.onGrids(number(bound)); l.lost == nil {
		return math.Inf(1)
	}
	lost, _ := l.lost.Float64()
	return 2 * lost
}

// covers says what is not covered.
func (l *listing) covers() error {
	in := l.in
	if l.a.Together && len(in.Clusters()) > mostAssigned {
		return doubt(l.step, "more than %d clusters together are not covered", mostAssigned)
	}
	for j := range in.Jobs() {
		switch {
		case l.never[j]:
			continue
		case !l.has[j]:
			return doubt(l.step, "instances with jobs that may be left out are not covered")
		case !l.isRectangle(j):
			return doubt(l.step, "instances with jobs that may release processors early or choose their number are not covered")
		}
		l.jobs = append(l.jobs, j)
	}
	between := max(0, len(in.Clusters())-2)
	for k := 0; k < len(l.jobs) && between <= mostListedTwice; k++ {
		between *= 3
	}
	if len(l.jobs) > mostListed || between > mostListedTwice {
		return doubt(l.step, "too many jobs and clusters")
	}
	for c := range in.Clusters() {
		if in.Clusters()[c].Processors > 1<<30 {
			return doubt(l.step, "more than %d processors are not covered", 1<<30)
		}
	}
	if in.Features()&model.BackgroundLoad != 0 {
		idle := slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { return c.Weights.IdleTime > 0 })
		for _, metric := range []string{"idle_time", "mean_slowdown", "bounded_slowdown", "mcp"} {
			if l.weights[metric] != nil && (metric != "mcp" || idle) {
				return doubt(l.step, "%s beside background load is not covered", metric)
			}
		}
	}
	return nil
}

// listRates is what a job costs on a cluster, exactly.
type listRates struct {
	fixed, wait, steep, long, over, late *big.Rat
}

// rates finds what each job costs on each cluster, and the constant.
func (l *listing) rates() error {
	dated := int64(0)
	for j := range l.in.Jobs() {
		if l.in.Jobs()[j].HasDeadline() {
			dated++
		}
	}
	missed := l.weight("missed")
	if dated > 0 {
		missed = new(big.Rat).Add(missed, new(big.Rat).Mul(l.weight("miss_rate"), big.NewRat(100, dated)))
	}
	for j, never := range l.never {
		if never {
			l.constant.Add(l.constant, l.weight("unfinished"))
			if l.in.Jobs()[j].HasDeadline() {
				l.constant.Add(l.constant, missed)
			}
		}
	}
	mean := func(metric string) *big.Rat {
		return new(big.Rat).Quo(l.weight(metric), big.NewRat(int64(len(l.jobs)), 1))
	}
	for c := range l.in.Clusters() {
		list := make([]listRates, len(l.jobs))
		for k, j := range l.jobs {
			if !l.alone[j][c] {
				continue
			}
			size, _ := l.in.Width(j, c)
			time, r := l.time(j, c), &list[k]
			if time.Sign() == 0 && l.weights["mean_slowdown"] != nil {
				return doubt(l.step, "mean_slowdown of jobs that take no time is not covered")
			}
			long := larger(time, big.NewRat(10, 1))
			r.wait, r.over, r.late = new(big.Rat).Add(mean("mean_response"), mean("mean_wait")), new(big.Rat), new(big.Rat)
			r.fixed = new(big.Rat).Mul(mean("mean_response"), time)
			r.fixed.Add(r.fixed, new(big.Rat).Add(mean("mean_slowdown"), mean("bounded_slowdown")))
			if l.weights["mean_slowdown"] != nil {
				r.wait.Add(r.wait, new(big.Rat).Quo(mean("mean_slowdown"), time))
			}
			r.steep, r.long = new(big.Rat).Quo(mean("bounded_slowdown"), long), new(big.Rat).Add(l.released(j), long)
			if l.weights["cost"] != nil {
				cost := new(big.Rat).Mul(l.weight("cost"), l.rate(j, c))
				r.fixed.Add(r.fixed, cost.Mul(cost, new(big.Rat).Mul(big.NewRat(int64(size), 1), time)))
			}
			if l.in.Jobs()[j].HasDeadline() {
				r.over, r.late = l.weight("over_deadline"), missed
			}
		}
		l.exact = append(l.exact, list)
	}
	return nil
}

// time is how long job j takes on cluster c.
func (l *listing) time(j, c int) *big.Rat {
	size, _ := l.in.Width(j, c)
	return number(l.in.DurationOn(j, c, size))
}

// drop forgets clusters on which a job alone costs as much as the goal. So a cluster on which it takes very long does not make the grid of times coarse.
func (l *listing) drop(goal *big.Rat) {
	for c := range l.exact {
		makespan, _, over := l.perCluster(c)
		for k, j := range l.jobs {
			r := &l.exact[c][k]
			if r.fixed == nil {
				continue
			}
			cost, end := new(big.Rat).Add(l.constant, r.fixed), new(big.Rat).Add(l.head[j], l.time(j, c))
			add := func(price, time *big.Rat) {
				if time.Sign() > 0 {
					cost.Add(cost, new(big.Rat).Mul(price, time))
				}
			}
			add(r.wait, new(big.Rat).Sub(l.head[j], l.released(j)))
			add(r.steep, new(big.Rat).Sub(end, r.long))
			add(makespan, end)
			add(l.weight("makespan"), end)
			if l.in.Jobs()[j].HasDeadline() {
				add(r.over, new(big.Rat).Sub(end, l.due(j)))
				add(over, new(big.Rat).Sub(end, l.due(j)))
				if end.Cmp(l.surely(j)) > 0 {
					cost.Add(cost, r.late)
				}
			}
			if cost.Cmp(goal) >= 0 {
				*r = listRates{}
			}
		}
	}
}

// weight is the weight of a metric; 0: it is none of the sum.
func (l *listing) weight(metric string) *big.Rat {
	if w := l.weights[metric]; w != nil {
		return w
	}
	return new(big.Rat)
}

// perCluster are the exact prices of mcp for each job that the cluster has.
func (l *listing) perCluster(c int) (makespan, idle, over *big.Rat) {
	w := l.in.Clusters()[c].Weights
	sum := new(big.Rat).Add(number(w.OverDeadline), new(big.Rat).Add(number(w.Makespan), number(w.IdleTime)))
	if sum.Sign() == 0 {
		return new(big.Rat), new(big.Rat), new(big.Rat)
	}
	share := new(big.Rat).Quo(l.weight("mcp"), sum.Mul(sum, big.NewRat(int64(len(l.jobs)), 1)))
	of := func(x float64) *big.Rat { return new(big.Rat).Mul(share, number(x)) }
	return of(w.Makespan), of(w.IdleTime), of(w.OverDeadline)
}

// prices are what a unit of time costs, of all kinds and of all jobs and clusters, and how often each may count at once; costs that are not of time are divided by
// the span of times.
func (l *listing) prices(span *big.Rat, yield func(times int64, price *big.Rat)) {
	jobs := int64(len(l.jobs))
	yield(1, l.weight("makespan"))
	for c := range l.in.Clusters() {
		processors := int64(l.in.Clusters()[c].Processors)
		makespan, idle, over := l.perCluster(c)
		yield(processors, l.weight("idle_time"))
		yield(jobs, makespan)
		yield(jobs*processors, idle)
		yield(jobs*jobs, over)
		for k := range l.exact[c] {
			if r := &l.exact[c][k]; r.fixed != nil {
				for _, x := range []*big.Rat{r.wait, r.steep, r.over, new(big.Rat).Quo(r.fixed, span), new(big.Rat).Quo(r.late, span)} {
					yield(1, x)
				}
			}
		}
	}
}

// factor makes prices whole multiples of a power of 1/2, as far as it stays small.
func (l *listing) factor() *big.Rat {
	const most = 1 << 24
	factor, one := int64(1), big.NewInt(1)
	l.prices(big.NewRat(1, 1), func(_ int64, price *big.Rat) {
		odd := new(big.Int).Rsh(price.Denom(), price.Denom().TrailingZeroBits())
		common := new(big.Int).GCD(nil, nil, odd, big.NewInt(factor))
		if odd.Quo(odd, common); odd.Cmp(one) > 0 && odd.Cmp(big.NewInt(most/factor)) <= 0 {
			factor *= odd.Int64()
		}
	})
	return big.NewRat(factor, 1)
}

// onGrids rounds times and prices to whole units, which can only lower the costs. It returns the number of units of cost in 1. No sum of costs takes more than
// 120 digits, as the grid of prices is for all of them together.
func (l *listing) onGrids(goal *big.Rat) (unit *big.Rat) {
	l.drop(goal)
	last, early := new(big.Rat), new(big.Rat)
	for _, j := range l.jobs {
		last = larger(last, l.head[j])
		if l.in.Jobs()[j].HasDeadline() {
			early = larger(early, new(big.Rat).Neg(l.due(j)))
		}
	}
	for k, j := range l.jobs {
		longest := new(big.Rat)
		for c := range l.exact {
			if l.exact[c][k].fixed != nil {
				longest = larger(longest, l.time(j, c))
			}
		}
		last = new(big.Rat).Add(last, longest)
	}
	span := new(big.Rat).Add(last, early)
	if span.Sign() == 0 {
		span.SetInt64(1)
	}
	factor, total := l.factor(), new(big.Rat)
	l.prices(span, func(times int64, price *big.Rat) { total.Add(total, new(big.Rat).Mul(big.NewRat(times, 1), price)) })
	if total.Sign() == 0 {
		total.SetInt64(1)
	}
	times, prices := gridFor(span, listDigits), gridFor(total.Mul(total, factor), listDigits)
	unit = new(big.Rat).Mul(times.inverse(), new(big.Rat).Mul(prices.inverse(), factor))
	var timesOff, pricesOff bool // something was rounded
	down := func(x *big.Rat) int64 {
		timesOff = timesOff || !times.scaled(x).IsInt()
		return times.down(x)
	}
	price := func(n int64, x *big.Rat) int64 {
		x = new(big.Rat).Mul(new(big.Rat).Mul(big.NewRat(n, 1), factor), x)
		pricesOff = pricesOff || !prices.scaled(x).IsInt()
		return prices.down(x)
	}
	whole := func(x *big.Rat) int128 { // a cost, rounded down
		x = new(big.Rat).Mul(x, unit)
		pricesOff = pricesOff || !x.IsInt()
		return whole128(new(big.Int).Quo(x.Num(), x.Denom()))
	}
	after := func(x *big.Rat) int64 { // a time from which on something costs more
		if x.Cmp(last) > 0 {
			return forever
		}
		return -down(new(big.Rat).Neg(x))
	}
	l.makespan = price(1, l.weight("makespan"))
	for c := range l.in.Clusters() {
		x := listCluster{processors: int64(l.in.Clusters()[c].Processors), idle: price(1, l.weight("idle_time")), jobs: make([]listJob, len(l.jobs))}
		makespan, idle, over := l.perCluster(c)
		for n := range int64(len(l.jobs)) + 1 {
			x.byJobs = append(x.byJobs, listPrices{price(n, makespan), price(n, idle), price(n, over)})
		}
		for k, j := range l.jobs {
			r := &l.exact[c][k]
			if r.fixed == nil {
				continue
			}
			size, _ := l.in.Width(j, c)
			time := l.time(j, c)
			job := listJob{size: int64(size), head: down(l.head[j]), low: down(time), top: times.up(time), fixed: whole(r.fixed),
				wait: price(1, r.wait), released: after(l.released(j)), steep: price(1, r.steep), long: after(r.long), due: forever, lateAfter: forever}
			if l.in.Jobs()[j].HasDeadline() {
				job.over, job.due = price(1, r.over), after(l.due(j))
				if late := l.surely(j); late.Cmp(last) <= 0 {
					job.late, job.lateAfter = whole(r.late), times.down(late) // an end that is rounded down lies after that, so it lies after late
				}
			}
			x.jobs[k] = job
		}
		l.clusters = append(l.clusters, x)
	}
	l.lost = l.rounding(span, total.Quo(total, factor), timesOff, pricesOff)
	left := new(big.Rat).Mul(new(big.Rat).Sub(goal, l.constant), unit)
	if target := ceiling(left); target.BitLen() < 126 {
		l.target = whole128(target)
	} else {
		l.target = int128{high: math.MaxInt64 / 2} // above all costs
	}
	return unit
}

// rounding is by how much rounding lowers the costs at most: an end by a unit for each job and two more, at all prices, and each price by a unit, for the span of
// times. A unit is less than 2^(1−listDigits) of the span, or of all prices together. It is nil where rounding may decide which jobs are late: provers allow for
// a ten-billionth of the end more than surely does.
func (l *listing) rounding(span, total *big.Rat, timesOff, pricesOff bool) *big.Rat {
	count := new(big.Rat)
	if timesOff {
		count.SetInt64(int64(len(l.jobs)) + 2)
		short := new(big.Rat).Mul(span, big.NewRat(2, 1_000_000))
		for _, j := range l.jobs {
			late := l.weights["missed"] != nil || l.weights["miss_rate"] != nil
			if due := l.in.Jobs()[j].HasDeadline(); late && due && new(big.Rat).Add(new(big.Rat).Abs(l.due(j)), l.end(j)).Cmp(short) < 0 {
				return nil
			}
		}
	}
	if pricesOff {
		l.prices(span, func(times int64, _ *big.Rat) { count.Add(count, big.NewRat(times, 1)) })
	}
	lost := new(big.Rat).Mul(new(big.Rat).Mul(span, total), big.NewRat(1, 1<<(listDigits-1)))
	return lost.Mul(lost, count)
}

// surely is the time after which job j is late, whatever the model tolerates: an end e with e − d > t·(|d| + e) + s·(|deadline| + |a₀| + e), where d is the
// deadline and a₀ the earliest arrival.
func (l *listing) surely(j int) *big.Rat {
	d, deadline := l.due(j), new(big.Rat).Abs(number(l.in.Jobs()[j].Deadline))
	s := big.NewRat(int64(3+len(l.in.Jobs())), 1<<52)
	sum := new(big.Rat).Add(d, new(big.Rat).Mul(tolerated, new(big.Rat).Abs(d)))
	sum.Add(sum, new(big.Rat).Mul(s, deadline.Add(deadline, new(big.Rat).Abs(l.first))))
	return sum.Quo(sum, new(big.Rat).Sub(big.NewRat(1, 1), new(big.Rat).Add(tolerated, s)))
}

// best is the least that a schedule costs, or the target if none costs less. It is false if there are too many lists.
func (l *listing) best() (least int128, done bool) {
	if l.a.Together {
		list := make([]int, len(l.clusters))
		for c := range list {
			list[c] = c
		}
		g := newListGrowth(l, list)
		least = l.target
		done = g.grow(func(s *listState) {
			if x := g.total(s); x.below(least) && g.jobsOf(s) == len(l.jobs) {
				least = x
			}
		})
		return least, done
	}
	shares := &listShares{listing: l}
	for c := range l.clusters {
		if !shares.add(c) {
			return least, false
		}
	}
	return shares.least(), true
}

// cost is what the job costs if it starts then.
func (x *listJob) cost(start int64) int128 {
	end := start + x.low
	sum := x.fixed.plus(product(x.wait, start-x.released))
	if end > x.long {
		sum = sum.plus(product(x.steep, end-x.long))
	}
	if end > x.due {
		sum = sum.plus(product(x.over, end-x.due))
	}
	if end > x.lateAfter {
		sum = sum.plus(x.late)
	}
	return sum
}
