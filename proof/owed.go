package proof

import (
	"fmt"
	"math/big"
)

// This file verifies that some jobs of a set are owed, because they would hold more in an interval than machines have.

// exclude raises the number of jobs owed by sets of jobs that exclude each other. All jobs have to be owed. A schedule that owes no more may leave out any jobs of
// the sets, as many as it must, and no other job that some schedule can place.
func (f *facts) exclude(sets []OwedSet) error {
	for k := range sets {
		step := fmt.Sprintf("owed_by[%d]", k)
		least, err := f.leftOf(&sets[k], step)
		if err != nil {
			return err
		}
		f.owed += least
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
		if !f.in.Owes(j) || f.never[j] || !job.DeadlineHard || !job.HasDeadline() || job.Node().Running != nil {
			return 0, refute(at, "expected a job with a hard deadline that is owed, that some schedule may place and that does not run already")
		}
		f.free[j] = true
	}
	if set.By == nil {
		return 0, refute(step+".by", "expected prices")
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
