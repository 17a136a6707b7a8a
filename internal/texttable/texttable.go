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
	var numbers []table.ColumnConfig
	for column := texts + 1; column <= len(header); column++ {
		numbers = append(numbers, table.ColumnConfig{Number: column, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	t.SetColumnConfigs(numbers)
	return t
}
