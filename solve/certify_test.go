package solve_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/allot-opt/allot/bound"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// chain is a certificate that the jobs, one after another, take the time.
func chain(value float64, jobs ...int) *proof.Certificate {
	part := proof.Part{Metric: "makespan", Bound: value, By: &proof.Argument{CriticalPath: &proof.CriticalPath{Jobs: jobs}}}
	return &proof.Certificate{Bound: model.ProvedBound(value), Parts: []proof.Part{part}}
}

// What a certificate claims that the checker refutes is dropped, and the run certifies what its own proof shows.
func TestRunVerifiesCertificates(t *testing.T) {
	for _, c := range []struct {
		name    string
		start   float64 // of the second job
		claim   float64
		refuted bool
		status  model.Status
		bound   float64
	}{
		{"right", 2, 3, false, model.Optimal, 5},
		{"wrong, and the bound is right", 2, 5, true, model.Optimal, 5},
		{"wrong, and so is the bound", 4, 7, true, model.Feasible, 5},
	} {
		result := func(*model.Instance, solve.Options) solve.Result {
			return solve.Result{Solution: schedule(0, c.start), Status: model.Optimal, Bound: model.ProvedBound(c.claim), Certificate: chain(c.claim, 1)}
		}
		found, err := runStub(t, solve.Options{Certify: true}, false, result)
		if err != nil {
			t.Fatal(c.name, err)
		}
		value, _ := found.Bound.Value()
		if found.Status != c.status || found.Solution.Status != c.status || value != c.bound || found.Solution.Bound != found.Bound || (found.Unproved != nil) != c.refuted || (found.Warning != "") != c.refuted {
			t.Errorf("%s: %s, bound %v, unproved %v, warning %q", c.name, found.Status, value, found.Unproved, found.Warning)
		}
		if report := proof.Check(t.Context(), twoJobs(t), found.Certificate); report.Verdict != proof.Verified {
			t.Errorf("%s: %+v", c.name, report)
		}
		var unproved *bound.Refutation
		if _, err := runStub(t, solve.Options{Certify: true, Strict: true}, false, result); errors.As(err, &unproved) != c.refuted {
			t.Errorf("%s, strict: %v", c.name, err)
		}
	}
}

// A refuted proof that there is no solution says nothing.
func TestRunVerifiesInfeasibility(t *testing.T) {
	result := func(*model.Instance, solve.Options) solve.Result {
		return solve.Result{Status: model.Infeasible, Reason: "no room", Certificate: &proof.Certificate{Infeasible: &proof.Infeasible{Condition: "room", Most: 1, Needed: 2}}}
	}
	found, err := runStub(t, solve.Options{Certify: true}, false, result)
	if err != nil || found.Status != model.Unknown || found.Unproved == nil || found.Certificate != nil || found.Reason != "" {
		t.Errorf("%+v, %v", found, err)
	}
	if _, err := runStub(t, solve.Options{Certify: true, Strict: true}, false, result); err == nil {
		t.Error("strict: no error")
	}
}

// Where the time is over a certificate is still verified, for a moment; where somebody interrupts it is not, and the run says so.
func TestRunVerifiesWithinItsTime(t *testing.T) {
	in := twoJobs(t)
	over, stop := context.WithDeadline(context.Background(), time.Now().Add(-time.Hour))
	defer stop()
	cancelled, cancel := context.WithCancel(context.Background())
	both, stopBoth := context.WithDeadline(cancelled, time.Now().Add(time.Hour))
	defer stopBoth()
	cancel()
	for name, c := range map[string]struct {
		ctx  context.Context
		want proof.Verdict
	}{"over": {over, proof.Verified}, "interrupted": {both, proof.Verified}, "interrupted without a deadline": {cancelled, proof.Verified}} {
		whole := chain(3, 1)
		whole.InstanceSHA256, whole.Objective = in.SHA256(), in.StatedObjective()
		if report := bound.Verify(c.ctx, in, whole); report.Verdict != c.want {
			t.Errorf("%s: %+v", name, report)
		}
		solver := &stub{func(*model.Instance, solve.Options) solve.Result {
			return solve.Result{Solution: schedule(0, 2), Bound: model.ProvedBound(3), Certificate: chain(3, 1)}
		}}
		found, err := solve.Run(c.ctx, solve.Choice{Info: solve.Info{Name: "stub"}, Solver: solver}, in, solve.Options{Certify: true})
		if err != nil || found.Certificate == nil || (found.Warning != "") != (c.want != proof.Verified) {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
	large := model.NewBuilder("large") // checking it takes long enough to ask the context
	cluster := model.ClusterSpec{ID: "c"}
	for k := range 600 {
		cluster.Machines = append(cluster.Machines, model.MachineSpec{ID: fmt.Sprint("m", k), Speed: float64(1 + k)})
		large.Job(model.JobSpec{ID: fmt.Sprint("j", k), Work: new(600.0)})
	}
	many, err := large.Cluster(cluster).Build()
	if err != nil {
		t.Fatal(err)
	}
	whole := chain(1, 0)
	whole.Schema, whole.InstanceSHA256, whole.Objective = proof.Schema, many.SHA256(), many.StatedObjective()
	for name, c := range map[string]struct {
		ctx  context.Context
		want proof.Verdict
	}{"over": {over, proof.Verified}, "interrupted": {both, proof.NotCertified}, "interrupted without a deadline": {cancelled, proof.NotCertified}} {
		if report := bound.Verify(c.ctx, many, whole); report.Verdict != c.want {
			t.Errorf("large, %s: %+v", name, report)
		}
	}
}
