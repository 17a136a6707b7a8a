// Command allot allocates batches of jobs to clusters: it solves, checks, compares, imports, generates and draws. Run allot help for
// the list of subcommands. Each subcommand is one file, which only reads flags and writes results; the packages do the work.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/sim"
	"github.com/allot-opt/allot/solve"
	_ "github.com/allot-opt/allot/solvers"
)

// Exit statuses.
const (
	exitOK         = 0
	exitFailure    = 1 // a file that cannot be written, or a bug
	exitInput      = 2 // usage or invalid input
	exitViolations = 3 // infeasible, or a schedule that the checker refuses
	exitNoSolution = 4 // stopped by a limit with no solution; no certificate to check
)

// statusError is an error with its exit status.
type statusError struct {
	status int
	err    error
}

func (e *statusError) Error() string { return e.err.Error() }
func (e *statusError) Unwrap() error { return e.err }

// usageErrorf makes an error for wrong usage or wrong input, with exit status 2.
func usageErrorf(format string, args ...any) error {
	return &statusError{exitInput, fmt.Errorf(format, args...)}
}

// statusOf returns the exit status for an error.
func statusOf(err error) int {
	var status *statusError
	var input *model.InputError
	var parameter *params.Error
	var wrong *solve.WrongScheduleError
	var policy *answers.PolicyError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &status):
		return status.status
	case errors.As(err, &policy):
		return policyStatuses[policy.Kind]
	case errors.As(err, &input), errors.As(err, &parameter), errors.Is(err, solve.ErrUnsupported), errors.Is(err, sim.ErrHorizon):
		return exitInput
	case errors.As(err, &wrong):
		return exitViolations
	}
	return exitFailure
}

// policyStatuses are the exit statuses where a policy has no schedule.
var policyStatuses = map[answers.PolicyFault]int{
	answers.PolicyFailed: exitFailure, answers.PolicyWrong: exitViolations, answers.PolicyUnsupported: exitInput, answers.PolicyInfeasible: exitViolations, answers.PolicyStopped: exitNoSolution,
}

func main() {
	os.Exit(run(context.Background(), os.Args, os.Stdout, os.Stderr))
}

// interruptible makes a context that ends with the first Ctrl-C, so that a solver can return its best solution so far. A second Ctrl-C ends the
// program at once. While no solver runs, the first one does so too. SIGTERM, the hangup of the terminal and other signals do as Ctrl-C does, but
// a second hangup is ignored, also by what is interruptible later: the writing of what the run has found. So that holds before anybody learns of the end.
func interruptible(ctx context.Context, others ...os.Signal) (context.Context, context.CancelFunc) {
	heard, stop := signal.NotifyContext(ctx, slices.Concat(others, stopSignals(), []os.Signal{os.Interrupt})...)
	if heard.Err() != nil { // it has ended before, and not by a signal
		return heard, stop
	}
	ctx, end := context.WithCancelCause(context.WithoutCancel(heard))
	context.AfterFunc(heard, func() {
		cause := context.Cause(heard)
		keepRunning(cause != context.Canceled) //nolint:errorlint // a signal is a cause of its own, which errors.Is takes for this one
		stop()
		end(cause)
	})
	return ctx, stop
}

// withinTime is like interruptible, but its context also ends after the time limit of the flag, if there is one.
func withinTime(c *cli.Context) (context.Context, context.CancelFunc) {
	ctx, stop := interruptible(c.Context)
	limit := c.Duration("time")
	if limit <= 0 {
		return ctx, stop
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	return timed, func() {
		cancel()
		stop()
	}
}

// commandLine is the key of the metadata that holds the command line, for pages that state it.
const commandLine = "command line"

// run runs the command and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &output{Writer: stdout}
	app := newApp(out, stderr)
	app.Metadata = map[string]any{commandLine: args}
	if len(args) < 2 || strings.HasPrefix(args[1], "-") { // no command: the help and --version show it, and to find it takes the sum of the executable
		app.Version = solve.Version()
	}
	if last := len(args) - 1; last > 0 && args[last] == completionFlag {
		complete(stdout, app, args[1:last])
		return exitOK
	}
	err := app.RunContext(ctx, flagsFirst(app, args))
	if err == nil {
		err = out.err
	}
	if err != nil && err.Error() != "" {
		fmt.Fprintf(stderr, "allot: %s\n", printable(err.Error()))
	}
	return statusOf(err)
}

