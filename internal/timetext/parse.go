package timetext

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Parse reads a length of time in the given unit: a plain number, such as 90, or numbers with units, such as 2 d 12 h or 1.5h. Numbers with units need
// a unit of the instance that has a name for people.
func Parse(text, unit string) (float64, error) {
	rest := strings.ReplaceAll(strings.TrimSpace(text), " ", "")
	if x, err := strconv.ParseFloat(rest, 64); err == nil && !math.IsNaN(x) && !math.IsInf(x, 0) {
		return x, nil
	}
	wrong := fmt.Errorf("expected a time such as 90, 30min or 2d12h, found %q", text)
	each, known := seconds[unit]
	sum := 0.0
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		letters := len(rest[digits:]) - len(strings.TrimLeft(rest[digits:], "abcdefghijklmnopqrstuvwxyz"))
		x, err := strconv.ParseFloat(rest[:digits], 64)
		of, named := seconds[rest[digits:digits+letters]]
		if err != nil || !named {
			return 0, wrong
		}
		sum += x * of
		rest = rest[digits+letters:]
	}
	if sum = sum / each; !known {
		why := "the unit of time is not known"
		if unit != "" {
			why = fmt.Sprintf("%q is not a known unit of time", unit)
		}
		return 0, fmt.Errorf("expected a plain number, because %s; found %q", why, text)
	}
	if math.IsInf(sum, 0) || strings.TrimSpace(text) == "" {
		return 0, wrong
	}
	return sum, nil
}
