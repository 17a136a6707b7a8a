package document

import (
	"encoding/csv"
	"io"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/plaintext"
)

// Markdown is the table in Markdown, the best in bold.
func (t *Table) Markdown() string {
	var b strings.Builder
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	line(kit.Each(t.Columns, func(c Column) string { return MarkdownText(c.Name) }))
	line(kit.Each(t.Columns, func(c Column) string {
		if c.IsText {
			return "---"
		}
		return "---:"
	}))
	for _, rows := range [][][]Cell{t.Rows, t.Foot} {
		for _, row := range rows {
			line(kit.Each(row, func(c Cell) string {
				if c.IsGood {
					return "**" + MarkdownText(c.Text) + "**"
				}
				return MarkdownText(c.Text)
			}))
		}
	}
	return b.String()
}

// MarkdownText is a text as it stands in Markdown.
func MarkdownText(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '<':
			b.WriteString("&lt;")
			continue
		case r == '&':
			b.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|~$", r):
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// CSV writes the table for programs: a number with all its digits, a text so that no spreadsheet takes it for a formula, and nothing for what does not exist.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(kit.Each(t.Columns, func(c Column) string { return c.Name })) // Error tells
	for _, row := range t.Rows {
		_ = out.Write(kit.Each(row, func(c Cell) string {
			if c.Value != nil {
				return numtext.Exact(c.Value)
			}
			return plaintext.Cell(c.Text)
		}))
	}
	out.Flush()
	return out.Error()
}

// Exact is a cell for programs: a number, or nothing for nil.
func Exact(x *float64) Cell { return Cell{Value: x} }

// Plain is a cell for programs: a text as it is.
func Plain(text string) Cell { return Cell{Text: text} }
