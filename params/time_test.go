package params

import "testing"

// An instance that names no unit of time is in seconds, as its format says; one that names another unit has to name a known one.
func TestTimesInTheUnitOfAnInstance(t *testing.T) {
	for _, c := range []struct {
		text Time
		unit string
		want float64
		ok   bool
	}{
		{"24h", "", 86400, true}, {"24h", "s", 86400, true}, {"24h", "min", 1440, true}, {"90", "", 90, true}, {"90", "cycles", 90, true},
		{"", "cycles", 0, true}, {"24h", "cycles", 0, false}, {"soon", "", 0, false},
	} {
		if got, err := c.text.In(c.unit); got != c.want || (err == nil) != c.ok {
			t.Errorf("%q in %q: found %v, %v; expected %v", c.text, c.unit, got, err, c.want)
		}
	}
}
