package numtext

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNaturalOrder(t *testing.T) {
	names := []string{"", "a", "c", "c002", "c9", "c9a", "c010", "c10", "c10b2", "c10b10", "d1"}
	for a := range names {
		for b := range names {
			if got := Natural(names[a], names[b]); (got < 0) != (a < b) || (got > 0) != (a > b) {
				t.Errorf("%s and %s: %d", names[a], names[b], got)
			}
		}
	}
}

func TestNaturalOrderIsAnOrder(t *testing.T) {
	name := rapid.StringOf(rapid.SampledFrom([]rune("ab01-é")))
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if Natural(a, b) != -Natural(b, a) || (Natural(a, b) == 0) != (a == b) {
			t.Fatalf("%q and %q: %d and %d", a, b, Natural(a, b), Natural(b, a))
		}
		if Natural(a, b) <= 0 && Natural(b, c) <= 0 && Natural(a, c) > 0 {
			t.Fatalf("%q ≤ %q ≤ %q, but not the first ≤ the last", a, b, c)
		}
	})
}
