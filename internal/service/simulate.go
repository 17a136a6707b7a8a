package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/allot-opt/allot/internal/answers"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim/forecast"
	"github.com/allot-opt/allot/solve"
)

// simulateSettings are the settings of simulate.
type simulateSettings struct {
	Policies    []string       `json:"policies,omitempty" doc:"without submit, job and quantiles: names of on-line policies; absent: fcfs, easy, conservative and multifactor"`
	Job         string         `json:"job,omitempty" doc:"ask about this job of the instance, also with other requests"`
	At          *float64       `json:"at,omitempty" check:"time" doc:"submit the job, or forecast, at this time; absent: the job's arrival, without a job 0"`
	Solver      string         `json:"solver,omitempty" doc:"with submit, job or quantiles: name of an on-line solver; absent: easy"`
	Param       map[string]any `json:"param,omitempty" doc:"parameters of the solver: name → a text, a number, true or false"`
	Quantiles   bool           `json:"quantiles,omitempty" doc:"forecast P10, P50 and P90 of the start of the job, or of all waiting jobs"`
	Processors  int            `json:"processors,omitempty" check:"count" doc:"with history: processors of the system of a trace whose text lacks or misstates them"`
	Runs        int            `json:"runs,omitempty" check:"counter" doc:"with job or quantiles: futures to simulate"`
	Least       int            `json:"least,omitempty" check:"counter" doc:"draw from jobs of the same user if at least so many of them have ended"`
	Recent      int            `json:"recent,omitempty" check:"counter" doc:"draw only from the last so many jobs; 0: from all"`
	Trials      int            `json:"trials,omitempty" check:"counter" doc:"calibrate by at most so many forecasts of the past"`
	Independent bool           `json:"independent,omitempty" doc:"draw each run time independently"`
	Arrivals    bool           `json:"arrivals,omitempty" doc:"let more jobs arrive, as on earlier days; absent: true"`
	Day         float64        `json:"day,omitempty" check:"positive" doc:"length of a day, in the unit of the instance"`
	Seed        uint64         `json:"seed,omitempty" doc:"seed of all random draws; absent: 1"`
}

func (s *simulateSettings) setDefaults() {
	usual := forecast.Defaults()
	s.Solver, s.Seed = "easy", 1
	s.Runs, s.Least, s.Recent, s.Trials, s.Day, s.Arrivals = usual.Runs, usual.Least, usual.Recent, usual.Trials, usual.Day, true
}

