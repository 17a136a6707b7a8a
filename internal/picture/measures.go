package picture

import (
	_ "embed" // for the measures
	"strconv"
	"strings"
	"sync"
)

// perSize is how many units of a measure are as long as the size of the letters.
const perSize = 1000

// measures say how wide letters may be, in units.
type measures map[rune]int

// measuresText has the measures of the widest regular and of the widest bold font of each letter, made of the fonts by the tests with -update. A line "font" begins a font, and
//
//	FIRST WIDTH WIDTH …
//
// are the widths of letters that follow each other, from the letter FIRST, in hexadecimal.
//
//go:embed measures.txt
var measuresText string

// widest are the measures of the widest regular and of the widest bold font.
var widest = sync.OnceValue(func() (both [2]measures) {
	k := -1
	number := func(text string, base int) int {
		n, err := strconv.ParseInt(text, base, 32)
		if err != nil {
			panic(err) // the text is part of the program
		}
		return int(n)
	}
	for line := range strings.Lines(measuresText) {
		fields := strings.Fields(line)
		if fields[0] == "font" {
			k++
			both[k] = measures{}
			continue
		}
		for at, width := range fields[1:] {
			both[k][rune(number(fields[0], 16)+at)] = number(width, 10)
		}
	}
	return both
})

// advance is the width of a letter. One that is not measured may come from any font: it is taken to be as wide as high.
func (m measures) advance(letter rune) int {
	if width, ok := m[letter]; ok {
		return width
	}
	return perSize
}
