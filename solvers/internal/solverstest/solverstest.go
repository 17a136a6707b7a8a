// Package solverstest is what the tests of several solvers share.
package solverstest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// Encoded is a solution as bytes.
func Encoded(t testing.TB, result solve.Result) []byte {
	t.Helper()
	var text bytes.Buffer
	if err := model.WriteSolution(&text, result.Solution); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

// With is what New has made, with other values in some fields.
func With[S any](s *S, set func(*S)) *S {
	set(s)
	return s
}

// Schedules runs a solver and compares its schedule, in the order in which the jobs were placed, with lines such as
// "j2 a:0-1 6-9": job j2 holds processors 0 and 1 of cluster a from 6 to 9.
func Schedules(t testing.TB, solver solve.Solver, in *model.Instance, want ...string) {
	t.Helper()
	if err := solver.Supports(in); err != nil {
		t.Fatal(err)
	}
	result, err := solver.Solve(context.Background(), in, solve.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, result.Solution); !report.OK() {
		t.Error(report.Violations)
	}
	var got []string
	for _, p := range result.Solution.Jobs {
		got = append(got, fmt.Sprintf("%s %s:%s %v-%v", p.Job, p.Cluster, p.Processors, p.Start, p.End))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
