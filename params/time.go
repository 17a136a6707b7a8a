package params

import (
	"cmp"

	"github.com/allot-opt/allot/internal/timetext"
)

// Time is a parameter that is a length of time of at least 0: a plain number in the unit of the instance, such as 21600, or numbers with units, such as
// 6h or 2d12h. An empty text is no time.
type Time string

// In is the length in the unit of time that an instance names; if it names none, its times are seconds. An empty text is 0. A text with units needs a unit of the instance that is known: ms, s,
// min, h or d.
func (t Time) In(unit string) (float64, error) {
	if t == "" {
		return 0, nil
	}
	return timetext.Parse(string(t), cmp.Or(unit, "s"))
}

// Expected implements the check of a text: what it should have been; empty: nothing else.
func (t Time) Expected() string {
	if x, err := t.In("s"); err != nil || x < 0 {
		return "a time of at least 0, such as 90, 30min or 2d12h"
	}
	return ""
}

// expecter is a text that checks itself.
type expecter interface{ Expected() string }
