package lines

import (
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Bounded passes on a table and fails when a row is longer than [MaxLength]. The reader of rows holds a whole row, so this limits its
// memory. A row may have several lines, because a cell in quotes may contain line breaks.
type Bounded struct {
	r    io.Reader
	used int // bytes of the row that is asked for
}

// NewBounded bounds the rows of r.
func NewBounded(r io.Reader) *Bounded { return &Bounded{r: r} }

// Begin says that the next row is asked for.
func (b *Bounded) Begin() { b.used = 0 }

// Read implements io.Reader. The reader of rows buffers ahead, by less than the margin.
func (b *Bounded) Read(buffer []byte) (int, error) {
	const margin = 1 << 12
	if b.used > MaxLength+margin {
		return 0, errors.New(TooLong)
	}
	n, err := b.r.Read(buffer)
	b.used += n
	return n, err
}

// Rows reads a table of comma-separated values (RFC 4180), whose first row names the columns. It calls header for the first row and row for each
// other one, with the line on which it begins, until one of them returns false. The cells are theirs until they return. These are faults: a row
// that cannot be read, which ends the reading; a row with more or fewer cells than the first; and a table without rows.
func (f *Faults) Rows(r io.Reader, header, row func(line int, cells []string) bool) {
	limited := NewBounded(r)
	rows := csv.NewReader(limited)
	rows.FieldsPerRecord = -1 // checked here, for a better message
	rows.TrimLeadingSpace, rows.ReuseRecord = true, true
	for width, last := 0, 0; ; {
		limited.Begin()
		cells, err := rows.Read()
		var syntax *csv.ParseError
		switch {
		case err == io.EOF && width == 0:
			f.At("", "expected a first row with the names of the columns, found an empty file")
			return
		case err == io.EOF:
			return
		case errors.As(err, &syntax):
			f.Line(syntax.StartLine, "expected a row of cells apart by commas, found a mistake at column %d of line %d: %s", syntax.Column, syntax.Line, syntax.Err)
			return
		case err != nil:
			f.Line(last+1, "%s", err)
			return
		}
		line, _ := rows.FieldPos(0)
		last, _ = rows.FieldPos(len(cells) - 1)
		more := true
		switch {
		case width == 0:
			width = len(cells)
			cells[0] = strings.TrimPrefix(cells[0], "\ufeff")
			more = header(line, cells)
		case len(cells) != width:
			f.Line(line, "expected %d cells, as the first row has, found %d", width, len(cells))
		default:
			more = f.Names("line "+strconv.Itoa(line), 1) && row(line, cells)
		}
		if !more {
			return
		}
	}
}
