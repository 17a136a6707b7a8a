package kit

import "math"

// CommonUnit is the largest number of which all times, none below 0, are whole multiples; 0: all are 0. Where times are no multiples of anything but their last digits it is tiny. The
// result is exact. O(n·d) for n times of d binary digits.
func CommonUnit(times []float64) float64 {
	unit := 0.0
	for _, t := range times {
		for a, b := math.Max(t, unit), math.Min(t, unit); ; a, b = b, math.Mod(a, b) { // Euclid
			if b == 0 {
				unit = a
				break
			}
		}
	}
	return unit
}
