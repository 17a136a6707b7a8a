package main

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/taken"
)

func solversCommand() *cli.Command {
	return &cli.Command{
		Name:      "solvers",
		Usage:     "list the solvers with their parameters and sources, or describe one",
		ArgsUsage: "[NAME]",
		Description: `With NAME it describes that solver in full: what it does, its source, its parameters with defaults and ranges, and which features
of instances it supports.

Examples:
  allot solvers
  allot solvers muscle
  allot solvers --json
  allot solvers --matrix`,
		Flags:  []cli.Flag{jsonFlag, &cli.BoolFlag{Name: "matrix", Usage: "show what each solver takes: features of instances, objectives, and the rest"}},
		Action: runSolvers,
	}
}

// runSolvers lists the solvers, or describes one.
func runSolvers(c *cli.Context) error {
	if c.Bool("matrix") {
		if c.NArg() > 0 {
			return usageErrorf("--matrix shows all solvers; expected no NAME, found %q", c.Args().First())
		}
		return writeMatrix(c)
	}
	if c.NArg() > 0 {
		args, err := arguments(c, "NAME")
		if err != nil {
			return err
		}
		return describeSolver(c, args[0])
	}
	list := solve.Describe()
	return writeAnswer(c, "-", list, func() string { return solversText(list) })
}

// writeMatrix shows what each solver takes.
func writeMatrix(c *cli.Context) error {
	rows, err := taken.All()
	if err != nil {
		return err
	}
	return writeAnswer(c, "-", rows, func() string { return taken.Text(rows) })
}

// solversText lists the solvers for people.
func solversText(list []solve.Description) string {
	w := new(strings.Builder)
	for k := range list {
		w.WriteString(describedSolver(&list[k]))
	}
	fmt.Fprintln(w, "a+b: solve with a, then start b from its solution")
	fmt.Fprintln(w, "exec:COMMAND: your own program, which reads the instance from standard input and writes solutions to standard output; everything after exec: belongs to COMMAND, so it comes last in a+b and in a list of solvers. See examples/external/README.md")
	fmt.Fprintln(w, "exec-online:COMMAND: your own on-line policy, a program that reads events from standard input and writes which jobs start to standard output. See docs/exec-online.md")
	return w.String()
}

// describedSolver is a solver for people.
func describedSolver(d *solve.Description) string {
	w := new(strings.Builder)
	fmt.Fprintf(w, "%s\n  %s\n  %s\n", d.Name, d.Doc, d.Source)
	if d.Absent != "" {
		fmt.Fprintf(w, "  %s\n", d.Absent)
	}
	if d.AllocatesBy != "" {
		fmt.Fprintf(w, "  allocates by %s, whatever the instance minimises\n", d.AllocatesBy)
	}
	for _, p := range d.Parameters {
		values := typeInWords(p.Type)
		if p.Values != nil {
			values = strings.Join(p.Values, "|")
		}
		fmt.Fprintf(w, "  --param %s=%s (%s): %s\n", p.Name, p.Default, values, p.Usage())
	}
	return w.String()
}

// typeInWords describes a type of Go for people who do not program in Go.
func typeInWords(name string) string {
	switch {
	case name == "bool":
		return "true|false"
	case name == "string":
		return "text"
	case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"):
		return "whole number"
	case strings.HasPrefix(name, "float"):
		return "number"
	}
	return name
}

// describeSolver writes all that there is to know of one solver.
func describeSolver(c *cli.Context, name string) error {
	page, err := answers.Solver(name)
	if err != nil {
		return argumentError(err)
	}
	return writeAnswer(c, "-", page, func() string { return pageText(page) })
}

// pageText is the page of a solver for people.
func pageText(page *answers.SolverPage) string {
	text := new(strings.Builder)
	text.WriteString(describedSolver(&page.Description))
	if len(page.Parameters) == 0 {
		text.WriteString("  it has no parameters\n")
	}
	if page.Online {
		elsewhere := "allot replay and allot simulate accept it too"
		if rules := page.Policy.Discipline(); rules.InTraces() != nil {
			elsewhere = "allot simulate accepts it too"
		}
		text.WriteString("  on line: it learns of a job, with its estimate, when the job arrives; " + elsewhere + "\n")
	}
	if page.Starts {
		fmt.Fprintf(text, "  starts from a solution: --start FILE, or a+%s after another solver a\n", page.Name)
	}
	if page.Traces {
		fmt.Fprintf(text, "  states its steps: allot explain --trace --solver %s INSTANCE\n", page.Name)
	}
	if page.Support != nil {
		writeSupport(text, page.Support)
	}
	return text.String()
}
