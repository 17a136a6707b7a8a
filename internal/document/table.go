package document

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
)

// Table is a table that sorts.
type Table struct {
	ID      string // on the page
	Caption string
	Columns []Column
	Common  int // how many of the first columns are in every part of a table that is too wide; 0: 1
	Rows    [][]Cell
	Note    string   // below it
	Foot    [][]Cell // stays below, however the rows are sorted
}

// NewTable is a table without rows, the first of whose columns are texts.
func NewTable(caption string, texts int, columns ...string) *Table {
	t := &Table{Caption: caption}
	for k, name := range columns {
		t.Columns = append(t.Columns, Column{Name: name, IsText: k < texts})
	}
	return t
}

// Add adds a row.
func (t *Table) Add(cells ...Cell) { t.Rows = append(t.Rows, cells) }

// Column is the head of a column.
type Column struct {
	Name, Help string
	IsText     bool   // sorts as text and stands left
	IsDetail   bool   // of the column before it; a text for a terminal leaves it out
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

// Texts are cells of texts.
func Texts(texts ...string) []Cell { return kit.Each(texts, Text) }

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

// forPage is the table in parts that paper has room for.
func (t *Table) forPage(id string) (parts []*Table) {
	const most = 10 // columns
	var all []int
	for k := range t.Columns {
		all = append(all, k)
	}
	for n, part := range t.split(all, func(int) int { return 1 }, most) {
		p := t.Only(part)
		if p.ID = id; n > 0 {
			p.ID, p.Caption, parts[n-1].Note = fmt.Sprint(id, "-", n+1), t.Caption+", further columns", ""
		}
		parts = append(parts, p)
	}
	return parts
}

// Only is the table with the columns of the given places alone.
func (t *Table) Only(places []int) *Table {
	only := *t
	only.Columns, only.Rows, only.Foot = pick([][]Column{t.Columns}, places)[0], pick(t.Rows, places), pick(t.Foot, places)
	return &only
}

// pick are rows with the columns of the given places alone.
func pick[T any](rows [][]T, places []int) [][]T {
	return kit.Each(rows, func(row []T) []T { return kit.Each(places, func(k int) T { return row[k] }) })
}
