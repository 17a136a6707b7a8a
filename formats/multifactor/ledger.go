package multifactor

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"time"
)

// Ledger keeps the usage of associations up to date, in passes. Times may not fall.
type Ledger struct {
	*Tree
	// Clock is the date of a time; it is needed where usage is forgotten at bounds of the calendar.
	Clock func(at float64) time.Time

	last   float64 // time of the last pass
	passed bool    // there was one
	decay  float64
	runs   []Run // by number
	reset  time.Time
}

// Run is a job that runs.
type Run struct {
	Number      int64 // in the order of submission
	Association int   // −1: none, so that nothing is charged
	Start       float64
	Billing     float64 // see [Calculator.Billing]
	UsageFactor float64 // of the quality of service
}

// Waiting is a job that waits.
type Waiting struct {
	Number      int64 // in the order of submission
	Association int
}

// NewLedger makes a ledger. Where usage is forgotten at bounds of the calendar, a nil clock is an error.
func NewLedger(tree *Tree, clock func(at float64) time.Time) (*Ledger, error) {
	if tree.Reset > Now && clock == nil {
		return nil, errors.New("multifactor: PriorityUsageResetPeriod needs the dates of times")
	}
	return &Ledger{Tree: tree, Clock: clock, decay: tree.Settings.decay()}, nil
}

// find is where the run of a number is, or would be.
func (l *Ledger) find(number int64) (int, bool) {
	return slices.BinarySearchFunc(l.runs, number, func(r Run, number int64) int { return cmp.Compare(r.Number, number) })
}

// Begin notes that a job runs. O(r) for r running jobs.
func (l *Ledger) Begin(run Run) {
	at, _ := l.find(run.Number)
	l.runs = slices.Insert(l.runs, at, run)
}

// End notes that a job has ended, and charges what it has used since the last pass. O(r) for r running jobs.
func (l *Ledger) End(number int64, at float64) {
	if k, runs := l.find(number); runs {
		l.charge(&l.runs[k], at)
		l.runs = slices.Delete(l.runs, k, k+1)
	}
}

// charge charges what a job has used since the last pass. As in Slurm, it decays from its beginning.
func (l *Ledger) charge(r *Run, until float64) {
	used := max(until-max(l.last, r.Start), 0)
	l.Tree.charge(r.Association, used*math.Pow(l.decay, used)*r.Billing*r.UsageFactor)
}

// Pass brings the usage and the factors up to a time. With the classic algorithm a user's effective usage is that of the moment at which the pass comes to the first waiting
// job of the user, in the order of submission; so the jobs must be given in this order where it matters. Without them it is that of the first question for the user's
// factor. O(n·log n + r + w) for n associations, r running jobs and w waiting ones.
func (l *Ledger) Pass(at float64, waiting []Waiting) {
	l.forget(at)
	if l.Classic {
		l.settle(root)
	}
	if l.passed && at > l.last {
		if by := max(math.Pow(l.decay, at-l.last), smallest); by < 1 {
			l.scale(by)
		}
	}
	switch {
	case !l.Classic:
		for k := range l.runs {
			l.charge(&l.runs[k], at)
		}
		l.rankAll()
	case l.passed && at > l.last:
		l.inOrder(at, waiting)
	}
	l.last, l.passed = at, true
}

// smallest is the least part of usage that a pass leaves.
const smallest = 0x1p-1022

// inOrder goes through the jobs in the order of submission: each running one is charged for, and each waiting one asks for the factor of its user.
func (l *Ledger) inOrder(at float64, waiting []Waiting) {
	for k := range l.runs {
		r := &l.runs[k]
		for len(waiting) > 0 && waiting[0].Number < r.Number {
			l.Factor(waiting[0].Association)
			waiting = waiting[1:]
		}
		if l.charge(r, at); l.CalculateRunning {
			l.Factor(r.Association)
		}
	}
	for _, w := range waiting {
		l.Factor(w.Association)
	}
}

// forget forgets all usage where the calendar says so.
func (l *Ledger) forget(at float64) {
	switch {
	case l.Reset == Never:
		return
	case l.Reset == Now:
		if !l.passed {
			l.scale(0)
		}
		return
	}
	now := l.Clock(at)
	if l.reset.IsZero() {
		l.reset = l.Reset.next(now, now)
	}
	if !now.Before(l.reset) {
		l.scale(0)
		l.reset = l.Reset.next(l.reset, now)
	}
}
