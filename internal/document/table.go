package document

import (
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
)

// Table is a table that sorts.
type Table struct {
	ID      string // on the page
	Caption string
	Columns []Column
	Rows    [][]Cell
	Foot    [][]Cell // stays below, however the rows are sorted
}

// Column is the head of a column.
type Column struct {
	Name, Help string
	IsText     bool   // sorts as text and stands left
	First      string // the direction of the first click, descending where more is better
}

// Cell is a place in a table: what people see, and the number that it shows.
type Cell struct {
	Text          string
	Value         *float64 // to sort by, and for programs to read, in place of the text; nil: the text is all
	IsGood, IsBad bool
}

// Missing is written in place of a figure that does not exist.
const Missing = "–"

// Text is a cell of text without letters that do not print.
func Text(s string) Cell { return Cell{Text: Printable(s)} }

// Number is a cell of a number, whatever the text rounds it to; NaN: it does not exist.
func Number(x float64, text string) Cell {
	if math.IsNaN(x) {
		return Cell{Text: Missing}
	}
	return Cell{Text: text, Value: &x}
}

// Maybe is a cell of a number as write has it for people; nil: it does not exist.
func Maybe(x *float64, write func(float64) string) Cell {
	if x == nil {
		return Cell{Text: Missing}
	}
	return Number(*x, write(*x))
}

// Count is a cell of a whole number, whose text says all of it.
func Count(n int) Cell { return Cell{Text: Whole(n)} }

// Whole writes a whole number with its thousands grouped.
func Whole[T int | int64 | uint64](n T) string {
	return numtext.Grouped(strconv.FormatInt(int64(n), 10))
}

// Rounded writes a number with the given number of significant digits; a dash if it is missing.
func Rounded(x float64, digits int) string {
	if math.IsNaN(x) {
		return Missing
	}
	return strings.Replace(numtext.Significant(x, digits), "-", "−", 1)
}

// Key is the number that the page sorts a cell by; empty: by the text.
func (c Cell) Key() string {
	if c.Value == nil {
		return ""
	}
	return strconv.FormatFloat(*c.Value, 'g', 12, 64)
}
