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

// Machines is a cluster of n processors at one speed.
func Machines(id string, n int, speed float64) model.ClusterSpec {
	return model.ClusterSpec{ID: id, Machines: []model.MachineSpec{{ID: "m", Count: n, Speed: speed}}}
}

// Built is the built instance.
func Built(t testing.TB, b *model.Builder) *model.Instance {
	t.Helper()
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

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

// WorkedQueues is the worked instance of the specification of G/G/1 allocation: T = 10, X given directly.
func WorkedQueues(t testing.TB, rate float64) *model.Builder {
	t.Helper()
	b := model.NewBuilder("worked").Minimise("qos_penalty", 1)
	b.Spec().Queueing = &model.QueueingSpec{Rate: rate, Period: 10, Charge: "response"}
	for _, m := range []struct {
		id                                 string
		speed, cost, mu, arrivals, service float64
	}{{"R1", 10000, 0.2, 0.5, 6, 2}, {"R2", 5000, 0.1, 0.25, 8, 8}} {
		b.Cluster(model.ClusterSpec{ID: m.id, Machines: []model.MachineSpec{{ID: "m", Speed: m.speed, Cost: m.cost,
			Queue: &model.QueueSpec{ServiceRate: m.mu, ArrivalVariance: &m.arrivals, ServiceVariance: &m.service}}}})
	}
	for k, j := range [][3]float64{{20000, 4, 0.5}, {30000, 8, 1}, {10000, 5, 0.4}} {
		b.Job(model.JobSpec{ID: fmt.Sprint("t", k+1), Work: &j[0], Deadline: &j[1], Budget: &j[2]})
	}
	return b
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
