package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/urfave/cli/v2"
)

// TestHelpColumns: the help of every command fits 80 columns, and is what the page of options shows.
func TestHelpColumns(t *testing.T) {
	var out bytes.Buffer
	app := newApp(&out, &out)
	commands := 0
	page := bytes.NewBufferString("# Options of all commands\n\nWhat `allot help COMMAND` prints; [commands](commands.md) says which one to take. Written by `go test ./cmd/allot -run TestHelpColumns -update`.\n")
	var visit func(path []string, list []*cli.Command)
	visit = func(path []string, list []*cli.Command) {
		out.Reset()
		if status := run(t.Context(), append([]string{"allot", "help"}, path...), &out, &out); status != exitOK {
			t.Fatalf("allot help %s: status %d", strings.Join(path, " "), status)
		}
		commands++
		if path != nil {
			fmt.Fprintf(page, "\n## %s\n\n```text\n%s```\n", strings.Join(path, " "), out.String())
		}
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			words := strings.Fields(line)
			if utf8.RuneCountInString(line) > helpColumns && len(words) > 1 {
				t.Errorf("allot help %s: a line longer than %d columns:\n%s", strings.Join(path, " "), helpColumns, line)
			}
			if line != strings.TrimRight(line, " ") {
				t.Errorf("allot help %s: a line ends with a blank: %q", strings.Join(path, " "), line)
			}
		}
		for _, command := range list {
			visit(append(slices.Clone(path), command.Name), command.Subcommands)
		}
	}
	visit(nil, app.Commands)
	if commands < 40 {
		t.Errorf("found %d commands", commands)
	}
	const name = "../../docs/reference/options.md"
	if *update {
		if err := os.WriteFile(name, page.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(name); err != nil || !bytes.Equal(text, page.Bytes()) {
		t.Errorf("%s is not current (%v): go test ./cmd/allot -run TestHelpColumns -update", name, err)
	}
}

func TestWrapHelp(t *testing.T) {
	const text = `NAME:
   allot x - a b c d e f g h i j k l m n

USAGE:
   allot x A
   allot x B

DESCRIPTION:
   One two
   three four five six seven eight nine.

   Files:
     a.csv      one two three four five
     b          one
   The end.

   Examples:
     allot x --one 1 --two 2 --three 3
     allot x

OPTIONS:
   --name N  one two three four five
   --a-very-long-name N  one
   --help
`
	const want = `NAME:
   allot x - a b c d e f g h i
   j k l m n

USAGE:
   allot x A
   allot x B

DESCRIPTION:
   One two three four five six
   seven eight nine.

   Files:
     a.csv
         one two three four
         five
     b
         one
   The end.

   Examples:
     allot x --one 1 --two 2 \
       --three 3
     allot x

OPTIONS:
   --name N  one two three four
             five
   --a-very-long-name N
       one
   --help
`
	if got := wrapHelp(text, 31); got != want {
		t.Errorf("got\n%s", got)
	}
	if got := wrapHelp("   überlänge\u00a0x y\n", 5); got != "   überlänge\u00a0x\n   y\n" {
		t.Errorf("got %q", got)
	}
}
