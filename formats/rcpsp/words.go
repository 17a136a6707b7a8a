package rcpsp

import (
	"bytes"
	"fmt"
	"math"

	"github.com/allot-opt/allot/formats/lines"
)

// words goes through the words of a file. After next it stands before the first word of a line.
type words struct {
	scanner *lines.Scanner
	faults  *lines.Faults
	rest    [][]byte // the words of the current line that are still to be read
	text    []byte   // the current line
	ended   bool     // there is no further line
}

// next goes to the next line that is not blank. It is false at the end of the file, for which the character Ctrl-Z of old systems stands too.
func (w *words) next() bool {
	for !w.ended && w.scanner.Scan() {
		line := w.scanner.Bytes()
		before, _, end := bytes.Cut(line, []byte{0x1a})
		if w.text = bytes.TrimSpace(before); len(w.text) > 0 {
			w.rest = bytes.Fields(w.text)
			return true
		}
		if end {
			break
		}
	}
	if !w.ended {
		w.ended = true
		w.scanner.Check(w.faults)
	}
	w.text, w.rest = nil, nil
	return false
}

// line is the number of the current line.
func (w *words) line() int { return w.scanner.Line() }

// atNumber reports whether the next word of the current line is a number.
func (w *words) atNumber() bool {
	if len(w.rest) == 0 {
		return false
	}
	_, err := lines.Number(w.rest[0])
	return err == nil
}

// word takes the next word, from a later line if the current one has none left. It is nil at the end of the file, which is then a fault: the description says what was expected there.
func (w *words) word(format string, args ...any) []byte {
	if len(w.rest) == 0 && !w.next() {
		if w.faults.None() {
			w.faults.Line(max(1, w.line()), "expected the %s, found the end of the file", fmt.Sprintf(format, args...))
		}
		return nil
	}
	word := w.rest[0]
	w.rest = w.rest[1:]
	return word
}

// whole takes a whole number in [least, most]. It is false after a fault.
func (w *words) whole(least, most int, format string, args ...any) (int, bool) {
	word := w.word(format, args...)
	if word == nil {
		return 0, false
	}
	_, err := number(word)
	if err == nil {
		var n int
		if n, err = lines.Whole(word, least); err == nil && n <= most {
			return n, true
		}
		err = fmt.Errorf("expected a whole number in [%d, %d], found %s", least, most, lines.Quote(word))
	}
	w.faults.Line(w.line(), "%s: %s", fmt.Sprintf(format, args...), err)
	return 0, false
}

// units takes a number of units of each resource. It is false after a fault, of which the text says what was expected.
func (w *words) units(resources int, what string) ([]int, bool) {
	var list []int
	for r := range resources {
		units, ok := w.whole(0, math.MaxInt32, "%s resource %d", what, r+1)
		if !ok {
			return list, false
		}
		list = append(list, units)
	}
	return list, true
}

// demand takes how many units of each resource activity k needs.
func (w *words) demand(k, resources int) ([]int, bool) {
	return w.units(resources, fmt.Sprintf("demand of activity %d for", k+1))
}

// number reads a number. In its place the files of ProGen/max have time lags in brackets.
func number(word []byte) (float64, error) {
	if word[0] == '[' {
		return 0, fmt.Errorf("expected a number, found %s: the time lags of ProGen/max are not read", lines.Quote(word))
	}
	return lines.Number(word)
}

// duration takes the duration of an activity. It is false after a fault.
func (w *words) duration(activity int) (float64, bool) {
	word := w.word("duration of activity %d", activity)
	if word == nil {
		return 0, false
	}
	x, err := number(word)
	if err == nil {
		x, err = lines.NonNegative(word)
	}
	if err != nil {
		w.faults.Line(w.line(), "duration of activity %d: %s", activity, err)
		return 0, false
	}
	return x, true
}
