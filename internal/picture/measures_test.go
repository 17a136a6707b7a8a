package picture

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/image/font"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"

	"github.com/allot-opt/allot/internal/needs"
)

var update = flag.Bool("update", false, "rewrite the measures of the letters")

// advanceOf is how wide a font has a glyph, in units of the font.
func advanceOf(t *testing.T, face *sfnt.Font, index sfnt.GlyphIndex) int {
	t.Helper()
	width, err := face.GlyphAdvance(nil, index, fixed.Int26_6(face.UnitsPerEm()), font.HintingNone)
	if err != nil {
		t.Fatal(err)
	}
	return int(width)
}

// lettersOf are the letters that a font has.
func lettersOf(face *sfnt.Font) (letters []rune) {
	for letter := range rune(utf8.MaxRune + 1) {
		if glyph(face, nil, letter) != 0 {
			letters = append(letters, letter)
		}
	}
	return letters
}

// widths writes the widths of letters that follow each other in a line each.
func widths(letters []rune, width func(rune) int) string {
	var text strings.Builder
	for k, letter := range letters {
		if k == 0 || letters[k-1] != letter-1 {
			fmt.Fprintf(&text, "\n%x", letter)
		}
		fmt.Fprintf(&text, " %d", width(letter))
	}
	return text.String() + "\n"
}

// widestOf are the measures of the widest regular and bold font of each letter that ours have, in thousandths.
func widestOf(t *testing.T) (both [2]map[rune]int) {
	for bold, ours := range fonts() {
		faces := []*sfnt.Font{ours}
		for _, family := range needs.Fonts {
			file, err := os.ReadFile(needs.Font(t, family, bold == 1))
			if err != nil {
				t.Fatal(err)
			}
			face, err := sfnt.Parse(file)
			if err != nil {
				t.Fatal(err)
			}
			faces = append(faces, face)
		}
		both[bold] = map[rune]int{}
		for _, letter := range lettersOf(ours) {
			for _, face := range faces {
				if index := glyph(face, nil, letter); index != 0 {
					perEm := int(face.UnitsPerEm())
					both[bold][letter] = max(both[bold][letter], (1000*advanceOf(t, face, index)+perEm-1)/perEm)
				}
			}
		}
	}
	return both
}

// TestRoomIsEnoughInEveryFont: no letter of the fonts that people have is wider than what is left for it, and what is left for a letter of ASCII is taken by one of them. Versions of
// the fonts differ in rare letters. With -update the measures are written.
func TestRoomIsEnoughInEveryFont(t *testing.T) {
	text := ""
	for bold, of := range widestOf(t) {
		text += "font" + widths(slices.Sorted(maps.Keys(of)), func(letter rune) int { return of[letter] })
		if *update {
			continue
		}
		for letter, width := range of {
			if left := widest()[bold].advance(letter); width > left || letter <= unicode.MaxASCII && width != left {
				t.Errorf("bold %d: %q is %d wide, and %d are left: go test ./internal/picture -run Room -update", bold, letter, width, left)
			}
		}
	}
	if *update {
		if err := os.WriteFile("measures.txt", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
