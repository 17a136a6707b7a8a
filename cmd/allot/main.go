// Command allot allocates batches of jobs to clusters: it solves, checks, compares, imports, generates and draws. Each
// subcommand is one file; what they do is in the packages.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Exit statuses.
const (
	exitOK         = 0
	exitFailure    = 1 // a file cannot be written, a bug
	exitInput      = 2 // usage or invalid input
	exitViolations = 3 // infeasible, or a schedule that the checker refuses
	exitNoSolution = 4 // stopped by a limit with no solution
)

// statusError is an error with the exit status it calls for.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// usageErrorf is an error of how the command was called, or of its input.
func usageErrorf(format string, args ...any) error {
	return &statusError{exitInput, fmt.Errorf(format, args...)}
}

// statusOf is the exit status that an error calls for.
func statusOf(err error) int {
	var status *statusError
	var input *model.InputError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return status.status
	case errors.As(err, &input), errors.Is(err, solve.ErrUnsupported):
		return exitInput
	}
	return exitFailure
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first Ctrl-C asks for the best so far; once it has been taken, a second one ends the program at once.
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args, os.Stdout, os.Stderr))
}

// run runs the command and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	app := newApp(stdout, stderr)
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err != nil && err.Error() != "" {
		fmt.Fprintf(stderr, "allot: %s\n", err)
	}
	return statusOf(err)
}

// newApp puts the subcommands together.
func newApp(stdout, stderr io.Writer) *cli.App {
	app := &cli.App{
		Name:  "allot",
		Usage: "allocate batches of jobs to clusters",
		UsageText: `allot COMMAND [options] [arguments]

Examples:
  allot solve examples/multicluster.json
  allot import swf --jobs 2000 --batch TRACE.swf.gz | allot compare -

Exit status: 0 solved or ok, 1 failure, 2 usage or invalid input, 3 infeasible or violations,
4 stopped by a limit with no solution.`,
		Version:              solve.Version(),
		Writer:               stdout,
		ErrWriter:            stderr,
		EnableBashCompletion: true,
		Suggest:              true,
		HideHelpCommand:      true,
		ExitErrHandler:       func(*cli.Context, error) {}, // run decides
		OnUsageError:         onUsageError,
		Commands: []*cli.Command{
			solveCommand(), checkCommand(), compareCommand(), solversCommand(), metricsCommand(), schemaCommand(),
			importCommand(), generateCommand(), ganttCommand(), completionCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageErrorf("unknown command %q; allot --help lists the commands", c.Args().First())
			}
			return cli.ShowAppHelp(c)
		},
	}
	setUsageErrors(app.Commands)
	return app
}

// setUsageErrors makes every command report wrong flags the same way.
func setUsageErrors(commands []*cli.Command) {
	for _, command := range commands {
		command.OnUsageError = onUsageError
		command.HideHelpCommand = true
		setUsageErrors(command.Subcommands)
	}
}

// onUsageError reports a wrong flag.
func onUsageError(c *cli.Context, err error, _ bool) error {
	return usageErrorf("%s; see allot %s --help", err, c.Command.Name)
}
