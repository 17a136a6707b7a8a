package proof

import (
	"fmt"
	"math"
	"math/big"

	"github.com/allot-opt/allot/model"
)

// This file verifies that a makespan is too short: what the jobs' windows come to, step by step, is a contradiction.

// The codes of steps. Each is followed by as many numbers as stepSize says.
const (
	stepPrecedence = iota // a job, and one that waits for it or the end
	stepPair              // a pair
	stepClause            // a clause
	stepTime              // a resource, a time
	stepInterval          // a resource, the begin and the end of an interval
	stepKinds
)

var stepSize = [stepKinds]int{2, 1, 1, 2, 3}

// mostTime limits times in units, mostNeeds what all jobs need of a resource together, so that no sum leaves int64.
const (
	mostTime  = 1 << 30
	mostNeeds = 1 << 31
)

// windows is a problem in whole units of time: jobs, each with a window for its start. Number n, the number of all jobs, stands for the end of the schedule, and
// numbers from n + 1 on for pairs of jobs that cannot overlap: such a number is 1 if the first of the pair comes first, else 0.
type windows struct {
	*facts
	a         *Windows
	step      string
	off       *big.Rat // the makespan is refuted but for so much
	length    []int64  // by job
	low, high []int64  // by number: the least and the largest start
	latest    []int64  // by job: the latest end by its own limit and those of the jobs that wait for it, whatever the makespan
	empty     bool     // a number has nothing left: a contradiction
	resources []windowResource
	follows   [][]uint64 // by job: the jobs that it waits for, as bits; see waits
	changes   []change   // of what is assumed
	assuming  bool
	work      int // looks at jobs since the last look at the context
}

// change is what a window was before.
type change struct {
	of        int
	low, high int64
}

// windowResource is something that jobs hold from their start to their end, never more than its capacity.
type windowResource struct {
	capacity int64
	uses     []windowUse
}

// windowUse is what a job of some length holds.
type windowUse struct {
	job  int
	need int64
}

// windows is the makespan that follows from the refuted one, in the time of the instance.
func (f *facts) windows(a *Windows, step string) (*big.Rat, error) {
	w, err := f.narrowed(a, step)
	if err != nil {
		return nil, err
	}
	if err := w.refutes(); err != nil {
		return nil, err
	}
	proved := new(big.Rat).Mul(big.NewRat(int64(a.Makespan)+1, 1), number(a.Unit))
	return proved.Sub(proved, w.off), nil
}

// narrowed is the windows before any of them is narrowed, with what is said of resources and pairs.
func (f *facts) narrowed(a *Windows, step string) (*windows, error) {
	unit, off := number(a.Unit), new(big.Rat)
	if unit.Sign() <= 0 {
		return nil, refute(step+".unit", "expected a unit above 0")
	}
	if len(f.must) == 0 {
		return nil, refute(step, "expected a job")
	}
	if !f.areRectangles() {
		return nil, doubt(step, "instances with jobs that may release processors early or choose their number are not covered")
	}
	if a.Nearest {
		distance := f.offStep(unit, false)
		if f.in.LaterMayBeBetter() || distance.Sign() > 0 && f.in.Features()&model.ClosedTimes != 0 {
			return nil, doubt(step+".nearest", "instances are not covered in which a job may have to start later than it could, or times are no multiples beside closed times")
		}
		off.Mul(big.NewRat(int64(len(f.in.Jobs()))+1, 1), distance)
	}
	w := &windows{facts: f, a: a, step: step, off: off}
	if err := w.start(unit, off); err != nil {
		return nil, err
	}
	return w, w.prepare()
}

// start sets the lengths of the jobs, and the windows to what follows from arrivals, latest ends, precedence and the makespan. Latest ends are later by what the times are off.
func (w *windows) start(unit, off *big.Rat) error {
	n := len(w.in.Jobs())
	size := n + 1 + len(w.a.Pairs)/2
	w.length, w.low, w.high, w.latest = make([]int64, size), make([]int64, size), make([]int64, size), make([]int64, n)
	total := int64(w.a.Makespan)
	for _, j := range w.must {
		length, ok := w.units(w.least[j], unit)
		head, fits := w.units(w.released(j), unit)
		if total += length + head; !ok || !fits || total > mostTime {
			return doubt(w.step+".unit", "the times come to more than %d units", mostTime)
		}
		w.length[j], w.low[j] = length, head
	}
	for _, j := range w.order {
		for _, before := range w.in.Jobs()[j].After {
			if w.has[j] {
				w.low[j] = max(w.low[j], w.low[before]+w.length[before])
			}
		}
		if w.has[j] {
			w.low[n] = max(w.low[n], w.low[j]+w.length[j])
		}
	}
	w.high[n] = int64(w.a.Makespan)
	for k := n - 1; k >= 0; k-- {
		j := w.order[k]
		end, latest := int64(w.a.Makespan), int64(math.MaxInt64)
		if w.last[j] != nil {
			last := new(big.Rat).Add(w.last[j], off)
			last.Quo(last, unit)
			if units := new(big.Int).Div(last.Num(), last.Denom()); units.IsInt64() {
				latest = units.Int64()
			}
		}
		for _, next := range w.in.Successors(j) {
			if w.has[next] {
				end, latest = min(end, w.high[next]), min(latest, w.latest[next]-w.length[next])
			}
		}
		w.high[j], w.latest[j] = min(end, latest)-w.length[j], latest
	}
	for p := range len(w.a.Pairs) / 2 {
		w.high[n+1+p] = 1
	}
	for _, j := range w.must {
		w.empty = w.empty || w.low[j] > w.high[j]
	}
	return nil
}

