//go:build !page

package picture

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/golang/freetype/truetype"
	"golang.org/x/image/math/fixed"
)

var update = flag.Bool("update", false, "rewrite the measures of the letters")

// TestMeasuresAreThoseOfTheFonts: the text that the program has is what the fonts state, of each letter and each pair of letters that the fonts have.
func TestMeasuresAreThoseOfTheFonts(t *testing.T) {
	var text strings.Builder
	for _, font := range fonts() {
		perEm := fixed.Int26_6(font.FUnitsPerEm())
		fmt.Fprintf(&text, "font %d %d", perEm, font.HMetric(perEm, 0).AdvanceWidth)
		var letters []rune
		of := map[truetype.Index]rune{}
		for letter := range rune(utf8.MaxRune + 1) {
			glyph := font.Index(letter)
			if glyph == 0 {
				continue
			}
			if other, twice := of[glyph]; twice {
				t.Fatalf("%U and %U share a glyph: the kerning of one is that of the other", other, letter)
			}
			of[glyph] = letter
			if len(letters) == 0 || letters[len(letters)-1] != letter-1 {
				fmt.Fprintf(&text, "\n%x", letter)
			}
			letters = append(letters, letter)
			fmt.Fprintf(&text, " %d", font.HMetric(perEm, glyph).AdvanceWidth)
		}
		text.WriteByte('\n')
		for _, before := range letters {
			for _, letter := range letters {
				if distance := font.Kern(perEm, font.Index(before), font.Index(letter)); distance != 0 {
					fmt.Fprintf(&text, "kern %x %x %d\n", before, letter, distance)
				}
			}
		}
		if distance := font.Kern(perEm, 0, font.Index('A')); distance != 0 {
			t.Errorf("a letter that the font lacks is moved by %d", distance)
		}
	}
	if *update {
		if err := os.WriteFile("measures.txt", []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if text.String() != measuresText {
		t.Error("measures.txt is not what the fonts state: go test ./internal/picture -run Measures -update")
	}
}
