package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim/forecast"
	"github.com/allot-opt/allot/sim/whatif"
	"github.com/allot-opt/allot/solve"
)

// jobAnswer is what simulate says of one job.
type jobAnswer struct {
	whatif.Answer
	Certainty *certainty `json:"certainty,omitempty"` // only of a job that --job names
	Assumes   string     `json:"assumes"`

	line string // what it assumes, for the text
}

// certainty says how sure the start of a job was at its submission.
type certainty struct {
	// P10, P50 and P90 are the times by which the job has started in 10, 50 and 90 % of the futures; nil: in fewer, or Runs is 0.
	P10  *float64 `json:"p10"`
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	Runs int      `json:"runs"` // futures; 0: there are no quantiles
	Says string   `json:"says"`
}

// certaintyOf forecasts the start of a job from what was known at its submission: the jobs that had ended by then and the history.
func certaintyOf(ctx context.Context, c *cli.Context, in *model.Instance, a *whatif.Answer, name string, policy solve.Policy) (*certainty, error) {
	if a.ExpectedStart != nil && *a.ExpectedStart == a.Submitted {
		return &certainty{Says: "certain: it starts at its submission, whatever the run times are"}, nil
	}
	opt, err := forecastOptions(c)
	if err != nil {
		return nil, err
	}
	history, err := historyOf(c)
	if err != nil {
		return nil, err
	}
	bar := newProgress(c.App.ErrWriter, "forecasting", 0)
	f, err := forecast.Queue(ctx, name, policy, in, a.Submitted, a.Job, history, opt)
	bar.finish()
	switch {
	case err != nil:
		return nil, err
	case f.Runs == 0 && f.Ended == 0:
		return &certainty{Says: "not known: no history of run times; start by the limits (--history TRACE supplies one)"}, nil
	case f.Runs == 0:
		return &certainty{Says: "not known: " + f.Reason}, nil
	}
	return &certainty{P10: f.Jobs[0].P10, P50: f.Jobs[0].P50, P90: f.Jobs[0].P90, Runs: f.Runs, Says: drawnFrom(f) + "; " + calibration(f)}, nil
}

// write writes the certainty; nothing where it is nil.
func (k *certainty) write(b *strings.Builder, unit string, dates dates) {
	switch {
	case k == nil:
	case k.Runs == 0:
		fmt.Fprintf(b, "  how sure: %s\n", k.Says)
	default:
		when := func(t *float64) string {
			if t == nil {
				return "never"
			}
			return dates.at(*t)
		}
		wide := ""
		if k.P10 != nil && k.P90 != nil {
			wide = ", " + timetext.Of(*k.P90-*k.P10, unit, numtext.Figure) + " apart"
		}
		fmt.Fprintf(b, "  how sure: P10 %s, P50 %s, P90 %s%s; %s\n", when(k.P10), when(k.P50), when(k.P90), wide, k.Says)
	}
}

// drawnFrom says what the futures of a forecast are drawn from.
func drawnFrom(f *forecast.Forecast) string {
	text := fmt.Sprintf("%s, run times drawn from %s, no later arrivals", numtext.Counted(f.Runs, "future"), numtext.Counted(f.Ended, "ended job"))
	if f.Arrivals {
		text = strings.TrimSuffix(text, "no later arrivals") + "later arrivals as on the days before"
	}
	return text
}

// calibration says how much the past vouches for the quantiles of a forecast.
func calibration(f *forecast.Forecast) string {
	if f.Trials > 0 {
		return fmt.Sprintf("calibrated on %s of the past; %s share a draw", numtext.Counted(f.Trials, "forecast"), f.Sharing)
	}
	return "not calibrated: too few forecasts of the past can be made, so P10–P90 may hold less than 80 % of the starts"
}

// assumption says in one line what an answer about the jobs of an instance assumes.
type assumption struct{ what, policy, left string }

// assuming is an assumption about which jobs arrive and how long jobs run, and about the policy.
func assuming(in *model.Instance, what, policy string) assumption {
	return assumption{what, policy, strings.Join(in.Caveats(), "; ")}
}

// forReplay is what the replay of an instance assumes.
func forReplay(in *model.Instance, policy string) assumption {
	what := "no arrivals but those of the instance, every job runs as long as the instance states"
	if runToLimits(in) {
		what = "no arrivals but those of the instance, every job runs to its limit"
	}
	return assuming(in, what, policy)
}

// forForecast is what a forecast assumes.
func forForecast(in *model.Instance, f *forecast.Forecast, policy string) assumption {
	if f.Runs > 0 {
		return assuming(in, drawnFrom(f), policy)
	}
	return assuming(in, "no later arrivals, every job runs as long as the policy expects", policy)
}

// policyText is the policy that the flags name.
func policyText(c *cli.Context) string {
	return "policy " + strings.Join(append([]string{c.String("solver")}, c.StringSlice("param")...), ":")
}

// full is the line with all that the instance leaves out.
func (a assumption) full() string { return a.text(a.left) }

// line is the line below the warnings of [caveatsText].
func (a assumption) line() string { return "assumes: " + a.text("what stands in the warning") + "\n" }

func (a assumption) text(left string) string {
	if a.left == "" {
		return a.what + "; " + a.policy + "; the instance names nothing that it leaves out"
	}
	return a.what + "; " + a.policy + "; not modelled: " + left
}

// runToLimits says whether every job of an instance runs as long as it was asked for, as in a queue that has been imported.
func runToLimits(in *model.Instance) bool {
	return in.Known() == in && !slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return math.IsNaN(j.Estimate) })
}
