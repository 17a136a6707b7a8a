package steps_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/steps"
)

// TestFunction compares a function with a table of its values at the times 0, 0.5, 1 … 20, while amounts are added and the past is forgotten.
func TestFunction(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := steps.Function[int]{}
		var table [41]int
		begin := 0.0 // nothing is known of what is before
		equal := func(a, b int) bool { return a == b }
		for range rapid.IntRange(1, 30).Draw(t, "changes") {
			from := rapid.IntRange(int(begin), 20).Draw(t, "from")
			to := rapid.IntRange(from, 20).Draw(t, "to")
			more := rapid.IntRange(-2, 2).Draw(t, "more")
			first, last := f.Split(float64(from), nil), f.Split(float64(to), nil)
			for k := first; k < last; k++ {
				f.Values[k] += more
			}
			for i := 2 * from; i < 2*to; i++ {
				table[i] += more
			}
			f.Join(last, equal)
			f.Join(first, equal)
			if rapid.IntRange(0, 4).Draw(t, "forget") == 0 {
				begin = max(begin, float64(rapid.IntRange(0, 20).Draw(t, "now")))
				f.Forget(begin)
			}
			if !slices.IsSorted(f.Times) || len(f.Times) != len(f.Values) {
				t.Fatalf("%v, %v", f.Times, f.Values)
			}
			for i := int(2 * begin); i < len(table); i++ {
				at := float64(i) / 2
				k, got := f.At(at), 0
				if k >= 0 {
					got = f.Values[k]
					if f.Times[k] > at || f.End(k) <= at {
						t.Fatalf("step %d, from %v to %v, of time %v", k, f.Times[k], f.End(k), at)
					}
				}
				if got != table[i] {
					t.Fatalf("%d at %v, expected %d: %v, %v", got, at, table[i], f.Times, f.Values)
				}
			}
		}
		for k := 1; k < len(f.Values); k++ {
			if f.Times[k] == f.Times[k-1] {
				t.Fatalf("a step of no length: %v", f.Times)
			}
		}
	})
}

// TestClones: a value that refers to something is cloned for a new step, and the one that is removed is given back.
func TestClones(t *testing.T) {
	f := steps.Function[*int]{Times: []float64{0}, Values: []*int{new(3)}}
	clone := func(p *int) *int { return new(*p) }
	k := f.Split(2, clone)
	if *f.Values[k]++; *f.Values[0] != 3 || *f.Values[k] != 4 || f.End(0) != 2 || !math.IsInf(f.End(k), 1) {
		t.Errorf("%v: %d, %d", f.Times, *f.Values[0], *f.Values[k])
	}
	second := f.Values[k]
	alike := func(a, b *int) bool { return *a == *b }
	if _, is := f.Join(k, alike); is {
		t.Error("steps that differ were joined")
	}
	*second = 3
	if removed, is := f.Join(k, alike); !is || removed != second || len(f.Times) != 1 {
		t.Errorf("removed %v: %v, %v", is, removed, f.Times)
	}
	if _, is := f.Join(0, alike); is {
		t.Error("the first step was removed")
	}
}
