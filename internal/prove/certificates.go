package prove

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/solve"
)

// reread is the certificate as a file of it is read.
func (t *trial) reread(by string, c *proof.Certificate) *proof.Certificate {
	text := c.Bytes()
	read, err := proof.Read(bytes.NewReader(text), "")
	if err != nil {
		t.report(by, "certificate", 0, 0, fmt.Sprintf("cannot be read back: %v", err))
	}
	return read
}

// verify verifies the certificate of a bound. By method it counts what is verified, and what says that nothing can be checked.
func (t *trial) verify(ctx context.Context, by, method string, c *proof.Certificate) {
	if c = t.reread(by, c); c == nil {
		return
	}
	target, err := t.in.WithObjective(c.Objective)
	if err != nil {
		t.report(by, "certificate", 0, 0, fmt.Sprintf("its objective: %v", err))
		return
	}
	if report := proof.Check(ctx, target, c); ctx.Err() == nil {
		t.count(by, method, c, report)
	}
}

// count counts a checked certificate, and keeps what is proved of an objective with weights as priorities.
func (t *trial) count(by, method string, c *proof.Certificate, report proof.Report) {
	t.certified[method+", "+string(report.Verdict)]++
	switch {
	case report.Verdict == proof.Refuted:
		value, _ := c.Bound.Value()
		t.report(by, "certificate", value, 0, report.Step+": "+report.Reason)
	case report.Verdict == proof.Verified && t.ranking != nil && maps.Equal(c.Objective, t.objective):
		t.proved = append(t.proved, proved{by, c})
	}
}

// certificate verifies what a run hands over beside its solution: the bound, and that it shows the solution to be optimal where the run says so to the
// tolerance of the model.
func (t *trial) certificate(ctx context.Context, by, solver string, result *solve.Result) {
	c, sol := result.Certificate, result.Solution
	if c == nil {
		return
	}
	if sol == nil {
		t.verify(ctx, by, solver, c)
		return
	}
	if c = t.reread(by, c); c == nil {
		return
	}
	out := proof.CheckSolution(ctx, t.in, c, sol)
	if ctx.Err() != nil {
		return
	}
	t.count(by, solver, c, out.Report)
	if out.Verdict == proof.Verified && !out.Optimal && sol.Status == model.Optimal && result.Tolerance <= model.Tolerance {
		value, _ := c.Bound.Value()
		t.report(by, "certificate", value, 0, "the solution is called optimal, and its certificate does not show that: "+out.Why)
	}
}
