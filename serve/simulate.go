package serve

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/suggest"
	"github.com/allot-opt/allot/lab/forecast"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/serve/answers"
	"github.com/allot-opt/allot/serve/question"
	"github.com/allot-opt/allot/solve"
)

// simulate says when jobs would start.
func (c *call) simulate(ctx context.Context, s *question.Simulate) (Raw, error) {
	if err := c.simulable(s); err != nil {
		return nil, err
	}
	workers := c.workers(0)
	in, err := c.queue(s, workers)
	if err != nil {
		return nil, err
	}
	ctx, cancel, err := c.within(ctx, 0, true)
	if err != nil {
		return nil, err
	}
	defer cancel()
	submit := c.one("submit")
	var answer any
	switch {
	case s.Backtest:
		answer, err = c.backtest(ctx, in, s, workers)
	case submit.Given() || s.Job != "" || s.Quantiles:
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

// simulable says which settings do not go together.
func (c *call) simulable(s *question.Simulate) error {
	submit := c.one("submit").Given()
	switch {
	case submit && s.Job != "":
		return wrong("submit", "expected only one of submit and job, found both")
	case len(s.Policies) > 0 && (submit || s.Job != "" || s.Quantiles || s.Backtest):
		return wrong("policies", "expected it without submit, job, quantiles and backtest; with these, solver names the policy")
	case !s.Backtest:
		return refused("expected it only with backtest", given{"samples", s.Samples != nil}, given{"from", s.From != nil}, given{"to", s.To != nil})
	case s.Quantiles:
		return wrong("quantiles", "expected only one of quantiles and backtest, found both")
	}
	if err := refused("expected it without backtest, which forecasts at the arrivals of jobs from those before",
		given{"submit", submit}, given{"job", s.Job != ""}, given{"at", s.At != nil}, given{"history", c.one("history").Given()}); err != nil {
		return err
	}
	return answers.CheckSampling(s.Sampling())
}

// given is a setting, and whether the request has it.
type given struct {
	name  string
	there bool
}

// refused says why the first of the settings that is there may not be.
func refused(why string, settings ...given) error {
	for _, g := range settings {
		if g.there {
			return wrong(g.name, "%s", why)
		}
	}
	return nil
}

// queue reads the instance; with backtest it may be a trace.
func (c *call) queue(s *question.Simulate, workers int) (*model.Instance, error) {
	if !s.Backtest {
		return c.sited(s.Files, workers)
	}
	in, _, err := c.trace(c.one("instance"), "", s.Processors, s.Files, "swf", "sacct")
	if err != nil {
		return nil, err
	}
	return in, c.admit(in, workers)
}

// sited reads the instance with the policy of a site, of which the request may have files.
func (c *call) sited(site slurm.Files, workers int) (*model.Instance, error) {
	if site == (slurm.Files{}) {
		return c.instance(c.one("instance"), "", workers)
	}
	in, _, err := c.trace(c.one("instance"), "", 0, site, "sacct")
	if err != nil {
		return nil, err
	}
	return in, c.admit(in, workers)
}

// backtest measures forecasts on a trace.
func (c *call) backtest(ctx context.Context, in *model.Instance, s *question.Simulate, workers int) (any, error) {
	by, err := c.policy(in, s)
	if err != nil {
		return nil, err
	}
	opt, err := forecastOptions(s, workers)
	if err != nil {
		return nil, err
	}
	report, err := answers.Backtest(ctx, in, "trace", by, s.Sampling(), opt, nil)
	var none *answers.NoSamplesError
	if errors.As(err, &none) {
		return nil, wrong("instance", "%s", err)
	}
	return report, err
}

// forecastOptions are the settings of the forecasts.
func forecastOptions(s *question.Simulate, workers int) (forecast.Options, error) {
	opt := s.Options(workers)
	if err := opt.Check(); err != nil {
		return opt, wrong("", "%s", err)
	}
	return opt, nil
}

// starts says when each job would start under several policies.
func (c *call) starts(ctx context.Context, in *model.Instance, s *question.Simulate) (any, error) {
	names, choices, err := c.named(answers.PoliciesOn(in, s.Policies, answers.UsualStarts), nil)
	if err != nil {
		return nil, err
	}
	for k, choice := range choices {
		if _, online := solve.PolicyOf(choice.Solver); !online {
			return nil, wrong("policies", "expected on-line solvers, found %q", names[k])
		}
	}
	return answers.Starts(ctx, in, choices, s.Seed, s.Anyway)
}

// ask answers about one job, or about all that wait.
func (c *call) ask(ctx context.Context, in *model.Instance, s *question.Simulate, workers int) (*model.Instance, any, error) {
	by, err := c.policy(in, s)
	if err != nil {
		return nil, nil, err
	}
	opt, err := forecastOptions(s, workers)
	if err != nil {
		return nil, nil, err
	}
	in, job, at, err := c.jobOf(in, s)
	if err != nil {
		return nil, nil, err
	}
	var history *forecast.History
	if d := c.one("history"); d.Given() {
		trace, _, err := c.trace(d, "", s.Processors, slurm.Files{}, "swf", "sacct")
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
func (c *call) policy(in *model.Instance, s *question.Simulate) (by answers.PolicyOf, err error) {
	name := answers.NamedPolicy(in, s.Solver)
	choice, err := c.choose("solver", name)
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
		return by, wrong("solver", "expected an on-line solver, found %q", name)
	}
	return answers.PolicyOf{Name: choice.Info.Name, Stated: question.Stated(name, s.Param), Policy: policy}, nil
}

// jobOf is the instance with the job that is submitted, the id of the job that is asked about, and the time; without a job the id is empty.
func (c *call) jobOf(in *model.Instance, s *question.Simulate) (*model.Instance, string, float64, error) {
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
