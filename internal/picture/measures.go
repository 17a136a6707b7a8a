package picture

import (
	_ "embed" // for the measures
	"strconv"
	"strings"
	"sync"
)

// measures say how wide the letters of a font are, in units of the font. They measure the text of every format, so that all formats look alike.
type measures struct {
	perEm    int // units that are as long as the size of the font
	absent   int // width of a letter that the font lacks
	advances map[rune]int
	kerns    map[[2]rune]int // what is added between two letters
}

// measuresText has the measures of the regular and of the bold font, made of the fonts by the tests with -update. Lines of a font are
//
//	font UNITS ABSENT           units in its size, and the width of a letter that it lacks
//	FIRST WIDTH WIDTH …         the widths of letters that follow each other, from the letter FIRST, in hexadecimal
//	kern FIRST SECOND DISTANCE  what is added between two letters
//
//go:embed measures.txt
var measuresText string

// allMeasures are the measures of the regular and of the bold font.
var allMeasures = sync.OnceValue(func() (both [2]*measures) {
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
		switch fields[0] {
		case "font":
			k++
			both[k] = &measures{number(fields[1], 10), number(fields[2], 10), map[rune]int{}, map[[2]rune]int{}}
		case "kern":
			both[k].kerns[[2]rune{rune(number(fields[1], 16)), rune(number(fields[2], 16))}] = number(fields[3], 10)
		default:
			for at, width := range fields[1:] {
				both[k].advances[rune(number(fields[0], 16)+at)] = number(width, 10)
			}
		}
	}
	return both
})

// advance is the width of a letter.
func (m *measures) advance(letter rune) int {
	if width, ok := m.advances[letter]; ok {
		return width
	}
	return m.absent
}

// kern is what is added between two letters.
func (m *measures) kern(before, letter rune) int { return m.kerns[[2]rune{before, letter}] }
