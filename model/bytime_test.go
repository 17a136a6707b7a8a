package model

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Events sorted by the digits of their times are in the order of comparisons, and as given where they are equal, whatever the times are: whole, decimal, equal, in order, of any magnitude, or such as only wrong schedules have.
func TestEventsByTime(t *testing.T) {
	for seed := range uint64(16) {
		rng := rand.New(rand.NewPCG(seed, 57))
		draw := []func(k int) float64{
			func(int) float64 { return float64(rng.IntN(1 << 21)) },
			func(int) float64 { return 1.7e9 + rng.Float64() },
			func(int) float64 { return math.Ldexp(rng.Float64(), rng.IntN(2000)-1000) },
			func(int) float64 { return 7 },
			func(k int) float64 { return float64(k / 3) },
			func(k int) float64 { return float64(-k) },
			func(k int) float64 {
				return []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, 5e-324, 1}[rng.IntN(8)]
			},
			func(int) float64 { return math.Float64frombits(rng.Uint64() >> 1) },
		}[seed%8]
		events := make([]usageEvent, []int{40_000, 1<<14 - 1, 1 << 14, 20_001}[seed%4])
		for k := range events {
			events[k] = usageEvent{draw(k), usage{int32(k), int32(seed)}}
		}
		want := slices.Clone(events)
		slices.SortStableFunc(want, func(a, b usageEvent) int { return cmp.Compare(a.time, b.time) })
		got := byTime(slices.Clone(events))
		for k, e := range got {
			if cmp.Compare(e.time, want[k].time) != 0 || e.of != want[k].of {
				t.Fatalf("seed %d: event %d is %+v, expected %+v", seed, k, e, want[k])
			}
		}
	}
}

func BenchmarkEventsByTime(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 57))
	events := make([]usageEvent, 1_000_000)
	for k := range events {
		events[k].time = float64(rng.IntN(1 << 21))
	}
	for b.Loop() {
		byTime(slices.Clone(events))
	}
}
