package bound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Refutation is a certificate that the checker of package proof refutes. The method that made it has a bug: what it claims is dropped.
type Refutation struct {
	Method   string  // that made the certificate
	Bound    float64 // what it claims
	Report   proof.Report
	Instance string // SHA-256
}

// Error says what is refuted, and asks for a report.
func (r *Refutation) Error() string {
	return fmt.Sprintf("the certificate of the bound %v of %s is refuted by the checker (%s: %s); the bound was dropped. This is a bug: please report it with the instance, SHA-256 %s",
		r.Bound, r.Method, r.Report.Step, r.Report.Reason, r.Instance)
}

// moreTime is for how long a certificate is verified when the time for the work on it is over.
const moreTime = 500 * time.Millisecond

// Verify verifies a certificate before it is handed over. Where the deadline of ctx is over it works for half a second more; a cancelled ctx ends it. Then, and where
// the checker does not cover the instance, the verdict is [proof.NotCertified].
func Verify(ctx context.Context, in *model.Instance, c *proof.Certificate) proof.Report {
	if deadline, limited := ctx.Deadline(); limited && !errors.Is(ctx.Err(), context.Canceled) {
		cancelled := ctx
		longer, stop := context.WithDeadline(context.WithoutCancel(ctx), later(deadline, time.Now()).Add(moreTime))
		defer stop()
		defer context.AfterFunc(cancelled, func() {
			if errors.Is(cancelled.Err(), context.Canceled) {
				stop()
			}
		})()
		ctx = longer
	}
	return proof.Check(ctx, in, c)
}

// later is the later of two times.
func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// Verified is [Portfolio.Certificate], verified, with what the checker says. While it refutes a part, the method that proved it is dropped with all that it
// claims, from [Portfolio.Bound] too; the certificate is then of what other methods prove.
func (p *Portfolio) Verified(ctx context.Context) (c *proof.Certificate, report proof.Report, refuted []*Refutation) {
	for {
		if c = p.Certificate(); c == nil {
			return nil, proof.Report{Verdict: proof.NotCertified}, refuted
		}
		if report = Verify(ctx, p.in, c); report.Verdict != proof.Refuted {
			return c, report, refuted
		}
		refuted = append(refuted, p.drop(c, report))
	}
}

// drop drops the method of the part that is refuted, or of all parts if what is refuted is none of them.
func (p *Portfolio) drop(c *proof.Certificate, report proof.Report) *Refutation {
	r := &Refutation{Method: "the portfolio", Report: report, Instance: p.in.SHA256()}
	r.Bound, _ = c.Bound.Value()
	if len(c.Choices) > 0 { // whichever it is, no choice counts any more
		p.choices, r.Method = nil, "the choices of the jobs left out"
		return r
	}
	dropped := false
	for k := range c.Parts {
		part := &c.Parts[k]
		var step int
		if n, err := fmt.Sscanf(report.Step, "parts[%d]", &step); n == 1 && err == nil && step != k {
			continue
		}
		for _, gate := range p.gatesOf(part) {
			gate.Drop()
			dropped = true
		}
		r.Method, r.Bound = fmt.Sprintf("method %s for %s", part.Method, part.Metric), part.Bound
	}
	if !dropped { // nothing is proved by a method that can be dropped
		p.constant = nil
	}
	return r
}

// gatesOf are the gates of the method that proved a part.
func (p *Portfolio) gatesOf(part *proof.Part) (list []*Gate) {
	if part.Sum != nil {
		return []*Gate{p.together.gate}
	}
	for _, t := range p.terms {
		for k := range t.gates {
			if t.metric == part.Metric && t.lacks == part.Lacks && t.methods[k].Name == part.Method {
				list = append(list, t.gates[k])
			}
		}
	}
	return list
}
