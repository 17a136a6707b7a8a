package draw

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// mostRunes is how much of an id a picture ever shows; a file may hold longer ones.
const mostRunes = 200

// clip shortens a text of more than most runes to most runes, the last of them an ellipsis.
func clip(text string, most int) string {
	count := 0
	for at := range text {
		if count++; count > most {
			cut := at
			if most > 0 {
				_, size := utf8.DecodeLastRuneInString(text[:at])
				cut -= size
				return text[:cut] + "…"
			}
			return ""
		}
	}
	return text
}

// printable prepares a name to be drawn on one line and to stand in XML: at most mostRunes of it, see [cleaned].
func printable(text string) string { return cleaned(clip(text, mostRunes)) }

// cleaned prepares a text to stand on one line. White space becomes a space. Invisible characters that change the
// order or the look of their neighbours are removed. Characters that cannot be printed become U+FFFD.
func cleaned(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.Is(unicode.Cf, r):
			return -1
		case !unicode.IsGraphic(r):
			return utf8.RuneError
		}
		return r
	}, text)
}

// plain is printable for a terminal: only characters that take exactly one column everywhere.
func plain(text string) string {
	const lastLatin = 0x24f // beyond it come combining marks and, later, wide characters
	return strings.Map(func(r rune) rune {
		if r > lastLatin && r != '…' {
			return '?'
		}
		return r
	}, printable(text))
}

// compareNatural orders texts as people do: runs of digits count as numbers, so that c2 comes before c10.
func compareNatural(a, b string) int {
	x, y := a, b
	for x != "" && y != "" {
		m, n := digits(x), digits(y)
		if m == 0 || n == 0 {
			if x[0] != y[0] {
				return cmp.Compare(x[0], y[0])
			}
			x, y = x[1:], y[1:]
			continue
		}
		p, q := strings.TrimLeft(x[:m], "0"), strings.TrimLeft(y[:n], "0")
		if order := cmp.Or(cmp.Compare(len(p), len(q)), cmp.Compare(p, q)); order != 0 {
			return order
		}
		x, y = x[m:], y[n:]
	}
	return cmp.Or(cmp.Compare(len(x), len(y)), cmp.Compare(a, b))
}

// digits is the number of digits that the text begins with.
func digits(text string) int {
	return len(text) - len(strings.TrimLeft(text, "0123456789"))
}
