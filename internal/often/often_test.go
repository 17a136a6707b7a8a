package often

import (
	"flag"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/race"
)

// The cases are different, as many as asked for, and the next test draws the usual number again.
func TestCheck(t *testing.T) {
	usual := flag.Lookup("rapid.checks").Value.String()
	once, drawn, seen := 0, 0, map[[2]uint64]bool{}
	rapid.Check(t, func(*rapid.T) { once++ })
	Check(t, 5, func(t *rapid.T) {
		drawn++
		seen[[2]uint64{rapid.Uint64().Draw(t, "one"), rapid.Uint64().Draw(t, "other")}] = true
	})
	if drawn != 5*once || len(seen) < race.Enough(300) || flag.Lookup("rapid.checks").Value.String() != usual {
		t.Errorf("%d cases, %d of them different, want %d; then %v, want %s", drawn, len(seen), 5*once, flag.Lookup("rapid.checks").Value, usual)
	}
}
