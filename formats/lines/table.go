package lines

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// Table is a table of comma-separated values whose first row names the columns, in any order.
type Table struct {
	Faults *Faults
	Line   int // of the row being read

	columns map[string]int
	cells   []string
}

// Scan reads the table and calls row for each row after the first, even after a fault. The needed columns have to be there; of says, in a fault, among
// which columns. What is no table, or has no such columns, ends the reading.
func (t *Table) Scan(r io.Reader, needed []string, of string, row func()) {
	bounded := NewBounded(r)
	rows := csv.NewReader(bounded)
	rows.ReuseRecord = true
	for {
		bounded.Begin()
		cells, err := rows.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Faults.At("", "%s", err)
			return
		}
		t.cells = cells
		t.Line, _ = rows.FieldPos(0)
		if t.columns != nil {
			if !t.Faults.Names("line "+strconv.Itoa(t.Line), 1) {
				return
			}
			row()
			continue
		}
		if !t.header(needed, of) {
			return
		}
	}
	if t.columns == nil {
		t.Faults.At("", "expected a first row with the names of the columns, found an empty file")
	}
}

// header finds the columns.
func (t *Table) header(needed []string, of string) bool {
	t.columns = map[string]int{}
	for k, cell := range t.cells {
		t.columns[strings.Clone(strings.TrimPrefix(strings.TrimSpace(cell), "\ufeff"))] = k
	}
	for _, name := range needed {
		if _, ok := t.columns[name]; !ok {
			t.Faults.Line(t.Line, "expected a column %s among those of %s, found none", name, of)
		}
	}
	return t.Faults.None()
}

// Cell is a cell of the row, without white space around it, until the next row is read. It is empty if there is no such column.
func (t *Table) Cell(column string) string {
	if k, ok := t.columns[column]; ok {
		return strings.TrimSpace(t.cells[k])
	}
	return ""
}
