package picture

import (
	"math"
	"testing"
)

// All figures are equally wide, whichever stand beside each other, and letters are moved together as the font says.
func TestFiguresAreEquallyWide(t *testing.T) {
	for _, bold := range []bool{false, true} {
		l := Lettering{Size: 10, Bold: bold}
		one := l.Width("1")
		for _, text := range []string{"11", "111", "1011", "99", "4711"} {
			if w := l.Width(text); math.Abs(w-one*float64(len(text))) > 1e-9 {
				t.Errorf("%q is %v wide, and a figure %v", text, w, one)
			}
		}
		if pair, apart := l.Width("AV"), l.Width("A")+l.Width("V"); pair >= apart {
			t.Errorf("AV is %v wide, its letters %v", pair, apart)
		}
	}
}
