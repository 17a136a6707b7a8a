package proof

import (
	"math/big"
	"slices"
	"sort"
)

// This file verifies that moldable jobs need more processor time within a makespan than there is.

// moldableNeed is what a job needs of processor time within a makespan: least with the long parts that it must have, less with more of them.
type moldableNeed struct {
	least  *big.Rat
	saving *big.Rat // what one more long part saves; nil: nothing
	more   *big.Rat // the number of long parts that save
}

// moldable is the makespan, if it is refuted.
//
// Call the part of a job on one processor long if it takes more than half of the makespan. All long parts run at half the makespan, so there are at most as
// many of them as processors. A job with few long parts needs more processors, and so more overheads.
func (f *facts) moldable(a *Moldable, step string) (*big.Rat, error) {
	clusters := f.in.Clusters()
	if len(clusters) != 1 || !clusters[0].Uniform || clusters[0].WholeMachines {
		return nil, doubt(step, "instances are covered that have one cluster, of equal processors that are allocated one by one")
	}
	if len(f.must) == 0 {
		return nil, refute(step, "expected a job")
	}
	makespan := number(a.Makespan)
	processors := big.NewRat(int64(clusters[0].Processors), 1)
	longs, area := 0, new(big.Rat)
	var savings []moldableNeed
	for _, j := range f.must {
		need, required, possible := f.moldableNeed(j, a.Makespan)
		if !possible {
			return makespan, nil // the job does not end in time however it runs
		}
		longs += required
		if area.Add(area, need.least); need.saving != nil {
			savings = append(savings, need)
		}
	}
	left := processors.Sub(processors, big.NewRat(int64(longs), 1))
	if left.Sign() < 0 {
		return makespan, nil
	}
	slices.SortStableFunc(savings, func(a, b moldableNeed) int { return b.saving.Cmp(a.saving) })
	for _, need := range savings {
		more := need.more
		if left.Cmp(more) < 0 {
			more = left
		}
		area.Sub(area, new(big.Rat).Mul(more, need.saving))
		left = new(big.Rat).Sub(left, more)
	}
	capacity := new(big.Rat).Mul(makespan, big.NewRat(int64(clusters[0].Processors), 1))
	if area.Cmp(capacity) <= 0 {
		return nil, refute(step, "the jobs need %s of %s: the makespan is not refuted", decimal(area), decimal(capacity))
	}
	return makespan, nil
}

// moldableNeed is what job j needs within the makespan, and how many long parts it has at least. It returns false if the job does not end in time.
func (f *facts) moldableNeed(j int, makespan float64) (need moldableNeed, required int, possible bool) {
	in, job, machine := f.in, &f.in.Jobs()[j], &f.in.Clusters()[0].Machines[0]
	given, _ := f.places.gives(j, 0)
	least, most := in.Width(j, 0)
	most = min(most, given, job.Tasks)
	least = min(least, most) // processors without a task do not count
	transfer := in.Transfer(j, machine.Bandwidth)
	share := job.Tasks - least + 1 // the most tasks of one processor, if each has one
	within := func(late func(busy float64) bool) int {
		return sort.Search(share, func(k int) bool { return late(in.Busy(j, 0, machine.Speed, k+1)) })
	}
	long := within(func(busy float64) bool { return busy+transfer > makespan })
	short := min(long, within(func(busy float64) bool { return 2*busy > makespan }))
	if long == 0 || job.Tasks > long*most {
		return need, 0, false
	}
	held, _ := f.held(j, 0)
	overhead := number(in.Busy(j, 0, machine.Speed, 0))
	work := new(big.Rat).Mul(number(float64(job.Tasks)), number(job.Work))
	work.Quo(work, number(machine.Speed))
	if job.StatesRuntimes() {
		work.Mul(number(float64(job.Tasks)), number(in.Busy(j, 0, machine.Speed, 1)))
	}
	takes := func(parts *big.Rat) *big.Rat { // on that many processors
		x := new(big.Rat).Mul(parts, overhead)
		return larger(held, x.Mul(x.Add(x, work), rounded))
	}
	fewest := big.NewRat(int64(max(least, (job.Tasks+long-1)/long)), 1)
	if short == 0 {
		return moldableNeed{least: takes(fewest)}, int(fewest.Num().Int64()), true
	}
	if gain := long - short; gain > 0 {
		required = max(0, (job.Tasks-most*short+gain-1)/gain)
	}
	parts := big.NewRat(int64(job.Tasks-required*(long-short)), int64(short))
	need.least = takes(larger(fewest, parts))
	if long == short || overhead.Sign() == 0 || parts.Cmp(fewest) <= 0 {
		return need, required, true
	}
	if saved := new(big.Rat).Sub(need.least, takes(fewest)); saved.Sign() > 0 {
		need.saving = new(big.Rat).Mul(overhead, big.NewRat(int64(long-short), int64(short)))
		need.saving.Mul(need.saving, rounded)
		need.more = saved.Quo(saved, need.saving)
	}
	return need, required, true
}
