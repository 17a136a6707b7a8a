package main

import (
	"fmt"
	"math"

	"github.com/allot-opt/allot/bench"
)

// seconds are the seconds in the units of time that have names for people.
var seconds = map[string]float64{"s": 1, "min": 60, "h": 3600, "d": 86400}

// duration writes a time for people: 45.5 s, 29 h 20 min, 5 d 3 h. A unit that it does not know stays, with the figure.
func duration(x float64, unit string) string {
	each, known := seconds[unit]
	s := x * each
	if !known || !(s >= 60 && s < 1e15) {
		return bench.Figure(x) + " " + unit
	}
	s = math.Round(s)
	for _, scale := range []struct {
		from, large, small float64
		names              [2]string
	}{{100 * 3600, 86400, 3600, [2]string{"d", "h"}}, {3600, 3600, 60, [2]string{"h", "min"}}, {0, 60, 1, [2]string{"min", "s"}}} {
		if s < scale.from {
			continue
		}
		n := math.Round(s / scale.small)
		per := scale.large / scale.small
		if rest := math.Mod(n, per); rest > 0 {
			return fmt.Sprintf("%.0f %s %.0f %s", math.Floor(n/per), scale.names[0], rest, scale.names[1])
		}
		return fmt.Sprintf("%.0f %s", n/per, scale.names[0])
	}
	return bench.Figure(x) + " " + unit
}
