package proof

import (
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// eachAlone adds up what is known of each job alone: it does not end before its head and its least time, nor cost less than its price.
func (f *facts) eachAlone(metric, step string) (*big.Rat, error) {
	sum, jobs := new(big.Rat), f.in.Jobs()
	number := func(holds func(j int) bool) int64 {
		count := int64(0)
		for j := range jobs {
			if holds(j) {
				count++
			}
		}
		return count
	}
	one := func(holds func(j int) bool) *big.Rat { return sum.SetInt64(min(1, number(holds))) }
	takesTime := func(j int) bool { return f.has[j] && f.least[j].Sign() > 0 }
	missed := func(j int) bool { return jobs[j].HasDeadline() && (f.never[j] || f.surelyLate(j, jobs[j].Deadline)) }
	switch metric {
	case "mean_response":
		return f.leastMean(func(j int) *big.Rat { return new(big.Rat).Sub(f.end(j), f.released(j)) }), nil
	case "mean_wait":
		return f.leastMean(func(j int) *big.Rat { return new(big.Rat).Sub(f.head[j], f.released(j)) }), nil
	case "mcp":
		return f.leastMean(f.leastPerformance), nil
	case "mean_slowdown":
		return one(takesTime), nil
	case "slowdown_without_deadline":
		return one(func(j int) bool { return takesTime(j) && !jobs[j].HasDeadline() }), nil
	case "bounded_slowdown":
		return one(func(j int) bool { return f.has[j] }), nil
	case "over_deadline":
		for _, j := range f.must {
			sum.Add(sum, f.excess(j, f.end(j)))
		}
		return sum, nil
	case "missed":
		return sum.SetInt64(number(missed)), nil
	case "miss_rate":
		if due := number(func(j int) bool { return jobs[j].HasDeadline() }); due > 0 {
			sum.SetFrac64(100*number(missed), due)
		}
		return sum, nil
	case "unfinished":
		return sum.SetInt64(number(func(j int) bool { return f.never[j] })), nil
	case "finished", "data_moved", "work_done":
		for _, j := range f.must {
			sum.Add(sum, f.amount(metric, j))
		}
		return sum, nil
	case "cost":
		for _, j := range f.must {
			sum.Add(sum, f.price(j))
		}
		return sum, nil
	case "over_budget":
		return sum.SetInt64(number(func(j int) bool { return f.has[j] && jobs[j].HasBudget() && exceeds(f.sure(j), jobs[j].Budget) })), nil
	case "workflow_failures":
		for k := range f.in.Workflows() {
			if f.fails(&f.in.Workflows()[k]) {
				sum.Add(sum, big.NewRat(1, 1))
			}
		}
		return sum, nil
	}
	return nil, refute(step, "it does not bound %s", quoted(metric))
}

// leastMean is the least mean of a value over the jobs that have to be placed and any others that some schedule may place; 0 where no job has to be placed.
func (f *facts) leastMean(value func(j int) *big.Rat) *big.Rat {
	sum, count := new(big.Rat), int64(len(f.must))
	var others []*big.Rat
	for j := range f.in.Jobs() {
		switch {
		case f.has[j]:
			sum.Add(sum, value(j))
		case !f.never[j] && count > 0:
			others = append(others, value(j))
		}
	}
	slices.SortFunc(others, (*big.Rat).Cmp)
	for _, x := range others {
		if new(big.Rat).Mul(x, big.NewRat(count, 1)).Cmp(sum) >= 0 {
			break
		}
		sum.Add(sum, x)
		count++
	}
	return sum.Quo(sum, big.NewRat(max(1, count), 1))
}

// leastPerformance is the least comprehensive performance that job j leaves any cluster which runs it.
func (f *facts) leastPerformance(j int) *big.Rat {
	var least *big.Rat
	for c := range f.in.Clusters() {
		time, runs := f.timeOn(j, c)
		if !runs {
			continue
		}
		w, x := f.in.Clusters()[c].Weights, new(big.Rat)
		if all := new(big.Rat).Add(number(w.OverDeadline), number(w.Makespan)); all.Add(all, number(w.IdleTime)).Sign() > 0 {
			end := time.Add(time, f.head[j])
			x.Mul(number(w.Makespan), end)
			x.Add(x, new(big.Rat).Mul(number(w.OverDeadline), f.excess(j, end)))
			x.Quo(x, all)
		}
		if least == nil || x.Cmp(least) < 0 {
			least = x
		}
	}
	return least
}

// excess is by how much a job that ends then exceeds its deadline.
func (f *facts) excess(j int, end *big.Rat) *big.Rat {
	if !f.in.Jobs()[j].HasDeadline() {
		return new(big.Rat)
	}
	return larger(new(big.Rat), new(big.Rat).Sub(end, f.due(j)))
}

// released is the arrival of job j, counted from the earliest.
func (f *facts) released(j int) *big.Rat {
	return new(big.Rat).Sub(number(f.in.Jobs()[j].Arrival), f.first)
}

// due is the deadline of job j, which must have one, counted from the earliest arrival.
func (f *facts) due(j int) *big.Rat {
	return new(big.Rat).Sub(number(f.in.Jobs()[j].Deadline), f.first)
}

// surelyLate says that job j ends after the deadline in every schedule by more than what the model tolerates. Durations may differ by [model.Tolerance],
// points in time by the rounding of their numbers: an end is late if it exceeds the deadline by more than twice the spacing of float64 numbers there, and
// each job of a chain may be shorter by one spacing.
func (f *facts) surelyLate(j int, deadline float64) bool {
	due := new(big.Rat).Sub(number(deadline), f.first)
	return f.end(j).Cmp(due.Add(due, f.slack(j, deadline))) > 0
}

// slack is by how much job j may end after the deadline without being late, if its chain is as short as the model tolerates.
func (f *facts) slack(j int, deadline float64) *big.Rat { return f.slackOf(j, deadline, f.chain[j]) }

// slackOf is by how much job j may end after the deadline if all the time before is as short as the model tolerates, and so are the roundings of a number of jobs.
func (f *facts) slackOf(j int, deadline float64, jobs int) *big.Rat {
	end, due := f.end(j), new(big.Rat).Sub(number(deadline), f.first)
	size := due.Abs(due)
	allowed := size.Mul(size.Add(size, end), tolerated)
	clock := new(big.Rat).Abs(number(deadline))
	clock.Add(clock, new(big.Rat).Abs(f.first))
	clock.Mul(clock.Add(clock, end), big.NewRat(int64(3+jobs), 1<<52))
	return allowed.Add(allowed, clock)
}

// tolerated is a little less than twice the tolerance of the model, of which provers allow twice, in floating point.
var tolerated = number(1.9 * model.Tolerance)

// spacings is four times the largest distance of float64 numbers, relative to a number.
var spacings = number(4 * 0x1p-52)

// neverPlaced lists the jobs that no schedule can place: nothing can run them, they surely miss a hard deadline or the end of the horizon, or they wait for such a job.
func (f *facts) neverPlaced() []bool {
	never := make([]bool, len(f.has))
	for _, j := range f.order {
		job := &f.in.Jobs()[j]
		never[j] = f.least[j] == nil || f.head[j] == nil // no cluster runs it, or no time is left
		for _, before := range job.After {
			never[j] = never[j] || never[before]
		}
		if by, stated := f.endBy(j); stated {
			never[j] = never[j] || f.surelyLate(j, by)
		}
	}
	return never
}

// price is the least that job j costs, wherever it runs.
func (f *facts) price(j int) *big.Rat {
	var least *big.Rat
	for c := range f.in.Clusters() {
		if x, runs := f.held(j, c); runs {
			if x.Mul(x, f.rate(j, c)); least == nil || x.Cmp(least) < 0 {
				least = x
			}
		}
	}
	return least
}

// rate is the least cost of the processor time of [facts.held] on the cluster. Where speeds differ that time is at the highest speed, and a slower processor
// holds more of it for the same work.
func (f *facts) rate(j, c int) *big.Rat {
	var least *big.Rat
	job, cluster := &f.in.Jobs()[j], &f.in.Clusters()[c]
	speed, _ := fastest(cluster)
	for g := range cluster.Machines {
		m := &cluster.Machines[g]
		if f.places.holds(j, c, m) == 0 {
			continue
		}
		x := number(m.Cost)
		if !cluster.Uniform && !job.StatesRuntimes() {
			x.Mul(x, number(speed))
			x.Quo(x, number(m.Speed))
		}
		if least == nil || x.Cmp(least) < 0 {
			least = x
		}
	}
	return least
}

// sure is a cost that job j exceeds even if the checker accepts somewhat shorter durations.
func (f *facts) sure(j int) *big.Rat {
	if f.least[j].Sign() == 0 {
		return new(big.Rat)
	}
	clock := new(big.Rat).Abs(f.first)
	clock.Mul(clock.Add(clock, f.end(j)), spacings)
	clock.Quo(clock, f.least[j])
	share := big.NewRat(999_999_998, 1_000_000_000)
	share = larger(new(big.Rat), share.Sub(share, clock))
	return share.Mul(share, f.price(j))
}

// exceeds says that a cost is above a budget, +Inf for none.
func exceeds(cost *big.Rat, budget float64) bool {
	return budget <= math.MaxFloat64 && cost.Cmp(number(budget)) > 0
}

// fails says that the workflow fails in every schedule. It does not matter whether its jobs have to be placed, because it fails without one of them too.
func (f *facts) fails(w *model.Workflow) bool {
	if slices.ContainsFunc(w.Jobs, func(j int) bool { return f.never[j] || w.Deadline <= math.MaxFloat64 && f.surelyLate(j, w.Deadline) }) {
		return true
	}
	cost := new(big.Rat)
	for _, j := range w.Jobs {
		cost.Add(cost, f.sure(j))
	}
	return exceeds(cost, w.Budget)
}
