package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/solve"
)

func solversCommand() *cli.Command {
	return &cli.Command{
		Name:        "solvers",
		Usage:       "list the solvers with their parameters and sources",
		Description: "Example:\n  allot solvers --json",
		Flags:       []cli.Flag{jsonFlag},
		Action: func(c *cli.Context) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			if c.Bool("json") {
				return writeJSON(c, solve.Describe())
			}
			return write(c, "-", func(w io.Writer) error { return writeSolvers(w) })
		},
	}
}

// writeSolvers lists the solvers for people.
func writeSolvers(w io.Writer) error {
	for _, d := range solve.Describe() {
		fmt.Fprintf(w, "%s\n  %s\n  %s\n", d.Name, d.Doc, d.Source)
		if d.Absent != "" {
			fmt.Fprintf(w, "  %s\n", d.Absent)
		}
		for _, p := range d.Parameters {
			values := p.Type
			if p.Values != nil {
				values = strings.Join(p.Values, "|")
			}
			fmt.Fprintf(w, "  --param %s=%s (%s): %s\n", p.Name, p.Default, values, p.Usage())
		}
	}
	fmt.Fprintln(w, "a+b: solve with a, start b from its solution")
	fmt.Fprintln(w, "exec:COMMAND: a program of your own, which reads the instance on standard input and writes solutions on standard output; it takes the rest of a+b and of a list of solvers. See examples/external/README.md")
	return nil
}
