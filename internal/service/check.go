package service

import (
	"context"

	"github.com/allot-opt/allot/internal/answers"
)

// noSettings are those of an operation that has none.
type noSettings struct{}

// check checks a solution.
func (c *call) check(_ context.Context, _ *noSettings) (*answers.Checked, error) {
	in, err := c.instance(c.one("instance"), "", 0)
	if err != nil {
		return nil, err
	}
	sol, err := c.solution(c.one("solution"))
	if err != nil {
		return nil, err
	}
	report := answers.Check(in, sol)
	return answers.CheckedOf(&report), nil
}
