package service

import (
	"bytes"
	"context"
	"math"
	"time"

	"github.com/allot-opt/allot/internal/answers"
	"github.com/allot-opt/allot/internal/course"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/params"
	"github.com/allot-opt/allot/solve"
)

// workers is the number of workers of a run that asks for some; 0: for none.
func (c *call) workers(asked int) int {
	if most := c.service.limits.Workers; asked == 0 || asked > most {
		return most
	}
	return asked
}

// solveSettings are the settings of solve.
type solveSettings struct {
	Solver           string         `json:"solver,omitempty" doc:"name of the solver, as allot solve --solver; absent: auto, which chooses"`
	Param            map[string]any `json:"param,omitempty" doc:"parameters of the solver: name → a text, a number, true or false"`
	Rolling          *float64       `json:"rolling,omitempty" check:"positive" doc:"plan in rounds: every so long, in the instance's unit of time, plan the jobs that have arrived; absent: plan all at once"`
	RollingThreshold *float64       `json:"rolling_threshold,omitempty" check:"nonnegative" doc:"with rolling: also begin a round where a cluster has at most so much work left"`
	Time             float64        `json:"time,omitempty" check:"time" doc:"seconds after which the run ends with its best schedule; absent: no limit but that of the service"`
	Evaluations      int64          `json:"evaluations,omitempty" check:"counter" doc:"evaluations of schedules after which the run ends; absent: no limit"`
	Seed             uint64         `json:"seed,omitempty" doc:"seed of the random numbers; absent: 1"`
	Workers          int            `json:"workers,omitempty" check:"counter" doc:"workers of the run; absent, or more than the service allows: as many as it allows. Without a limit of time the result does not depend on them"`
	Objective        string         `json:"objective,omitempty" doc:"metric to minimise instead of the instance's objective"`
	Strict           bool           `json:"strict,omitempty" doc:"fail if a checked schedule disproves a bound, or the checker refuses one of several schedules; otherwise it is dropped with a warning"`
	Presolve         bool           `json:"presolve,omitempty" doc:"leave out of the instance what cannot bind before the solver gets it; absent: true"`
	Schedules        bool           `json:"schedules,omitempty" doc:"also give the schedules with the progress"`
	Certify          bool           `json:"certify,omitempty" doc:"also give a certificate of the bound"`
}

func (s *solveSettings) setDefaults() { s.Solver, s.Seed, s.Presolve = "auto", 1, true }

// Solved is the result of solve.
type Solved struct {
	Status      model.Status `json:"status" enum:"unknown,feasible,optimal,infeasible" doc:"what is proved"`
	Stop        model.Stop   `json:"stop" enum:"done,time,evaluations,cancelled" doc:"why the run ended"`
	Evaluations int64        `json:"evaluations" doc:"schedules evaluated"`
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
func settingsOf(parameters map[string]any) ([]params.Setting, error) {
	var list []params.Setting
	for _, name := range sortedKeys(parameters) {
		text, err := settingText(parameters[name])
		if err != nil {
			return nil, wrong(joined("param", name), "%s", err)
		}
		list = append(list, params.Setting{Name: name, Value: text})
	}
	return list, nil
}

// solve runs a solver.
func (c *call) solve(ctx context.Context, s *solveSettings) (*Solved, error) {
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
	opt := solve.Options{Seed: s.Seed, MaxEvals: s.Evaluations, Workers: c.workers(s.Workers), Strict: s.Strict, Certify: s.Certify, Stated: !s.Presolve}
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
	return solvedOf(&result)
}

// solvedOf is the result of a run as JSON states it.
func solvedOf(result *solve.Result) (*Solved, error) {
	solved := &Solved{Status: result.Status, Stop: result.Stop, Evaluations: result.Evaluations, Reason: result.Reason, Warning: result.Warning}
	if sol := result.Solution; sol != nil {
		solved.Status = sol.Status
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
