package answers

import (
	"cmp"
	"context"
	"fmt"

	"github.com/allot-opt/allot/lab/backtest"
	"github.com/allot-opt/allot/lab/forecast"
	"github.com/allot-opt/allot/model"
)

// BacktestAnswer is how good forecasts on a trace would have been.
type BacktestAnswer struct {
	*backtest.Report
}

// CheckSampling returns an [*OptionError] for the first setting that is out of its range.
func CheckSampling(s forecast.Sampling) error {
	switch {
	case s.Samples < 1 || s.Samples > 1_000_000:
		return optionf("samples", "expected a number from 1 to 1000000, found %d", s.Samples)
	case !(s.From >= 0 && s.From < 1):
		return optionf("from", "expected a share of at least 0 and below 1, found %v", s.From)
	case !(s.To > s.From && s.To <= 1):
		return optionf("to", "expected a share above from and at most 1, found %v", s.To)
	}
	return nil
}

// Backtest measures forecasts on a trace, which the report calls name if it has no name of its own. It calls step after each forecast, from any goroutine. If ctx ends, the
// report is of the forecasts that were ready; the error is that of ctx where none was, and a [*NoSamplesError] where the trace has no job to forecast.
func Backtest(ctx context.Context, in *model.Instance, name string, by PolicyOf, sampling forecast.Sampling, opt forecast.Options, step func()) (*BacktestAnswer, error) {
	opt, err := opt.For(in)
	if err != nil {
		return nil, err
	}
	samples, err := forecast.Backtest(ctx, by.Name, by.Policy, in, sampling, opt, step)
	switch {
	case err != nil:
		return nil, err
	case len(samples) == 0 && ctx.Err() != nil:
		return nil, ctx.Err()
	case len(samples) == 0:
		return nil, &NoSamplesError{sampling}
	}
	report := &backtest.Report{
		Trace: cmp.Or(in.Name(), name), Solver: by.Name, TimeUnit: cmp.Or(in.Units().Time, "s"), Runs: opt.Runs, Seed: opt.Seed, Arrivals: opt.Arrivals,
		Stopped: ctx.Err() != nil, Samples: samples, Groups: []backtest.Group{},
	}
	known, reason := backtest.Known(samples)
	report.Unknown, report.Reason = len(samples)-known, reason
	if known > 0 {
		report.Groups, err = backtest.New(samples, backtest.Options{Day: opt.Day, Confidence: 0.95, Replicates: 1000, Seed: opt.Seed})
	}
	return &BacktestAnswer{report}, err
}

// NoSamplesError says that a trace has no job to forecast.
type NoSamplesError struct{ forecast.Sampling }

// Error names the shares of the time.
func (e *NoSamplesError) Error() string {
	return fmt.Sprintf("expected jobs that start between the shares %v and %v of the time, found none", e.From, e.To)
}
