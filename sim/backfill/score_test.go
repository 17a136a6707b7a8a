package backfill

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
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

// Aging is 0.001 a time unit: 0.05 after 50, also of a job that arrived at another time; a weight of 0 switches it off.
func TestAgingByHand(t *testing.T) {
	p := DefaultPriorities()
	if a, b := p.aging(80, 30), p.aging(50, 0); a != 0.05 || b != 0.05 {
		t.Errorf("found %v and %v, expected 0.05", a, b)
	}
	if none := (&Priorities{}).aging(80, 30); none != 0 {
		t.Errorf("without a weight: %v", none)
	}
}

// The shortest job, of 4, has the weight; one of 10 has 4/10 of it; one of no time counts as shortest, and others then have nothing.
func TestWaitByHand(t *testing.T) {
	p := Priorities{Wait: 3}
	for _, c := range []struct{ length, shortest, want float64 }{{4, 4, 3}, {10, 4, 1.2}, {0, 0, 3}, {10, 0, 0}} {
		if found := p.wait(c.length, c.shortest); math.Abs(found-c.want) > 1e-12 {
			t.Errorf("of %v with %v the shortest: found %v, expected %v", c.length, c.shortest, found, c.want)
		}
	}
	if none := (&Priorities{}).wait(4, 4); none != 0 {
		t.Errorf("without a weight: %v", none)
	}
}

// Licences a, b and c are asked for 1.5, 0.5 and 1 times as often as there are copies, d not: a is critical, b and c are not, so that a
// counts twice. A job that asks for a and b has 2 · 1.5 + 0.5 = 3.5, for b and c 0.5 + 1 = 1.5, for a alone 3. Where no licence asked for
// is not critical, a counts once.
func TestLicenceScoreByHand(t *testing.T) {
	scarcity := []float64{1.5, 0.5, 1, 0}
	for _, c := range []struct {
		needs  []model.Need
		plenty int
		want   float64
	}{
		{[]model.Need{{Licence: 0, Copies: 1}, {Licence: 1, Copies: 2}}, 2, 3.5},
		{[]model.Need{{Licence: 1, Copies: 1}, {Licence: 2, Copies: 1}}, 2, 1.5},
		{[]model.Need{{Licence: 0, Copies: 1}}, 2, 3},
		{[]model.Need{{Licence: 0, Copies: 1}}, 0, 1.5},
		{[]model.Need{{Licence: 0, Copies: 0}, {Licence: 3, Copies: 1}}, 2, 0},
		{nil, 2, 0},
	} {
		if found := licenceScore(c.needs, scarcity, c.plenty); found != c.want {
			t.Errorf("%v with %d that are not critical: found %v, expected %v", c.needs, c.plenty, found, c.want)
		}
	}
}
