package serial

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// interval is what a job holds in the reference.
type interval struct {
	start, end float64
	amounts    []int
}

// room says whether the amounts are free at the time beside the intervals.
func room(capacity, amounts []int, held []interval, t float64) bool {
	for r := range capacity {
		used := amounts[r]
		for _, h := range held {
			if h.start <= t && t < h.end {
				used += h.amounts[r]
			}
		}
		if amounts[r] > 0 && used > capacity[r] {
			return false
		}
	}
	return true
}

// earliest is the earliest time from ready on at which the amounts are free for the length: the reference. It tries the time ready
// and every end. What is too short to show in its end holds nothing.
func earliest(capacity, amounts []int, held []interval, ready, length float64) float64 {
	times := []float64{ready}
	for _, h := range held {
		if h.end > ready {
			times = append(times, h.end)
		}
	}
	slices.Sort(times)
	for _, t := range times {
		fits := t+length <= t || room(capacity, amounts, held, t)
		for _, h := range held {
			if t < h.start && h.start < t+length {
				fits = fits && room(capacity, amounts, held, h.start)
			}
		}
		if fits {
			return t
		}
	}
	panic("the amounts are free after the last end")
}

// Both profiles find the same times as the reference, also after they are reset.
func TestProfiles(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		capacity := []int{rapid.IntRange(1, 9).Draw(t, "first"), rapid.IntRange(1, 30).Draw(t, "second"), 1}
		pack := func(amounts []int) uint64 { return uint64(amounts[0]) | uint64(amounts[1])<<5 | uint64(amounts[2])<<11 }
		guard := uint64(1<<4 | 1<<10 | 1<<12)
		empty := pack(capacity) | guard
		grid, steps := newGrid(empty, guard, 600), newSteps(empty, guard, 2)
		quarters := rapid.Bool().Draw(t, "fractions")
		var held []interval
		for range rapid.IntRange(1, 40).Draw(t, "jobs") {
			if rapid.IntRange(0, 15).Draw(t, "reset") == 0 {
				grid.reset()
				steps.reset()
				held = nil
			}
			amounts := []int{rapid.IntRange(0, capacity[0]).Draw(t, "a"), rapid.IntRange(0, capacity[1]).Draw(t, "b"), rapid.IntRange(0, 1).Draw(t, "c")}
			ready, length := float64(rapid.IntRange(0, 30).Draw(t, "ready")), float64(rapid.IntRange(1, 10).Draw(t, "length"))
			if quarters {
				ready, length = ready*0.37, length*0.41
			}
			want := earliest(capacity, amounts, held, ready, length)
			found := steps.earliest(ready, length, pack(amounts))
			steps.take(found, found+length, pack(amounts))
			if found != want {
				t.Fatalf("steps: %v, expected %v", found, want)
			}
			if !quarters {
				if found := grid.earliest(ready, length, pack(amounts)); found != want {
					t.Fatalf("grid: %v, expected %v", found, want)
				}
				grid.take(want, want+length, pack(amounts))
			}
			held = append(held, interval{want, want + length, amounts})
		}
	})
}
