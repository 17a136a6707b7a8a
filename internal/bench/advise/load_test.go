package advise

import (
	"math"
	"testing"
	"time"
)

// The load by hour is that of counting, minute by minute, which jobs run.
func TestHoursNaive(t *testing.T) {
	in, needs := site(t)
	asked := input(in, needs)
	sol, err := asked.Run(t.Context(), "easy", in)
	if err != nil {
		t.Fatal(err)
	}
	m := &maker{Input: asked, ctx: t.Context(), base: sol, second: 1}
	first, last := in.Jobs()[0].Arrival, in.Jobs()[len(in.Jobs())-1].Arrival
	p := &LoadPart{}
	m.hours(p, first, last)
	const step = 60.0
	n := int((last - first) / step)
	change := make([]float64, n+2)
	at := func(x float64) int { return max(0, min(n+1, int(math.Ceil((x-first)/step-0.5)))) }
	for _, placed := range sol.Jobs {
		width := float64(placed.Processors.Len())
		change[at(placed.Start)] += width
		change[at(placed.End)] -= width
	}
	var held, count [7][24]float64
	running := 0.0
	zero, _ := in.TimeZero()
	for k := range n {
		running += change[k]
		when := time.Unix(int64(zero+first+(float64(k)+0.5)*step), 0).UTC()
		d := (int(when.Weekday()) + 6) % 7
		held[d][when.Hour()] += running
		count[d][when.Hour()]++
	}
	for d := range held {
		for h := range held[d] {
			want := held[d][h] / count[d][h] / float64(in.Processors())
			// A start counts from the nearest minute on.
			if got := p.Hours[d][h]; math.Abs(got-want) > 0.002 {
				t.Errorf("%s at %d h: %v, expected %v", days[d], h, got, want)
			}
		}
	}
}
