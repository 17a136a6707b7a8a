package backfill

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The score of a deadline never grows by more than its bound says, whichever of the two scores is the higher one; and the bound is finite where the score does not jump up.
func TestRampBoundsTheScoreOfTheDeadline(t *testing.T) {
	r := rand.New(rand.NewPCG(57, 6))
	pick := func(x ...float64) float64 { return x[r.IntN(len(x))] }
	grown, jumped := 0, 0
	for range 20_000 {
		o := &Order{Priorities: Priorities{DeadlineLow: pick(0, 0.1, 5, -2), DeadlineHigh: pick(0, 10, 5, -3), DeadlineK: pick(0, 0.25, 2, 50)}}
		w := &waiting{deadline: pick(math.Inf(1), 10, 37, 100), fastest: pick(0, 1, 10, 40)}
		now := float64(r.IntN(120))
		later := now + pick(0.25, 1, 7, 60)*r.Float64()
		growth := o.deadline(later, w.deadline, w.fastest) - o.deadline(now, w.deadline, w.fastest)
		bound := o.ramp(w, now)
		if growth > bound*(later-now)+1e-9 {
			t.Fatalf("%+v, %+v: from %v to %v the score grows by %v, by the bound of %v at most", o.Priorities, *w, now, later, growth, bound)
		}
		if math.IsInf(bound, 1) {
			if jumped++; o.DeadlineHigh >= o.DeadlineLow {
				t.Fatalf("%+v, %+v: the score does not jump", o.Priorities, *w)
			}
		} else if growth > 0 {
			grown++
		}
	}
	if grown < 300 || jumped < 300 {
		t.Errorf("%d scores grew, %d may jump", grown, jumped)
	}
}
