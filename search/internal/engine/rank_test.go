package engine

import (
	"math"
	"testing"
)

func TestRanks(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b         Rank
		better, less bool
	}{
		{NewRank(0, 9), NewRank(1, 3), true, true},
		{NewRank(1, 3), NewRank(0, 9), false, false},
		{NewRank(0, 3), NewRank(0, 9), true, true},
		{NewRank(0, 9), NewRank(0, 9*(1+1e-13)), false, true},
		{NewRank(0, inf), Nothing, true, true},
		{NewRank(0, inf), NewRank(0, inf), false, false},
		{NewRank(0, 9), NewRank(0, inf), true, true},
		{NewRank(0, inf), NewRank(0, 9), false, false},
		{NewRank(0, -9), NewRank(0, -3), true, true},
		{Nothing, Nothing, false, false},
	} {
		if c.a.Better(c.b) != c.better || Better(c.a, c.b) != c.better || c.a.Less(c.b) != c.less {
			t.Errorf("%v and %v: better %t, less %t", c.a, c.b, c.a.Better(c.b), c.a.Less(c.b))
		}
	}
}
