package document

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/internal/texttable"
)

// wide is a table of figures with every third column a detail.
func wide(columns, common int) *Table {
	t := &Table{Caption: "wide", Common: common, Note: "the note"}
	var row []Cell
	for k := range columns {
		t.Columns = append(t.Columns, Column{Name: fmt.Sprintf("column %d", k), IsText: k == 0, IsDetail: k >= common && k%3 == 2})
		row = append(row, Text(fmt.Sprintf("cell %d", k)))
	}
	t.Add(row...)
	return t
}

// A table that is too wide goes on below: every column is in one part, those that all parts have in each, and a detail stands beside its column. A terminal has no details.
func TestWideTables(t *testing.T) {
	for columns := 3; columns < 40; columns++ {
		for common := 1; common < 3; common++ {
			table := wide(columns, common)
			var seen []string
			parts := table.forPage("t")
			for n, part := range parts {
				if len(part.Columns) > 10 || len(part.Rows[0]) != len(part.Columns) || part.Columns[0].Name != "column 0" || part.Columns[common].IsDetail && common%3 != 2 {
					t.Fatalf("%d columns, %d common, part %d: %+v", columns, common, n, part.Columns)
				}
				if (part.Note != "") != (n == len(parts)-1) || slices.ContainsFunc(parts[:n], func(p *Table) bool { return p.ID == part.ID }) {
					t.Errorf("part %d has the note %q and the id %q", n, part.Note, part.ID)
				}
				for k := common; k < len(part.Columns); k++ {
					seen = append(seen, part.Columns[k].Name)
				}
			}
			for k, name := range seen {
				if name != table.Columns[common+k].Name {
					t.Fatalf("%d columns, %d common: the page has %q", columns, common, seen)
				}
			}
			text := table.Text()
			for line := range strings.Lines(text) {
				if texttable.Cells(strings.TrimSpace(line)) > texttable.Columns {
					t.Errorf("a line is too wide: %q", line)
				}
			}
			for k, c := range table.Columns {
				if got := strings.Contains(text, fmt.Sprintf(" cell %d ", k)); len(seen)+common != columns || got == c.IsDetail {
					t.Errorf("%d columns: column %d of the text is %v, %d are on the page:\n%s", columns, k, got, len(seen), text)
				}
			}
		}
	}
}

// Whatever a text holds, it is text in Markdown and in CSV; numbers have all digits in CSV and people see what is written for them.
func TestMarkup(t *testing.T) {
	x := 1.0 / 3
	table := NewTable("", 1, "name", "value")
	table.Add(Text("=<a>|*b*"), Cell{Text: "0.33", Value: &x, IsGood: true})
	table.Foot = [][]Cell{Texts("foot", Missing)}
	if got, want := table.Markdown(), "| name | value |\n| --- | ---: |\n| =&lt;a>\\|\\*b\\* | **0.33** |\n| foot | – |\n"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	var b bytes.Buffer
	if err := table.CSV(&b); err != nil || b.String() != "name,value\n'=<a>|*b*,0.3333333333333333\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
}
