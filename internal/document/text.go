package document

import (
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	align "github.com/jedib0t/go-pretty/v6/text"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/plaintext"
	"github.com/allot-opt/allot/internal/texttable"
)

// Widths of columns of a text, in cells.
const (
	leastLabel = 12 // of the first column, whose names fold, where all others have room beside it then
	mostLabel  = 22 // of the first column where they have not
	mostHeader = 14 // of a header that is wider than what is below it
)

// Text is the table for a terminal, no wider than [texttable.Columns] and without details. If its columns have no room beside each other, the rest of them goes to further parts
// below.
func (t *Table) Text() string {
	const border, apart = 1, 3
	var columns []int
	widths := make([]int, len(t.Columns))
	label := texttable.Columns - border - apart
	for k, c := range t.Columns {
		if c.IsDetail {
			continue
		}
		columns = append(columns, k)
		if widths[k] = texttable.Cells(c.Name); k > 0 {
			widths[k] = min(widths[k], mostHeader)
		}
		for _, row := range t.Rows {
			widths[k] = max(widths[k], texttable.Cells(row[k].Text))
		}
		if k > 0 {
			label -= widths[k] + apart
		}
	}
	if label < leastLabel {
		label = mostLabel
	}
	widths[0] = min(widths[0], label)
	var b strings.Builder
	for _, part := range t.split(columns, func(k int) int { return widths[k] + apart }, texttable.Columns-border) {
		fold := func(k int, text string) any { return texttable.Fold(plaintext.Printable(text), widths[k]) }
		w := texttable.New(len(part), kit.Each(part, func(k int) any { return fold(k, t.Columns[k].Name) })...)
		for _, row := range t.Rows {
			w.AppendRow(table.Row(kit.Each(part, func(k int) any { return fold(k, row[k].Text) })))
		}
		var numbers []table.ColumnConfig
		for n, k := range part {
			if !t.Columns[k].IsText {
				numbers = append(numbers, table.ColumnConfig{Number: n + 1, Align: align.AlignRight, AlignHeader: align.AlignRight})
			}
		}
		w.SetColumnConfigs(numbers)
		b.WriteString(w.Render() + "\n")
	}
	return b.String()
}

// split divides columns so that each part has room. The first ones are in every part, and details stay with the column before them.
func (t *Table) split(columns []int, size func(column int) int, room int) (parts [][]int) {
	common, rest := columns[:max(1, t.Common)], columns[max(1, t.Common):]
	for len(rest) > 0 || parts == nil {
		part, left := slices.Clone(common), room
		for _, k := range common {
			left -= size(k)
		}
		for len(rest) > 0 {
			n, needs := 1, size(rest[0])
			for ; n < len(rest) && t.Columns[rest[n]].IsDetail; n++ {
				needs += size(rest[n])
			}
			if left -= needs; left < 0 && len(part) > len(common) {
				break
			}
			part, rest = append(part, rest[:n]...), rest[n:]
		}
		parts = append(parts, part)
	}
	return parts
}