// units is a time in whole units, rounded; false: it is beyond what is covered.
func (w *windows) units(t, unit *big.Rat) (units int64, ok bool) {
	x := new(big.Rat).Quo(t, unit)
	if w.a.Nearest {
		x.Add(x, big.NewRat(1, 2))
	}
	whole := new(big.Int).Div(x.Num(), x.Denom())
	return whole.Int64(), whole.IsInt64() && whole.Int64() <= mostTime
}

// refutes goes through the lemmas. One without a clause moves the windows for good; one with a clause assumes the contrary of the clause, which has to
// lead to a contradiction.
func (w *windows) refutes() error {
	for k := range w.a.Lemmas {
		if w.empty {
			return nil
		}
		lemma, at := &w.a.Lemmas[k], fmt.Sprintf("%s.lemmas[%d]", w.step, k)
		if len(lemma.Clause) == 0 {
			if err := w.take(lemma.Steps, k, at+".steps"); err != nil {
				return err
			}
			continue
		}
		if len(lemma.Clause)%2 != 0 {
			return refute(at+".clause", "expected two numbers for each literal")
		}
		w.assuming = true
		for i := 0; i < len(lemma.Clause); i += 2 {
			of, value, upper, err := w.literal(lemma.Clause[i:], fmt.Sprintf("%s.clause[%d]", at, i))
			if err != nil {
				return err
			}
			if upper {
				w.raise(of, value+1)
			} else {
				w.lower(of, value-1)
			}
		}
		if err := w.take(lemma.Steps, k, at+".steps"); err != nil {
			return err
		}
		if !w.empty {
			return refute(at, "the steps do not lead from the contrary of the clause to a contradiction")
		}
		w.undo()
	}
	if !w.empty {
		return refute(w.step, "the lemmas do not lead to a contradiction")
	}
	return nil
}

// literal is the literal of which these are the numbers: that number of has at most the value, or else at least.
func (w *windows) literal(numbers []int, step string) (of int, value int64, upper bool, err error) {
	of, value, upper = numbers[0]/2, int64(numbers[1]), numbers[0]%2 == 1
	if of >= len(w.low) || of < len(w.in.Jobs()) && !w.has[of] {
		return 0, 0, false, refute(step, "expected the number of a job that has to be placed, of the end or of a pair, found %d", of)
	}
	return of, value, upper, nil
}

// take goes through steps until there is a contradiction. Clauses of lemmas before the given one may be used.
func (w *windows) take(steps []int, lemma int, at string) error {
	for k := 0; k < len(steps) && !w.empty; {
		code, wrong := steps[k], "expected a step"
		if code < stepKinds && k+stepSize[code] < len(steps) {
			wrong = w.look(code, steps[k+1:], lemma)
		}
		if wrong != "" {
			return refute(fmt.Sprintf("%s[%d]", at, k), "%s", wrong)
		}
		k += 1 + stepSize[code]
		const mostWork = 1 << 18 // between two looks at the context
		if w.work++; w.work > mostWork {
			if w.work = 0; w.ctx.Err() != nil {
				return doubt(fmt.Sprintf("%s[%d]", at, k), "the check was cut off")
			}
		}
	}
	return nil
}

// look takes the step of the code with the numbers, and says what is wrong with it.
func (w *windows) look(code int, numbers []int, lemma int) (wrong string) {
	switch code {
	case stepPrecedence:
		return w.precede(numbers[0], numbers[1])
	case stepPair:
		return w.pair(numbers[0])
	case stepClause:
		return w.clause(numbers[0], lemma)
	}
	if numbers[0] >= len(w.resources) {
		return fmt.Sprintf("expected a resource, found %d of %d", numbers[0], len(w.resources))
	}
	r := &w.resources[numbers[0]]
	w.work += len(r.uses)
	if code == stepTime {
		w.atTime(r, int64(numbers[1]))
		return ""
	}
	if numbers[1] >= numbers[2] {
		return fmt.Sprintf("expected an interval, found one from %d to %d", numbers[1], numbers[2])
	}
	w.within(r, int64(numbers[1]), int64(numbers[2]))
	return ""
}

// raise raises the least value of a number.
func (w *windows) raise(of int, low int64) {
	if low > w.low[of] {
		w.keep(of)
		w.low[of] = low
		w.empty = w.empty || low > w.high[of]
	}
}

// lower lowers the largest value of a number.
func (w *windows) lower(of int, high int64) {
	if high < w.high[of] {
		w.keep(of)
		w.high[of] = high
		w.empty = w.empty || w.low[of] > high
	}
}

// keep notes what a window is before it moves on an assumption.
func (w *windows) keep(of int) {
	if w.assuming {
		w.changes = append(w.changes, change{of, w.low[of], w.high[of]})
	}
}

// undo takes back all that follows from an assumption.
func (w *windows) undo() {
	for k := len(w.changes) - 1; k >= 0; k-- {
		c := w.changes[k]
		w.low[c.of], w.high[c.of] = c.low, c.high
	}
	w.changes, w.assuming, w.empty = w.changes[:0], false, false
}
