package picture

import (
	"slices"
	"testing"
)

// An outline of a font begins at a point that lies on it, or between two that do not, and goes through the middle of neighbours that do not, worked by hand.
func TestRoundOutlines(t *testing.T) {
	at := func(x, y float64) Spot { return Spot{x, y} }
	for _, test := range []struct {
		points []Spot
		on     []bool
		want   Path
	}{
		{[]Spot{at(0, 0), at(4, 0), at(4, 4)}, []bool{true, true, true}, Path{{move, at(0, 0), Spot{}}, {line, at(4, 0), Spot{}}, {line, at(4, 4), Spot{}}, {kind: shut}}},
		{[]Spot{at(0, 0), at(4, 0), at(4, 4)}, []bool{true, false, false},
			Path{{move, at(0, 0), Spot{}}, {curve, at(4, 2), at(4, 0)}, {curve, at(0, 0), at(4, 4)}, {kind: shut}}},
		{[]Spot{at(0, 0), at(4, 0), at(4, 4)}, []bool{false, false, true},
			Path{{move, at(4, 4), Spot{}}, {curve, at(2, 0), at(0, 0)}, {curve, at(4, 4), at(4, 0)}, {kind: shut}}},
		{[]Spot{at(0, 0), at(4, 0), at(4, 4), at(0, 4)}, []bool{false, false, false, false},
			Path{{move, at(0, 2), Spot{}}, {curve, at(2, 0), at(0, 0)}, {curve, at(4, 2), at(4, 0)}, {curve, at(2, 4), at(4, 4)}, {curve, at(0, 2), at(0, 4)}, {kind: shut}}},
	} {
		var got Path
		got.round(test.points, test.on)
		if !slices.Equal(got, test.want) {
			t.Errorf("%v, on the outline %v: %v, want %v", test.points, test.on, got, test.want)
		}
	}
}
