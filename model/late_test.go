package model_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

func TestLate(t *testing.T) {
	step := 0.1
	below := math.Nextafter(8192, 0) // half as far from 8192 as the next number above it
	for _, c := range []struct {
		end, deadline float64
		late          bool
	}{
		{step + step + step, 0.3, false}, // missed by rounding alone
		{0.3, 0.3, false}, {0.2, 0.3, false}, {0.3 + 1e-12, 0.3, true}, {1e9, math.Inf(1), false}, {0, 0, false}, {1e-300, 0, true},
		{math.Inf(1), 5, true}, {math.Inf(1), math.Inf(1), false}, {math.NaN(), 5, false},
		{8192 + 0x1p-38, below, true}, {8192 + 0x1p-39, below, false}, {8192 + 0x1p-38, 8192, false}, {8192 + 3*0x1p-39, 8192, true},
	} {
		if got := model.Late(c.end, c.deadline); got != c.late {
			t.Errorf("%v after %v: %t", c.end, c.deadline, got)
		}
	}
}
