package proof

import (
	"fmt"
	"math/big"
	"slices"
)

// This file verifies that some jobs of a set are owed, because they would hold more in an interval than machines have, or because their windows exclude each other.

// exclude raises the number of jobs owed by sets of jobs that exclude each other, all of which have to be owed. A schedule that owes no more may leave out any jobs of
// the sets, as many as it must, and no other job that some schedule can place.
func (f *facts) exclude(sets []OwedSet) error {
	for k := range sets {
		step := fmt.Sprintf("owed_by[%d]", k)
		least, err := f.leftOf(&sets[k], step)
		if err != nil {
			return err
		}
		f.owed, f.lefts = f.owed+least, append(f.lefts, least)
	}
	if len(sets) > 0 {
		f.oblige()
	}
	return nil
}

// leftOf is how many jobs of the set are left out at least. The jobs are free from then on.
func (f *facts) leftOf(set *OwedSet, step string) (int, error) {
	for k, j := range set.Jobs {
		at := fmt.Sprintf("%s.jobs[%d]", step, k)
		switch {
		case j < 0 || j >= len(f.has):
			return 0, refute(at, "the instance has no job %d", j)
		case k > 0 && j <= set.Jobs[k-1]:
			return 0, refute(at, "expected ascending positions, found %d after %d", j, set.Jobs[k-1])
		case f.free[j]:
			return 0, refute(at, "job %d is in two sets", j)
		}
		job := &f.in.Jobs()[j]
		_, limited := f.endBy(j)
		if !f.in.Owes(j) || f.never[j] || !limited || set.By != nil && !job.DeadlineHard || job.Node().Running != nil {
			return 0, refute(at, "expected a job that has to end by a time and is owed, that some schedule may place and that does not run already")
		}
		f.free[j] = true
	}
	switch {
	case set.By != nil && set.Windows != nil:
		return 0, refute(step, "expected prices or windows, found both")
	case set.Windows != nil:
		return 1, f.without(set, step+".windows")
	case set.By == nil:
		return 0, refute(step+".by", "expected prices or windows")
	}
	r, err := f.machineRates(set.By, step+".by")
	if err != nil {
		return 0, err
	}
	from, to := number(set.By.From), number(set.By.To)
	if from.Cmp(to) >= 0 {
		return 0, refute(step+".by", "expected an interval, found one from %v to %v", set.By.From, set.By.To)
	}
	sum := r.worthBetween(from, to)
	sum.Neg(sum)
	for _, j := range set.Jobs {
		x := r.pays(j, func(c int) (*big.Rat, bool) { return r.inTime(j, c, from, to) })
		if x == nil {
			continue
		}
		if one := big.NewRat(1, 1); one.Cmp(x) < 0 {
			x = one
		}
		sum.Add(sum, x)
	}
	if sum.Sign() <= 0 {
		return 0, refute(step+".by", "the jobs hold no more than there is")
	}
	return int(ceiling(sum).Int64()), nil
}

// without verifies that no schedule places all jobs of the set: their windows and those of the jobs that they wait for lead to a contradiction, however late the schedule ends.
func (f *facts) without(set *OwedSet, step string) error {
	all := *f
	all.has, all.must, all.all = make([]bool, len(f.has)), nil, false
	for _, j := range set.Jobs {
		all.has[j] = true
	}
	for _, j := range slices.Backward(f.order) { // those that wait come first
		all.has[j] = all.has[j] || slices.ContainsFunc(f.in.Successors(j), func(next int) bool { return all.has[next] })
	}
	for j, has := range all.has {
		if has {
			all.must = append(all.must, j)
		}
	}
	all.limit()
	w, err := all.narrowed(set.Windows, step)
	if err != nil {
		return err
	}
	for _, j := range all.must {
		if w.latest[j] > int64(set.Windows.Makespan) {
			return refute(step+".makespan", "job %d may end later, at %d", j, w.latest[j])
		}
	}
	return w.refutes()
}
