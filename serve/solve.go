package serve

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
	"github.com/allot-opt/allot/solve/course"
)

// workers is the number of workers of a run that asks for some; 0: for none.
func (c *call) workers(asked int) int {
	if most := c.service.limits.Workers; asked == 0 || asked > most {
		return most
	}
	return asked
}

// Solved is the result of solve.
type Solved struct {
	Status      model.Status `json:"status" enum:"unknown,feasible,optimal,infeasible" doc:"what is proved"`
	Stop        model.Stop   `json:"stop" enum:"done,time,evaluations,cancelled" doc:"why the run ended"`
	Evaluations int64        `json:"evaluations" doc:"schedules evaluated"`
	Left        int          `json:"left,omitempty" doc:"jobs that the schedule leaves out although it owes them: one that owes fewer is better, whatever its objective"`
	Reason      string       `json:"reason,omitempty" doc:"why the instance is infeasible"`
	Warning     string       `json:"warning,omitempty" doc:"what went wrong although there is a solution"`
	Solution    Raw          `json:"solution,omitempty" schema:"solution" doc:"the solution, as allot solve writes it; absent: none was found"`
	Certificate Raw          `json:"certificate,omitempty" schema:"proof" doc:"the certificate of the bound, where one was asked for and a bound is known"`
}

// Progress is an improvement of a run.
type Progress struct {
	Elapsed     float64     `json:"elapsed" doc:"seconds since the run began"`
	Evaluations int64       `json:"evaluations" doc:"schedules evaluated so far"`
	Objective   *float64    `json:"objective,omitempty" doc:"of the best schedule so far; absent: there is none"`
	Bound       model.Bound `json:"bound,omitzero" doc:"the best bound proved so far; absent: none"`
	Gap         *float64    `json:"gap_percent,omitempty" doc:"how far the objective may be from the best, in per cent"`
	Left        int         `json:"left" doc:"jobs that the best schedule owes: a schedule that owes fewer is better, whatever its objective"`
	Solution    Raw         `json:"solution,omitempty" schema:"solution" doc:"the best schedule so far, where schedules was asked for and the solver hands it out"`
}

// settingsOf are parameters of a solver as texts, in the order of their names.
func settingsOf(parameters question.Parameters) ([]params.Setting, error) {
	list, name, err := parameters.Settings()
	if err != nil {
		return nil, wrong(joined("param", name), "%s", err)
	}
	return list, nil
}

// solve runs a solver.
func (c *call) solve(ctx context.Context, s *question.Solve) (*Solved, error) {
	choice, err := c.choose("solver", s.Solver)
	if err != nil {
		return nil, err
	}
	parameters, err := settingsOf(s.Param)
	if err != nil {
		return nil, err
	}
	start := c.one("start")
	if choice, err = answers.Configured(choice, parameters, s.Rolling, s.RollingThreshold, start.Given()); err != nil {
		return nil, err
	}
	in, err := c.instance(c.one("instance"), s.Objective, c.workers(s.Workers), choice)
	if err != nil {
		return nil, err
	}
	opt := s.Options(c.workers(s.Workers))
	opt.Certify = s.Certify
	if start.Given() {
		if opt.Start, err = c.solution(start); err != nil {
			return nil, err
		}
	}
	if err := solve.Supports(choice.Solver, in, opt.Stated); err != nil {
		return nil, &solve.RunError{Solver: choice.Info.Name, Err: err}
	}
	ctx, cancel, err := c.within(ctx, s.Time, s.Evaluations > 0)
	if err != nil {
		return nil, err
	}
	defer cancel()
	opt.Progress = c.improvements(in, s.Schedules)
	began := time.Now()
	result, err := solve.Run(ctx, choice, in, opt)
	if err != nil {
		return nil, err
	}
	if result.Solution != nil && s.Time > 0 {
		result.Solution.Stats.Elapsed = time.Since(began).Seconds()
	}
	return solvedOf(in, &result)
}

// solvedOf is the result of a run as JSON states it.
func solvedOf(in *model.Instance, result *solve.Result) (*Solved, error) {
	solved := &Solved{Status: result.Status, Stop: result.Stop, Evaluations: result.Evaluations, Reason: result.Reason, Warning: result.Warning}
	if sol := result.Solution; sol != nil {
		solved.Status, solved.Left = sol.Status, in.Owed(sol)
		var err error
		if solved.Solution, err = solutionText(sol); err != nil {
			return nil, err
		}
	}
	if result.Certificate != nil {
		var text bytes.Buffer
		if err := result.Certificate.Write(&text); err != nil {
			return nil, err
		}
		solved.Certificate = bytes.TrimSpace(text.Bytes())
	}
	return solved, nil
}

// solutionText is a solution as allot writes it; nil where there is none.
func solutionText(sol *model.Solution) (Raw, error) {
	if sol == nil {
		return nil, nil
	}
	var text bytes.Buffer
	err := model.WriteSolution(&text, sol)
	return bytes.TrimSpace(text.Bytes()), err
}

// incumbentText is the schedule of an improvement as a solution, as far as the checker accepts it.
func incumbentText(in *model.Instance, sol *model.Solution) Raw {
	if sol == nil {
		return nil
	}
	evaluation, wrong := solve.Checked(in, sol)
	if wrong != nil {
		return nil // the run itself says so, if it comes to that
	}
	sol = solve.Bare(sol)
	sol.Instance, sol.InstanceSHA256, sol.Minimised = in.Name(), in.SHA256(), in.Minimised()
	sol.Status, sol.Objective, sol.Metrics = model.Feasible, numtext.Finite(evaluation.Objective), evaluation.WithMetrics().Metrics
	text, err := solutionText(sol)
	if err != nil {
		return nil
	}
	return text
}

// improvements tells the client of each better schedule and each better bound; nil: it does not want to know.
func (c *call) improvements(in *model.Instance, schedules bool) func(solve.Progress) {
	if c.progress == nil {
		return nil
	}
	follow := course.New(model.Bound{})
	return func(p solve.Progress) { // from one goroutine at a time
		before := follow.Bound
		better := follow.Note(p)
		if !better && follow.Bound == before {
			return
		}
		told := Progress{Elapsed: follow.Elapsed(), Evaluations: p.Evaluations, Objective: numtext.Finite(follow.Best), Bound: follow.Bound, Left: max(0, p.Left)}
		if math.IsInf(follow.Best, 1) {
			told.Left = 0
		}
		if gap, ok := follow.Gap(); ok {
			told.Gap = &gap
		}
		if schedules && better && p.Schedule != nil {
			told.Solution = incumbentText(in, p.Schedule())
		}
		c.progress(told)
	}
}
