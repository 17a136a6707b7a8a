package slurm

import (
	"errors"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/formats/lines"
)

// number is a number as any version writes it: plain, as a text, null, or an object of set, infinite and number.
type number struct {
	given    bool // the field is there, whatever it says
	known    bool
	infinite bool // without a limit
	value    float64
}

// or returns the number, or another one if it is unknown or unlimited.
func (n number) or(other float64) float64 {
	if !n.known {
		return other
	}
	return n.value
}

// decoder reads the JSON of Slurm's commands value by value and skips everything that it is not asked for. A value of the wrong kind is a fault with
// its path, and reading continues; only a syntax error ends it.
type decoder struct {
	json   *lines.JSON
	faults *lines.Faults
	texts  map[string]string // short texts seen, held once
}

// errEnd ends reading after a fault that is listed.
var errEnd = errors.New("slurm: reading ends")

// explain lists the error that ended reading.
func (d *decoder) explain(err error) {
	switch {
	case errors.Is(err, errEnd): // why is listed
	case err == io.EOF && d.json.IsEmpty():
		d.faults.At("", "expected the JSON of a Slurm command, found an empty file")
	default:
		d.faults.At(lines.Path(d.json.StackPointer()), "%s", d.json.Explain(err))
	}
}

// fault lists a fault at the value that was read last.
func (d *decoder) fault(format string, args ...any) {
	d.faults.At(lines.Path(d.json.StackPointer()), format, args...)
}

// wrong passes over a value of the wrong kind and lists it.
func (d *decoder) wrong(expected string) error {
	kind := d.json.PeekKind()
	if err := d.json.SkipValue(); err != nil {
		return err
	}
	d.fault("expected %s, found %s", expected, lines.KindName(kind))
	return nil
}

// object reads an object and calls member at the value of each member.
func (d *decoder) object(expected string, member func(name string) error) error {
	if d.json.PeekKind() != '{' {
		return d.wrong(expected)
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	for d.json.PeekKind() != '}' {
		token, err := d.json.ReadToken()
		if err != nil {
			return err
		}
		if err := member(d.intern(token.String())); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// array reads an array, element by element. A value of another kind is a fault, null an empty array.
func (d *decoder) array(expected string, element func() error) error {
	switch d.json.PeekKind() {
	case 'n':
		return d.json.SkipValue()
	case '[':
	default:
		return d.wrong(expected)
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	for d.json.PeekKind() != ']' {
		if err := element(); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// number reads a number of at least 0, however it is written.
func (d *decoder) number(n *number) error {
	n.given = true
	switch d.json.PeekKind() {
	case 'n': // up to 22.05: no limit was set
		n.infinite = true
		return d.json.SkipValue()
	case '0', '"':
		token, err := d.json.ReadToken()
		if err == nil {
			d.set(n, token.String())
		}
		return err
	case '{':
		set, infinite := true, false
		var inner number
		err := d.object("a number", func(name string) error {
			switch name {
			case "set":
				return d.boolean(&set)
			case "infinite":
				return d.boolean(&infinite)
			case "number":
				if d.json.PeekKind() == '{' {
					return d.wrong("a number")
				}
				return d.number(&inner)
			}
			return d.json.SkipValue()
		})
		*n = number{given: true, known: set && !infinite && inner.known, infinite: infinite, value: inner.value}
		return err
	}
	return d.wrong("a number, or an object of set, infinite and number")
}

// The values by which Slurm's 32-bit fields say that nothing is set, or no limit.
const (
	unset   = 0xfffffffe
	endless = 0xffffffff
)

// set reads the text of a number.
func (d *decoder) set(n *number, text string) {
	switch strings.ToUpper(text) {
	case "", "N/A", "NONE", "NO_VAL", "UNKNOWN", "PARTITION_LIMIT":
		return
	case "INFINITE", "UNLIMITED":
		n.infinite = true
		return
	}
	x, err := lines.NonNegative(text)
	if err != nil {
		d.fault("%s", err)
		return
	}
	switch x {
	case unset:
	case endless:
		n.infinite = true
	default:
		n.known, n.value = true, x
	}
}

// boolean reads a truth value.
func (d *decoder) boolean(b *bool) error {
	switch d.json.PeekKind() {
	case 'n':
		return d.json.SkipValue()
	case 't', 'f':
		token, err := d.json.ReadToken()
		if err == nil {
			*b = token.Bool()
		}
		return err
	}
	return d.wrong("true or false")
}

// text reads a text. A number, however it is written, is its digits; null is no text.
func (d *decoder) text(text *string) error {
	switch d.json.PeekKind() {
	case 'n':
		return d.json.SkipValue()
	case '"':
		token, err := d.json.ReadToken()
		if err == nil {
			*text = d.intern(token.String())
		}
		return err
	case '0', '{':
		var n number
		err := d.number(&n)
		if n.known {
			*text = strconv.FormatFloat(n.value, 'f', -1, 64)
		}
		return err
	}
	return d.wrong("a text")
}

// words reads a list of words, or a single word.
func (d *decoder) words(words *[]string) error {
	if d.json.PeekKind() != '[' {
		var word string
		err := d.text(&word)
		if word != "" {
			*words = append(*words, word)
		}
		return err
	}
	return d.array("a list of words", func() error {
		var word string
		err := d.text(&word)
		const most = 10_000
		if len(*words) == most {
			d.fault("expected at most %d words, found more", most)
			return errEnd
		}
		*words = append(*words, word)
		return err
	})
}

// intern returns one copy of a short text that occurs often. The table is bounded: past that, texts are kept as they are.
func (d *decoder) intern(text string) string {
	const longest, most = 64, 1 << 16
	if known, ok := d.texts[text]; ok {
		return known
	}
	if len(text) <= longest && len(d.texts) < most {
		d.texts[text] = text
	}
	return text
}

// whole returns a number as a whole number of at most the given one. It adds a fault at the place for any other number.
func whole(n number, most int, faults *lines.Faults, place string) int {
	switch {
	case !n.known:
		return 0
	case n.value != math.Trunc(n.value) || n.value > float64(most):
		faults.At(place, "expected a whole number of at most %d, found %v", most, n.value)
		return 0
	}
	return int(n.value)
}
