package main

import (
	"fmt"
	"io"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/model"
)

// showsChart says that the solution is for a reader at a terminal, who wants to see the schedule and not its JSON, and how many columns a
// chart may have there.
func showsChart(c *cli.Context) (columns int, ok bool) {
	terminal := terminalOf(c.App.Writer)
	if terminal == nil || c.IsSet("output") {
		return 0, false
	}
	return chartColumns(terminal), true
}

// chartColumns is the width of a text chart on the terminal; 0: the terminal does not say how wide it is.
func chartColumns(terminal *os.File) int {
	columns := widthOf(terminal)
	if columns <= 0 {
		return 0
	}
	return min(max(columns, 40), 200) // wider is hard to read
}

// showOnTerminal writes a chart of the schedule and the summary to standard output, and how to keep the solution to standard error. A
// schedule that cannot be drawn is no failure: the summary says how good it is.
func showOnTerminal(c *cli.Context, in *model.Instance, sol *model.Solution, columns int, summary string) error {
	picture, err := draw.Gantt(sol, draw.GanttOptions{Instance: in, Width: columns})
	if err != nil {
		fmt.Fprintf(c.App.ErrWriter, "allot: no chart: %s\n", printable(err.Error()))
	}
	err = write(c, "-", func(w io.Writer) error {
		if picture != nil {
			if err := picture.Write(w, draw.Text); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, summary)
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.App.ErrWriter, "  to keep the solution: -o FILE writes it as JSON; -o - writes it here")
	return err
}
