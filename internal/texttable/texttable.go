// Package texttable makes the tables that commands print.
package texttable

import (
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// New is a table with a header, whose words stay as they are. The first columns hold texts; those after them hold numbers, which end at the right.
func New(texts int, header ...any) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.StyleLight)
	t.Style().Format.Header = text.FormatDefault
	t.AppendHeader(header)
	t.SetColumnConfigs(numbers(texts, len(header)))
	return t
}

// NewBroken is [New] with at most the given number of letters of the last column of texts on a line; 0: no limit.
func NewBroken(most, texts int, header ...any) table.Writer {
	t := New(texts, header...)
	t.SetColumnConfigs(append(numbers(texts, len(header)), table.ColumnConfig{Number: texts, WidthMax: most}))
	return t
}

// numbers are the columns that end at the right: those after the first.
func numbers(texts, columns int) (list []table.ColumnConfig) {
	for column := texts + 1; column <= columns; column++ {
		list = append(list, table.ColumnConfig{Number: column, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return list
}
