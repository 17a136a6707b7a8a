package texttable

import (
	"cmp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"
)

// Columns is how wide an answer for people is at most, in cells of a terminal.
const Columns = 80

// Cells is how many cells of a terminal a text takes.
func Cells(s string) int { return text.RuneWidthWithoutEscSequences(s) }

// Wrap breaks a text at blanks into lines of at most the given number of cells. The lines after the first begin with the indent. A number stays with its unit. A word that is
// wider than a line is broken as [Fold] breaks a name. The text ends with a line end.
func Wrap(s string, columns int, indent string) string {
	var b strings.Builder
	at := 0
	begin := func() {
		b.WriteString("\n" + indent)
		at = Cells(indent)
	}
	for k, word := range words(s) {
		size := Cells(word)
		switch {
		case k == 0:
		case at+1+size > columns && at > Cells(indent):
			begin()
		default:
			b.WriteByte(' ')
			at++
		}
		for n, part := range strings.Split(Fold(word, columns-Cells(indent)), "\n") {
			if n > 0 {
				begin()
			}
			b.WriteString(part)
			at += Cells(part)
		}
	}
	return b.String() + "\n"
}

// units follow a number in the texts of this program.
var units = map[string]bool{"%": true, "d": true, "h": true, "min": true, "s": true, "ms": true}

// words are the words of a text, a number with its unit as one.
func words(s string) []string {
	var list []string
	for _, word := range strings.Fields(s) {
		before := len(list) - 1
		if before >= 0 && units[strings.TrimRight(word, ",;:.)]*")] && strings.ContainsAny(list[before][len(list[before])-1:], "0123456789") {
			list[before] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

// Fold breaks a name into lines of at most the given number of cells, at least 2: in the second half of a line
// behind a blank or one of : , ; / if there is one, else behind = _ or -, else anywhere.
func Fold(name string, cells int) string {
	name, cells = strings.ToValidUTF8(name, "\uFFFD"), max(cells, 2) // the widest letters take two
	var lines []string
	for Cells(name) > cells {
		cut, soft, weak, width := 0, 0, 0, 0
		for at, r := range name {
			if width += Cells(string(r)); width > cells {
				break
			}
			cut = at + len(string(r))
			switch {
			case width <= cells/2:
			case strings.ContainsRune(" :,;/", r):
				soft = cut
			case strings.ContainsRune("=_-", r):
				weak = cut
			}
		}
		cut = cmp.Or(soft, weak, cut)
		lines, name = append(lines, strings.TrimRight(name[:cut], " ")), name[cut:]
	}
	return strings.Join(append(lines, name), "\n")
}

// Shorten cuts the middle of a name that takes more cells than given.
func Shorten(name string, cells int) string {
	if Cells(name) <= cells {
		return name
	}
	runes := []rune(name)
	take := func(from, to, step, room int) (n int) {
		for k := from; k != to; k += step {
			if room -= Cells(string(runes[k])); room < 0 {
				break
			}
			n++
		}
		return n
	}
	back := take(len(runes)-1, -1, -1, (cells-1)/2)
	front := take(0, len(runes), 1, cells/2)
	return string(runes[:front]) + "…" + string(runes[len(runes)-back:])
}
