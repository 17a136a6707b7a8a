package main

import (
	"fmt"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/serve/answers"
)

// writeCertainty writes the certainty; nothing where it is nil.
func writeCertainty(k *answers.Certainty, b *strings.Builder, unit string, dates dates) {
	switch {
	case k == nil:
	case k.Runs == 0:
		fmt.Fprintf(b, "  how sure: %s\n", k.Says)
	default:
		when := func(t *float64) string {
			if t == nil {
				return "never"
			}
			return dates.at(*t)
		}
		wide := ""
		if k.P10 != nil && k.P90 != nil {
			wide = ", " + timetext.Of(*k.P90-*k.P10, unit, numtext.Figure) + " apart"
		}
		fmt.Fprintf(b, "  how sure: P10 %s, P50 %s, P90 %s%s; %s\n", when(k.P10), when(k.P50), when(k.P90), wide, k.Says)
	}
}
