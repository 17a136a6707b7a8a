package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// explainable says which settings do not go together.
func (c *call) explainable(s *question.Explain) error {
	sol := c.one("solution").Given()
	switch {
	case s.Solver != "" && !s.Trace:
		return wrong("solver", "expected it only with trace")
	case s.Seed != nil && s.Solver == "":
		return wrong("seed", "expected it only with solver; a solution states the seed of its run")
	case sol && s.Solver != "":
		return wrong("solver", "expected only one of solver and solution, found both")
	case !sol && s.Solver == "":
		return wrong("", "expected the field \"solution\", or trace and solver, found none")
	case s.Job == "" && !s.Trace:
		return wrong("job", "expected the id of a job of the instance, found none")
	}
	return nil
}

// explain says why a job runs where and when it does, or how a solver came to its schedule.
func (c *call) explain(ctx context.Context, s *question.Explain) (Raw, error) {
	if err := c.explainable(s); err != nil {
		return nil, err
	}
	in, err := c.sited(s.Files, 0)
	if err != nil {
		return nil, err
	}
	var sol *model.Solution
	if d := c.one("solution"); d.Given() {
		if sol, err = c.accepted(in, d); err != nil {
			return nil, err
		}
	}
	job, ok := in.JobIndex(s.Job)
	if !ok && s.Job != "" {
		return nil, wrong("job", "expected the id of a job of the instance, found %q", s.Job)
	}
	ctx, cancel, err := c.within(ctx, 0, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	var answer any
	if s.Trace {
		answer, err = c.steps(ctx, in, sol, s)
	} else {
		answer, err = answers.Explain(ctx, in, sol, job)
	}
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = answers.WriteOn(&text, in, answer)
	return bytes.TrimSpace(text.Bytes()), err
}

// steps are the steps of a solver, as [answers.Steps] but written already. There are many of them, so they end with an error where they take more bytes than a request may have.
func (c *call) steps(ctx context.Context, in *model.Instance, sol *model.Solution, s *question.Explain) (any, error) {
	t, err := c.traced(in, sol, s)
	if err != nil {
		return nil, err
	}
	if err := t.Check(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	list := bytes.NewBufferString("[")
	encoder := json.NewEncoder(list)
	encoder.SetEscapeHTML(false)
	var failed error
	result, err := t.Run(ctx, func(step solve.Step) {
		if failed != nil || s.Job != "" && !step.About(s.Job) {
			return
		}
		if list.Len() > 1 {
			list.WriteByte(',')
		}
		if failed = encoder.Encode(step); failed == nil && int64(list.Len()) > c.service.limits.Body {
			failed = fail(TooLarge, "expected steps of at most %d bytes in all; name a job to get those about it alone", c.service.limits.Body)
		}
		if failed != nil {
			stop(failed)
		}
	})
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case result.Solution == nil:
		return nil, fail(noAnswer, "solver %s: %s", t.Choice.Info.Name, answers.WithoutSolution(result.Status, result.Stop))
	}
	if how := t.Differs(result.Solution); how != "" {
		return nil, wrong("solution", "expected the schedule that solver %s makes with the seed and the parameters in it; %s", t.Choice.Info.Name, how)
	}
	list.WriteByte(']')
	return struct {
		Steps Raw `json:"steps"`
	}{list.Bytes()}, nil
}

// traced is the run whose steps the settings ask for.
func (c *call) traced(in *model.Instance, sol *model.Solution, s *question.Explain) (*answers.Traced, error) {
	if sol != nil {
		t, err := answers.TracedOf(in, sol)
		if err != nil {
			return nil, wrong("solution", "%s", err)
		}
		return t, nil
	}
	choice, err := c.choose("solver", s.Solver)
	if err != nil {
		return nil, err
	}
	return &answers.Traced{In: in, Choice: choice, Seed: s.RunSeed()}, nil
}

// accepted reads a solution that the checker accepts.
func (c *call) accepted(in *model.Instance, d *Document) (*model.Solution, error) {
	sol, err := c.solution(d)
	if err != nil {
		return nil, err
	}
	if report := model.Check(in, sol); !report.OK() {
		return nil, &Error{Code: wrongSchedule, Message: fmt.Sprintf("%s: the checker refuses the schedule: %v", d.Path, report.Violations[0])}
	}
	return sol, nil
}
