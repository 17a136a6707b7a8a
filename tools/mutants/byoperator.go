//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/allot-opt/allot/tools/mutants/operators"
)

// tryOperators changes whole packages operator by operator, and prints what no test finds.
func tryOperators(ctx context.Context, opt options, stdout, stderr io.Writer) error {
	folder, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder) //nolint:errcheck // a temporary folder; an error has no consequence
	root := filepath.Join(folder, "copy")
	if err := copyTree(ctx, opt.root, root); err != nil {
		return err
	}
	w := &worker{root, opt.timeout}
	o := operators.Options{Root: root, Folder: folder, Go: w.goCommand, Packages: strings.Split(opt.operators, ","), With: fields(opt.with), Chosen: opt.chosen,
		Equivalent: opt.equivalent, Sample: opt.sample, Seed: opt.seed, Jobs: opt.jobs, Timeout: opt.timeout, Memory: opt.memory, Slowest: opt.slowest, Progress: stderr}
	if opt.again != "" {
		if o.Again, err = os.ReadFile(opt.again); err != nil {
			return usageError{err}
		}
	}
	if opt.list {
		found, err := operators.List(ctx, o)
		for _, m := range found {
			fmt.Fprintf(stdout, "%s\t%s\t%s\n", m.Place(), m.Text, m.Change)
		}
		fmt.Fprintf(stdout, "%d mutants\n", len(found))
		return err
	}
	results, err := operators.Try(ctx, o)
	if err != nil {
		return err
	}
	return reportOperators(results, opt.allow, stdout)
}

// fields are the parts of a list with commas.
func fields(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// reportOperators prints the mutants that no test finds, and returns an error where they are too many, or where one that is said to change nothing fails a
// test.
func reportOperators(results []operators.Result, allow int, stdout io.Writer) error {
	killed, survived, equivalent, wrong := 0, 0, 0, 0
	for _, r := range results {
		switch {
		case r.Killed && r.Reason != "":
			wrong++
			fmt.Fprintf(stdout, "%s is said to change nothing, but %s fails: %s\n", r.Place(), r.By, r.Change)
			fallthrough
		case r.Killed:
			killed++
		case r.Reason != "":
			equivalent++
		default:
			survived++
			fmt.Fprintln(stdout, r)
		}
	}
	fmt.Fprintf(stdout, "%d mutants: %d killed, %d change nothing, %d survived\n", len(results), killed, equivalent, survived)
	switch {
	case wrong > 0:
		return fmt.Errorf("%d mutants are said to change nothing and fail a test", wrong)
	case survived > allow:
		return fmt.Errorf("%d mutants survive, %d may", survived, allow)
	}
	return nil
}
