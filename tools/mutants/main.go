//go:build unix

// Command mutants tests the tests: it puts one-line faults into copies of the repository, one at a time, and checks that a test fails for
// each. A fault that no test finds survives.
//
//	mutants                    tries all faults of tools/mutants/faults
//	mutants -list              prints them, and says which no longer fit the code
//	mutants -run '^check-'     tries those whose id matches the regular expression
//	mutants -operators ./proof tries every change of an operator, a number or a statement of the package: see the package operators
//
// The faults are in TOML files, one table [[mutant]] each: see the type mutant. The repository itself is never changed. The exit status is 0 if
// at most -allow faults survive; 1 if more survive, if a fault no longer fits the code, or if its tests could not be run; and 2 for wrong usage
// and malformed files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	var use usageError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.As(err, &use):
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	default:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

// usageError is a mistake of the user, or one in a file of faults.
type usageError struct{ error }

// options are the flags.
type options struct {
	root    string // folder of the repository
	faults  string // pattern of the files of faults, within the repository
	chosen  *regexp.Regexp
	jobs    int
	allow   int
	list    bool
	sound   bool // run the tests without a fault first
	timeout time.Duration

	operators  string // packages to change operator by operator; empty: the faults of the files
	with       string
	equivalent string
	again      string
	sample     int
	seed       uint64
	memory     int
	slowest    time.Duration
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	opt := options{chosen: regexp.MustCompile("")}
	flags := flag.NewFlagSet("mutants", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&opt.root, "C", ".", "`folder` of the repository")
	flags.StringVar(&opt.faults, "faults", "tools/mutants/faults/*.toml", "`pattern` of the files of faults, in the repository")
	flags.Func("run", "only faults whose id matches the `regexp`", func(text string) (err error) {
		opt.chosen, err = regexp.Compile(text)
		return err
	})
	flags.IntVar(&opt.jobs, "jobs", 1, "`number` of faults at work at once, each in a copy of its own")
	flags.IntVar(&opt.allow, "allow", 2, "`number` of faults that may survive")
	flags.BoolVar(&opt.list, "list", false, "print the faults and run nothing")
	flags.BoolVar(&opt.sound, "sound", true, "run the tests without a fault first: what fails then proves nothing")
	flags.DurationVar(&opt.timeout, "timeout", 2*time.Minute, "`time` that one command of tests may take")
	flags.StringVar(&opt.operators, "operators", "", "change the operators, numbers and statements of the `packages` instead, such as ./proof,./model")
	flags.StringVar(&opt.with, "with", "", "with -operators: more `packages` whose tests run, besides those of the package that is changed")
	flags.StringVar(&opt.equivalent, "equivalent", "tools/mutants/equivalent/*.toml", "with -operators: `pattern` of the lists of changes that change nothing, in the repository")
	flags.StringVar(&opt.again, "again", "", "with -operators: only what survived in an earlier run, whose output is in the `file`")
	flags.IntVar(&opt.sample, "sample", 0, "with -operators: try a sample of that `number` of changes in all packages together; 0: all")
	flags.Uint64Var(&opt.seed, "seed", 1, "with -sample: the `number` that decides which")
	flags.DurationVar(&opt.slowest, "slowest", 0, "with -operators: leave out tests that take a longer `time`, for a first look; 0: none")
	flags.IntVar(&opt.memory, "memory", 4096, "with -operators: `megabytes` that a process may have")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return usageError{err}
	}
	if flags.NArg() > 0 || opt.jobs < 1 || opt.sample < 0 {
		return usageError{errors.New("expected flags alone, -jobs of at least 1, and no negative -sample")}
	}
	if opt.operators != "" {
		return tryOperators(ctx, opt, stdout, stderr)
	}
	mutants, err := readMutants(opt.root, opt.faults, opt.chosen)
	if err != nil {
		return usageError{err}
	}
	if opt.list {
		return list(opt.root, mutants, stdout)
	}
	results, err := try(ctx, opt, mutants, stderr)
	if err != nil {
		return err
	}
	return report(results, opt.allow, stdout)
}
