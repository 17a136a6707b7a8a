package picture

import (
	"math"
	"testing"
)

// In our font all figures are equally wide, whichever stand beside each other, and letters are moved together as the font says. No text is wider than what is left for it.
func TestFiguresAreEquallyWide(t *testing.T) {
	for _, bold := range []bool{false, true} {
		l := Lettering{Size: 10, Bold: bold}
		one := l.drawn("1")
		for _, text := range []string{"11", "111", "1011", "99", "4711"} {
			if w := l.drawn(text); math.Abs(w-one*float64(len(text))) > 1e-9 || w > PointsPerPixel*l.Width(text) {
				t.Errorf("%q is %v wide, a figure %v, and %v are left", text, w, one, PointsPerPixel*l.Width(text))
			}
		}
		if pair, apart := l.drawn("AV"), l.drawn("A")+l.drawn("V"); pair >= apart {
			t.Errorf("AV is %v wide, its letters %v", pair, apart)
		}
	}
}

// Of an unknown letter as much is left as it is high.
func TestRoomOfUnknownLetters(t *testing.T) {
	if w := (Lettering{Size: 10}).Width("中文"); w != 20 {
		t.Errorf("two letters that no font of ours has are %v wide, expected 20", w)
	}
}