// simulate says when jobs would start.
func (c *call) simulate(ctx context.Context, s *simulateSettings) (Raw, error) {
	in, err := c.instance(c.one("instance"), "", c.workers(0))
	if err != nil {
		return nil, err
	}
	workers := c.workers(0)
	ctx, cancel, err := c.within(ctx, 0, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	submit := c.one("submit")
	var answer any
	switch {
	case submit.Given() && s.Job != "":
		return nil, wrong("submit", "expected only one of submit and job, found both")
	case submit.Given() || s.Job != "" || s.Quantiles:
		if len(s.Policies) > 0 {
			return nil, wrong("policies", "expected it without submit, job and quantiles; with these, solver names the policy")
		}
		in, answer, err = c.ask(ctx, in, s, workers)
	default:
		answer, err = c.starts(ctx, in, s)
	}
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = answers.WriteOn(&text, in, answer)
	return bytes.TrimSpace(text.Bytes()), err
}

// starts says when each job would start under several policies.
func (c *call) starts(ctx context.Context, in *model.Instance, s *simulateSettings) (any, error) {
	names, choices, err := c.named(s.Policies, answers.UsualStarts)
	if err != nil {
		return nil, err
	}
	for k, choice := range choices {
		if _, online := solve.PolicyOf(choice.Solver); !online {
			return nil, wrong("policies", "expected on-line solvers, found %q", names[k])
		}
	}
	return answers.Starts(ctx, in, choices, s.Seed)
}

// ask answers about one job, or about all that wait.
func (c *call) ask(ctx context.Context, in *model.Instance, s *simulateSettings, workers int) (*model.Instance, any, error) {
	by, err := c.policy(s)
	if err != nil {
		return nil, nil, err
	}
	opt := forecast.Defaults()
	opt.Runs, opt.Least, opt.Recent, opt.Trials = s.Runs, s.Least, s.Recent, s.Trials
	opt.Independent, opt.Arrivals, opt.Day, opt.Seed, opt.Workers = s.Independent, s.Arrivals, s.Day, s.Seed, workers
	if err := opt.Check(); err != nil {
		return nil, nil, wrong("", "%s", err)
	}
	in, job, at, err := c.jobOf(in, s)
	if err != nil {
		return nil, nil, err
	}
	var history *forecast.History
	if d := c.one("history"); d.Given() {
		trace, _, err := c.trace(d, "", s.Processors, "swf", "sacct")
		if err != nil {
			return nil, nil, err
		}
		if history = forecast.TraceHistory(trace); history.Len() == 0 {
			return nil, nil, wrong("history", "expected jobs with an estimate and a run time, found none")
		}
	}
	if s.Quantiles {
		answer, err := answers.Forecast(ctx, in, job, at, by, history, opt)
		return in, answer, err
	}
	question := &answers.Question{In: in, Job: job, By: by, Seed: s.Seed, Changes: s.Job != "", History: history, Options: opt}
	answer, err := answers.Ask(ctx, question)
	if err == nil && question.Changes {
		err = question.Forecast(ctx, answer)
	}
	return in, answer, err
}

// policy is the policy that the settings name.
func (c *call) policy(s *simulateSettings) (by answers.PolicyOf, err error) {
	choice, err := c.choose("solver", s.Solver)
	if err != nil {
		return by, err
	}
	parameters, err := settingsOf(s.Param)
	if err != nil {
		return by, err
	}
	if choice, err = answers.Configured(choice, parameters, nil, nil, false); err != nil {
		return by, err
	}
	policy, online := solve.PolicyOf(choice.Solver)
	if !online {
		return by, wrong("solver", "expected an on-line solver, found %q", s.Solver)
	}
	stated := []string{s.Solver}
	for _, p := range parameters {
		stated = append(stated, p.Name+"="+p.Value)
	}
	return answers.PolicyOf{Name: choice.Info.Name, Stated: strings.Join(stated, ":"), Policy: policy}, nil
}

// jobOf is the instance with the job that is submitted, the id of the job that is asked about, and the time; without a job the id is empty.
func (c *call) jobOf(in *model.Instance, s *simulateSettings) (*model.Instance, string, float64, error) {
	at := 0.0
	if s.At != nil {
		at = *s.At
	}
	if d := c.one("submit"); d.Given() {
		job, err := readDocument(c, d, func(r io.Reader, name string) (*model.JobSpec, error) { return model.ReadJob(r, name) })
		if err != nil {
			return nil, "", 0, err
		}
		if s.At != nil {
			job.Arrival = at
		}
		if *job, err = in.InPartition(*job, d.file); err != nil {
			return nil, "", 0, wrongAt(faultsIn(d.Path, err))
		}
		if in, err = in.WithJob(*job, d.file); err != nil {
			return nil, "", 0, wrongAt(faultsIn(d.Path, err))
		}
		return in, job.ID, job.Arrival, nil
	}
	if s.Job == "" {
		return in, "", at, nil
	}
	k, ok := in.JobIndex(s.Job)
	switch {
	case !ok:
		var ids []string
		for k := range in.Jobs() {
			ids = append(ids, in.Jobs()[k].ID)
		}
		return nil, "", 0, wrong("job", "expected a job of the instance, found %q%s", s.Job, suggest.Words(s.Job, ids))
	case s.At != nil:
		return nil, "", 0, wrong("at", "expected it without job, which asks from the arrival of the job on")
	case answers.IsRunning(in, &in.Jobs()[k]):
		return nil, "", 0, wrong("job", "expected a job that waits, found %q, which runs already", s.Job)
	}
	return in, s.Job, in.Jobs()[k].Arrival, nil
}

// explainSettings are the settings of explain.
type explainSettings struct {
	Job string `json:"job" check:"id" doc:"id of the job"`
}

// explain says why a job runs where and when it does.
func (c *call) explain(ctx context.Context, s *explainSettings) (Raw, error) {
	in, err := c.instance(c.one("instance"), "", 0)
	if err != nil {
		return nil, err
	}
	sol, err := c.accepted(in, c.one("solution"))
	if err != nil {
		return nil, err
	}
	job, ok := in.JobIndex(s.Job)
	if !ok {
		return nil, wrong("job", "expected the id of a job of the instance, found %q", s.Job)
	}
	ctx, cancel, err := c.within(ctx, 0, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	answer, err := answers.Explain(ctx, in, sol, job)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = answers.WriteOn(&text, in, answer)
	return bytes.TrimSpace(text.Bytes()), err
}

// accepted reads a solution that the checker accepts.
func (c *call) accepted(in *model.Instance, d *Document) (*model.Solution, error) {
	sol, err := c.solution(d)
	if err != nil {
		return nil, err
	}
	if report := model.Check(in, sol); !report.OK() {
		return nil, &Error{Code: WrongSchedule, Message: fmt.Sprintf("%s: the checker refuses the schedule: %v", d.Path, report.Violations[0])}
	}
	return sol, nil
}
