package backfill

import (
	"math"
	"testing"
)

// A job of 10 that is due at 100: its score grows from 0.1 at an end at 80, 2 execution times before, to 10 at 100.
func TestDeadlineScoreByHand(t *testing.T) {
	p := DefaultPriorities()
	for _, c := range []struct{ now, deadline, want float64 }{
		{0, 100, 0.1}, {69, 100, 0.1}, {70, 100, 0.1}, {75, 100, 0.1 + 9.9/4}, {80, 100, 0.1 + 9.9/2}, {85, 100, 0.1 + 9.9*3/4}, {90, 100, 10},
		{90.5, 100, 0.1}, {200, 100, 0.1}, // too late: as without a deadline
		{50, math.Inf(1), 0.1},
	} {
		if found := p.deadline(c.now, c.deadline, 10); math.Abs(found-c.want) > 1e-12 {
			t.Errorf("at %v, due at %v: found %v, expected %v", c.now, c.deadline, found, c.want)
		}
	}
}

// The parts of a priority add up: 0.001 a time unit of waiting, the score of the deadline, that of licences, the share of the shortest
// job's estimate.
func TestPriorityByHand(t *testing.T) {
	p := DefaultPriorities()
	if found, want := p.of(80, 30, 100, 10, 10, 4, 7), 0.05+(0.1+9.9/2)+7+0.4; math.Abs(found-want) > 1e-12 {
		t.Errorf("found %v, expected %v", found, want)
	}
	if found, want := p.of(80, 30, math.Inf(1), 0, 0, 0, 0), 0.05+0.1+1; math.Abs(found-want) > 1e-12 {
		t.Errorf("of a job that takes no time: found %v, expected %v", found, want)
	}
}
