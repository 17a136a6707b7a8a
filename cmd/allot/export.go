package main

import (
	"io"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
)

func exportCommand() *cli.Command {
	command := &cli.Command{
		Name:      "export",
		Usage:     "write a schedule in another tool's format",
		ArgsUsage: "FORMAT INSTANCE SOLUTION",
		Description: `Writes to standard output or to -o FILE. The solution must pass the checker. allot import can read each format.

Examples:
  allot export swf trace.json plan.json -o plan.swf
  allot export batsim trace.json plan.json | head`,
	}
	for _, format := range formats.Writers() {
		command.Subcommands = append(command.Subcommands, exportFormat(format))
	}
	names := commandNames(command.Subcommands)
	command.Action = func(c *cli.Context) error {
		return noSuch("a format", c.Args().First(), names)
	}
	return command
}

// exportFormat is the subcommand of one format.
func exportFormat(format formats.Writer) *cli.Command {
	return &cli.Command{
		Name:        format.Name,
		Usage:       format.Doc,
		ArgsUsage:   "INSTANCE SOLUTION",
		Description: "Example:\n  allot export " + format.Name + " instance.json plan.json",
		Flags:       []cli.Flag{outputFlag},
		Action: func(c *cli.Context) error {
			if err := checkWritable(c.String("output")); err != nil {
				return err
			}
			in, sol, err := schedulesOf(c, 1)
			if err != nil {
				return err
			}
			return write(c, c.String("output"), func(w io.Writer) error {
				out := &output{Writer: w}
				if err := format.Write(out, in, sol[0]); err != nil && out.err == nil { // the format cannot hold the schedule
					return usageErrorf("%s: %w", model.InputName(c.Args().First()), err)
				}
				return out.err
			})
		},
	}
}

// schedulesOf reads the arguments INSTANCE SOLUTION…, with at most most solutions. Each solution must pass the checker.
func schedulesOf(c *cli.Context, most int) (*model.Instance, []*model.Solution, error) {
	args := c.Args().Slice()
	if len(args) < 2 || len(args) > 1+most {
		expected := "INSTANCE SOLUTION"
		if most > 1 {
			expected += "…"
		}
		return nil, nil, usageErrorf("expected %s, found %s; see %s --help", expected, numtext.Counted(len(args), "argument"), c.Command.HelpName)
	}
	in, list, err := readSchedules(args[0], args[1:]...)
	if err != nil {
		return nil, nil, err
	}
	for k, sol := range list {
		if report := model.Check(in, sol); !report.OK() {
			return nil, nil, &statusError{exitViolations, &checkError{args[1+k], report.Violations[0]}}
		}
	}
	return in, list, nil
}

// readSchedules reads an instance and solutions of it. At most one of the files may be standard input. It does not check the solutions.
func readSchedules(instance string, solutions ...string) (*model.Instance, []*model.Solution, error) {
	return schedulesOn(readInstance, instance, solutions...)
}

// schedulesOn is [readSchedules] with a function that reads the instance.
func schedulesOn(read func(path string) (*model.Instance, error), instance string, solutions ...string) (*model.Instance, []*model.Solution, error) {
	if err := oneFromStdin("INSTANCE and SOLUTION", append([]string{instance}, solutions...)...); err != nil {
		return nil, nil, err
	}
	in, err := read(instance)
	if err != nil {
		return nil, nil, err
	}
	var list []*model.Solution
	for _, path := range solutions {
		sol, err := model.ReadSolutionFile(path)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, sol)
	}
	return in, list, nil
}

// checkError says that the checker refuses a solution.
type checkError struct {
	path string
	err  error
}

func (e *checkError) Error() string {
	return e.path + ": the checker refuses the schedule: " + e.err.Error()
}
func (e *checkError) Unwrap() error { return e.err }