// output is standard output. It keeps the first error, which the library that writes the help does not return.
type output struct {
	io.Writer
	err error
}

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	n, err := o.Writer.Write(text)
	o.err = cmp.Or(o.err, err)
	return n, err
}

// newApp puts the subcommands together.
func newApp(stdout, stderr io.Writer) *cli.App {
	var app *cli.App
	app = &cli.App{
		Name:  "allot",
		Usage: "allocate batches of jobs to clusters",
		UsageText: `allot COMMAND [options] [arguments]

Examples:
  allot solve examples/multicluster.json
  allot import swf --jobs 2000 --batch TRACE.swf.gz | allot compare -

Exit status: 0 solved or ok, 1 failure, 2 wrong usage or invalid input, 3 infeasible or violations, 4 stopped by a limit without a solution, or a bound without a certificate to check.`,
		Writer:          stdout,
		ErrWriter:       stderr,
		HideHelpCommand: true,
		ExitErrHandler:  func(*cli.Context, error) {}, // the function run handles errors instead
		OnUsageError:    onUsageError,
		Commands: []*cli.Command{
			solveCommand(), boundCommand(), checkCommand(), explainCommand(), compareCommand(), solversCommand(), metricsCommand(),
			schemaCommand(), importCommand(), exportCommand(), generateCommand(), benchCommand(), simulateCommand(), policiesCommand(), tuneCommand(), adviseCommand(), replayCommand(), ganttCommand(),
			plotCommand(), serveCommand(), reproduceCommand(), versionCommand(), completionCommand(),
		},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageErrorf("unknown command %q%s allot --help lists the commands", c.Args().First(),
					cmp.Or(suggest.Words(c.Args().First(), commandNames(app.Commands)), ";"))
			}
			return cli.ShowAppHelp(c)
		},
	}
	setUsageErrors(app.Commands)
	return app
}

// setUsageErrors makes every command report wrong flags and empty words the same way.
func setUsageErrors(commands []*cli.Command) {
	for _, command := range commands {
		command.OnUsageError = onUsageError
		if action := command.Action; action != nil {
			command.Action = func(c *cli.Context) error {
				if err := checkEmpty(c); err != nil {
					return err
				}
				return action(c)
			}
		}
		command.HideHelpCommand = true
		setUsageErrors(command.Subcommands)
	}
}

// onUsageError reports a wrong flag.
func onUsageError(c *cli.Context, err error, _ bool) error {
	command := c.Command.HelpName
	if command == "" {
		command = c.App.HelpName
	}
	text := err.Error()
	if before, ok := strings.CutSuffix(text, ": parse error"); ok { // add the expected value, which the library does not name
		name := before[strings.LastIndex(before, " -")+len(" -"):] // it stands at the end
		text = before + ": expected " + valueOf(flagNamed(c.Command.Flags, name))
	}
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		text += suggestedFlag(c.Command.Flags, strings.TrimPrefix(name, "-"))
	}
	return usageErrorf("%s; see %s --help", text, command)
}

// suggestedFlag asks whether the user meant a similar flag. It is empty if no flag is similar.
func suggestedFlag(flags []cli.Flag, wrong string) string {
	known := kit.Each(flags, func(flag cli.Flag) string { return flag.Names()[0] })
	if name := suggest.Name(wrong, known); name != "" {
		return "; did you mean --" + name + "?"
	}
	return ""
}

// valueOf says what a flag expects.
func valueOf(flag cli.Flag) string {
	switch flag.(type) {
	case *cli.DurationFlag:
		return "a duration such as 10s or 2m"
	case *cli.Uint64Flag:
		return "a whole number ≥ 0"
	case *cli.BoolFlag:
		return "true or false"
	case *cli.Float64Flag:
		return "a number"
	}
	return "a whole number"
}
