package lines

import (
	"fmt"
	"math"
	"strconv"

	"github.com/allot-opt/allot/model"
)

// Number reads a decimal number that is 0 or of a magnitude in [[model.Smallest], [model.Largest]]. Hexadecimal digits,
// digit separators, NaN and infinities are no numbers here.
func Number[T string | []byte](text T) (float64, error) {
	if x, ok := shortWhole(text); ok {
		return x, nil
	}
	for k := range len(text) {
		switch b := text[k]; {
		case '0' <= b && b <= '9', b == '.', b == '-', b == '+', b == 'e', b == 'E':
		default:
			return 0, fmt.Errorf("expected a number, found %s", Quote(text))
		}
	}
	x, err := strconv.ParseFloat(string(text), 64)
	if err != nil && !math.IsInf(x, 0) {
		return 0, fmt.Errorf("expected a number, found %s", Quote(text))
	}
	if a := math.Abs(x); a > model.Largest || a < model.Smallest && (a > 0 || !isZero(text)) {
		return 0, fmt.Errorf("expected 0 or a number of magnitude in [%g, %g], found %s", model.Smallest, model.Largest, Quote(text))
	}
	return x + 0, nil // −0 becomes 0
}

// shortWhole reads the common case, a whole number of up to 15 digits, without the general parser.
func shortWhole[T string | []byte](text T) (x float64, ok bool) {
	digits := text
	negative := len(text) > 0 && text[0] == '-'
	if negative {
		digits = text[1:]
	}
	if len(digits) == 0 || len(digits) > 15 {
		return 0, false
	}
	n := 0
	for k := range len(digits) {
		b := digits[k]
		if b < '0' || b > '9' {
			return 0, false
		}
		n = 10*n + int(b-'0')
	}
	if negative {
		n = -n
	}
	return float64(n), true
}

// isZero reports whether a number has only the digit 0 before its exponent, so that it is really 0 and not
// merely too small.
func isZero[T string | []byte](text T) bool {
	for k := range len(text) {
		switch b := text[k]; {
		case b == 'e' || b == 'E':
			return true
		case '1' <= b && b <= '9':
			return false
		}
	}
	return true
}

// NonNegative reads a number that is 0 or more.
func NonNegative[T string | []byte](text T) (float64, error) {
	x, err := Number(text)
	if err == nil && x < 0 {
		err = fmt.Errorf("expected a number of at least 0, found %s", Quote(text))
	}
	return x, err
}

// Whole reads a whole number in [least, 2³¹−1], which may be written with a point, such as 4.0.
func Whole[T string | []byte](text T, least int) (int, error) {
	x, err := Number(text)
	if err != nil {
		return 0, err
	}
	if x != math.Trunc(x) || x < float64(least) || x > math.MaxInt32 {
		return 0, fmt.Errorf("expected a whole number in [%d, %d], found %s", least, math.MaxInt32, Quote(text))
	}
	return int(x), nil
}
