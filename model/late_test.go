package model_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

func TestLate(t *testing.T) {
	step := 0.1
	for _, c := range []struct {
		end, deadline float64
		late          bool
	}{
		{step + step + step, 0.3, false}, // missed by rounding alone
		{0.3, 0.3, false}, {0.2, 0.3, false}, {0.3 + 1e-12, 0.3, true}, {1e9, math.Inf(1), false}, {0, 0, false}, {1e-300, 0, true},
		{math.Inf(1), 5, true}, {math.Inf(1), math.Inf(1), false}, {math.NaN(), 5, false},
	} {
		if got := model.Late(c.end, c.deadline); got != c.late {
			t.Errorf("%v after %v: %t", c.end, c.deadline, got)
		}
	}
}
