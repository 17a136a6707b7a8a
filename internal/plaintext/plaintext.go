// Package plaintext makes texts from files harmless where people see them: on a terminal and in a spreadsheet.
package plaintext

import (
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable replaces control characters but line feeds, and characters that change the direction of writing, by U+FFFD. With them, a name in a file
// could steer the user's terminal.
func Printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && Steers(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// Steers says that a character is a control character or changes the direction of writing.
func Steers(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }

// Writer passes on what [Printable] makes of a text that comes in pieces. The caller writes whole characters in the end.
type Writer struct {
	To   io.Writer
	rest []byte // the first bytes of a character that is not complete yet
}

// Write implements io.Writer.
func (w *Writer) Write(piece []byte) (int, error) {
	text := append(w.rest, piece...)
	whole := len(text)
	for k := 1; k < utf8.UTFMax && k <= len(text); k++ {
		if start := len(text) - k; utf8.RuneStart(text[start]) {
			if !utf8.FullRune(text[start:]) {
				whole = start
			}
			break
		}
	}
	if _, err := io.WriteString(w.To, Printable(string(text[:whole]))); err != nil {
		return 0, err
	}
	w.rest = append([]byte(nil), text[whole:]...)
	return len(piece), nil
}

// formula begins the cells that a spreadsheet takes for a formula. The white space is there because some spreadsheets pass over it.
const formula = "=+-@\t\r\n"

// Cell writes a text as a cell of a table for spreadsheets. A text that would be a formula gets an apostrophe in front, which says that it is a text.
// So does a text that has apostrophes in front of that already, so that [FromCell] can tell the two.
func Cell(text string) string {
	if isFormula(text) {
		return "'" + text
	}
	return text
}

// FromCell reads the text that [Cell] has written.
func FromCell(cell string) string {
	if text, quoted := strings.CutPrefix(cell, "'"); quoted && isFormula(text) {
		return text
	}
	return cell
}

// isFormula says that a text without the apostrophes in front of it would be a formula.
func isFormula(text string) bool {
	text = strings.TrimLeft(text, "'")
	return text != "" && strings.IndexByte(formula, text[0]) >= 0
}

// Cells applies [Cell] to each of the texts, which are changed in place.
func Cells(texts ...string) []string {
	for k := range texts {
		texts[k] = Cell(texts[k])
	}
	return texts
}
