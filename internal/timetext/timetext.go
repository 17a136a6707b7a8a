// Package timetext writes lengths of time for people: 29 h 20 min.
package timetext

import (
	"fmt"
	"math"
	"strings"
)

// seconds are the seconds in the units of time that have names for people.
var seconds = map[string]float64{"ms": 1e-3, "s": 1, "min": 60, "h": 3600, "d": 86400}

// Seconds is how many seconds a unit of time has; false: the unit is not known.
func Seconds(unit string) (each float64, known bool) {
	each, known = seconds[unit]
	return each, known
}

// scales are the pairs of units that a length is written in, each from a number of seconds on.
var scales = []struct {
	from, large, small float64
	names              [2]string
}{{48*3600 - 30, 86400, 3600, [2]string{"d", "h"}}, {3600, 3600, 60, [2]string{"h", "min"}}, {0, 60, 1, [2]string{"min", "s"}}}

// Of formats a length of time in a unit for people: 45.5 s, 29 h 20 min, 5 d 3 h. It does not convert a length below a minute, an extreme length,
// or an unknown unit: then it writes the number, formatted by figure, and the unit.
func Of(x float64, unit string, figure func(float64) string) string {
	each, known := seconds[unit]
	s := x * each
	switch {
	case known && s <= -59.95:
		return "−" + Of(-x, unit, figure)
	case !known || !(s >= 59.95 && s < 1e15):
		return strings.TrimSuffix(figure(x)+" "+unit, " ")
	}
	s = math.Round(s)
	for _, scale := range scales {
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
	panic("timetext: the last scale takes every length") // its limit is 0
}
