package main

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// Columns of the help.
const (
	helpColumns = 80  // where the help does not go to a terminal
	mostColumns = 120 // longer lines are hard to read
)

// The library writes the help through this variable. The texts of the commands have no line ends for a particular width, so the lines break here.
func init() {
	unbroken := cli.HelpPrinterCustom
	cli.HelpPrinterCustom = func(out io.Writer, template string, data any, funcs map[string]any) {
		var text bytes.Buffer
		unbroken(&text, template, data, funcs)
		columns := helpColumns
		if terminal := terminalOf(out); terminal != nil {
			if width := widthOf(terminal); width > 0 {
				columns = min(width, mostColumns)
			}
		}
		_, _ = io.WriteString(out, wrapHelp(text.String(), columns)) // the writer keeps its error, see [output]
	}
}

// wrapHelp breaks the lines of a help text at blanks, so that none is longer than the columns unless a single word is. The lines of a paragraph of the
// description become one first. The rest of a line is indented: in a list under the text behind the name, otherwise a little more than the line.
func wrapHelp(text string, columns int) string {
	var out strings.Builder
	for _, line := range joinParagraphs(strings.Split(strings.TrimSuffix(text, "\n"), "\n")) {
		out.WriteString(wrapLine(strings.TrimRight(line, " "), columns))
		out.WriteByte('\n')
	}
	return out.String()
}

// joinParagraphs makes one line of each paragraph of the description. Lines that are indented further, such as examples, stay as they are.
func joinParagraphs(lines []string) []string {
	const indent = "   " // of the description
	var joined []string
	describes, within := false, false
	for _, line := range lines {
		if line != "" && line[0] != ' ' {
			describes = line == "DESCRIPTION:"
		}
		prose := describes && strings.HasPrefix(line, indent) && len(line) > len(indent) && line[len(indent)] != ' '
		if prose && within {
			joined[len(joined)-1] += " " + strings.TrimSpace(line)
		} else {
			joined = append(joined, line)
		}
		within = prose
	}
	return joined
}

// listed finds a name of a list with the blanks before the text: an option, a command or a file. Names have single blanks at most.
var listed = regexp.MustCompile(`^ +\S+(?: \S+)*? {2,}`)

// wrapLine breaks one line. Where a list leaves less than half of the columns to its texts, they stand on lines of their own. A command, which is indented
// but in no list, goes on after a backslash, as the shell reads it.
func wrapLine(line string, columns int) string {
	const text = 3 // the indent of what is no command
	indent := len(line) - len(strings.TrimLeft(line, " "))
	name := listed.FindString(line)
	hang, end := indent, ""
	var out strings.Builder
	switch width := utf8.RuneCountInString(name); {
	case name != "" && width > columns/2:
		hang = indent + 4
		out.WriteString(strings.TrimRight(name, " ") + "\n" + strings.Repeat(" ", hang))
	case utf8.RuneCountInString(line) <= columns:
		return line
	case name != "":
		hang = width
		out.WriteString(name)
	default:
		if indent > text {
			hang, end = indent+2, ` \`
		}
		out.WriteString(strings.Repeat(" ", indent))
		name = line[:indent]
	}
	at := hang
	if end != "" {
		at = indent
	}
	words := strings.FieldsFunc(line[len(name):], func(r rune) bool { return r == ' ' }) // a no-break space keeps words together
	for k, word := range words {
		size, room := utf8.RuneCountInString(word), columns
		if k+1 < len(words) {
			room -= len(end)
		}
		switch {
		case k == 0:
		case at+1+size > room:
			out.WriteString(end + "\n" + strings.Repeat(" ", hang))
			at = hang
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += size
	}
	return out.String()
}
