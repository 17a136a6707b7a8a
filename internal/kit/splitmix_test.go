package kit_test

import (
	"testing"

	"github.com/allot-opt/allot/internal/kit"
)

// The first numbers of the seed 1234567, by the authors' program.
func TestNumbersAreThoseOfTheAuthors(t *testing.T) {
	g := kit.SplitMix(1234567)
	for k, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821} {
		if got := g.Next(); got != want {
			t.Errorf("number %d: %d, expected %d", k, got, want)
		}
	}
}
