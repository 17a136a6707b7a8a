//go:build unix

// Command benchtable compares the figures of go test -bench with the baseline in bench/baseline and with the project's targets. It prints the
// mean and spread of both, whether they differ, and whether a target is met.
//
//	benchtable FILE...                                     compares the figures in the files
//	benchtable -o bench.txt -run go test -bench . ./...    measures the figures, and keeps the text for benchstat
//	benchtable -record FILE...                             makes the figures in the files the baseline
//
// The mean has a 95 % confidence interval by Student's t distribution. A change is stated if Welch's t-test finds a difference with p ≤ 0.05;
// otherwise ~ is printed. With too few repetitions for the test, the change stands in brackets. The exit status is 0 whether targets are met or
// not, 1 if the command or a file fails, 2 for wrong usage and malformed input.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	var use usageError
	switch {
	case err == nil:
	case errors.Is(err, flag.ErrHelp):
	case errors.As(err, &use):
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "benchtable:", err)
		os.Exit(1)
	}
}

// usageError is a mistake of the user or a fault in a file.
type usageError struct{ error }

// options are the flags.
type options struct {
	folder string // the folder with the baseline and the targets
	out    string // the file for the text of a run
	run    bool
	record bool
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	var opt options
	flags := flag.NewFlagSet("benchtable", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintln(stderr, "usage: benchtable [flags] FILE...\n       benchtable [flags] -run COMMAND ARGUMENT...\nexample: benchtable -o bench.txt -run go test -run '^$' -bench Search ./bench")
		flags.PrintDefaults()
	}
	flags.Func("C", "change to this `folder` first", os.Chdir)
	flags.StringVar(&opt.folder, "baseline", "bench/baseline", "`folder` of the baseline: *.txt, as go test -bench prints them, and thresholds.json")
	flags.StringVar(&opt.out, "o", "bench.txt", "`file` that keeps what the command prints")
	flags.BoolVar(&opt.run, "run", false, "the arguments are a command to run, such as go test -bench .")
	flags.BoolVar(&opt.record, "record", false, "put the figures into the baseline, in place of those of the same benchmarks")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return usageError{err}
	}
	if flags.NArg() == 0 {
		flags.Usage()
		return usageError{errors.New("expected files of figures, or -run and a command")}
	}
	return compare(ctx, opt, flags.Args(), stdout, stderr)
}

// compare reads or measures the figures, prints the table, and records the figures if asked to.
func compare(ctx context.Context, opt options, args []string, stdout, stderr io.Writer) error {
	targets, err := readTargets(filepath.Join(opt.folder, "thresholds.json"))
	if err != nil {
		return err
	}
	kept, err := filepath.Glob(filepath.Join(opt.folder, "*.txt"))
	if err != nil {
		return usageError{err}
	}
	baseline, err := readFigures(kept...)
	if err != nil {
		return err
	}
	files, failure := args, error(nil)
	var asked choice
	if opt.run {
		asked = choiceOf(args)
		var kept bool
		if kept, failure = measure(ctx, opt.out, args, baseline, stderr); !kept {
			return failure
		}
		files = []string{opt.out}
	}
	now, err := readFigures(files...)
	if err != nil {
		return errors.Join(err, failure)
	}
	if len(now.benchmarks) == 0 {
		if failure != nil {
			return failure
		}
		return usageError{fmt.Errorf("%s: no benchmark was measured", strings.Join(files, ", "))}
	}
	var text strings.Builder
	writeTable(&text, newTable(baseline, now, targets, asked))
	if opt.run {
		fmt.Fprintf(&text, "Kept in %s; two such files compare with: go tool -modfile=tools/go.mod benchstat -ignore commit,date,go,load old.txt new.txt\n", opt.out)
	}
	if _, err := io.WriteString(stdout, text.String()); err != nil {
		return err
	}
	if failure == nil && opt.record {
		return record(opt.folder, baseline, now, stderr)
	}
	return failure
}

// argument returns the word after a flag in a command, or the given value if the flag is absent.
func argument(args []string, name, otherwise string) string {
	for k, arg := range args {
		if arg == name && k+1 < len(args) {
			return args[k+1]
		}
		if value, ok := strings.CutPrefix(arg, name+"="); ok {
			return value
		}
	}
	return otherwise
}
