package serve

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

// BoundProgress is a bound on the way.
type BoundProgress struct {
	Bound model.Bound `json:"bound" doc:"the best bound proved so far"`
}

// prove proves a bound.
func (c *call) prove(ctx context.Context, s *question.Bound, certify bool) (*answers.ProvedBound, error) {
	in, err := c.instance(c.one("instance"), s.Objective, 1)
	if err != nil {
		return nil, err
	}
	ctx, cancel, err := c.within(ctx, s.Time, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	found, err := answers.Bound(ctx, in, s.Time > 0, certify, func(b model.Bound) {
		if c.progress != nil && b.Known() {
			c.progress(BoundProgress{b})
		}
	})
	if errors.Is(err, answers.ErrNoBound) {
		return nil, fail(noAnswer, "%s", err)
	}
	return found, err
}

// bound proves a bound.
func (c *call) bound(ctx context.Context, s *question.Bound) (*answers.ProvedBound, error) {
	return c.prove(ctx, s, false)
}

// Certified is the result of certify.
type Certified struct {
	Bound       *answers.ProvedBound `json:"bound" doc:"the bound, as bound states it"`
	Certificate Raw                  `json:"certificate" schema:"proof" doc:"its certificate, as allot bound --proof writes it"`
}

// certify proves a bound and gives its certificate.
func (c *call) certify(ctx context.Context, s *question.Bound) (*Certified, error) {
	found, err := c.prove(ctx, s, true)
	if err != nil {
		return nil, err
	}
	if found.Certificate == nil {
		return nil, fail(noAnswer, "no bound is known, so there is no certificate")
	}
	var text bytes.Buffer
	if err := found.Certificate.Write(&text); err != nil {
		return nil, err
	}
	return &Certified{found, bytes.TrimSpace(text.Bytes())}, nil
}

// verify checks a certificate.
func (c *call) verify(ctx context.Context, s *question.Verify) (*answers.Verified, error) {
	in, err := c.instance(c.one("instance"), s.Objective, 1)
	if err != nil {
		return nil, err
	}
	certificate, err := readDocument(c, c.one("certificate"), func(r io.Reader, name string) (*proof.Certificate, error) { return proof.Read(r, name) })
	if err != nil {
		return nil, err
	}
	var sol *model.Solution
	if d := c.one("solution"); d.Given() {
		if sol, err = c.solution(d); err != nil {
			return nil, err
		}
	}
	ctx, cancel, err := c.within(ctx, 0, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	_, found := answers.Verify(ctx, in, certificate, sol, s.Objective != "")
	return found, nil
}
