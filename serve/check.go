package serve

import (
	"context"

	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
)

// check checks a solution.
func (c *call) check(_ context.Context, _ *question.Check) (*answers.Checked, error) {
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
