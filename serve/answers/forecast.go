package answers

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/lab"
	"github.com/allot-opt/allot/lab/forecast"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// PolicyOf is an on-line policy with its name, and with what was set, as texts state it.
type PolicyOf struct {
	Name   string
	Stated string // such as easy:order=sjf
	Policy solve.Policy
}

// Question is what is asked about one job of an instance.
type Question struct {
	In      *model.Instance
	Job     string
	By      PolicyOf
	Seed    uint64
	Changes bool // also ask when it would start with other requests
	History *forecast.History
	Options forecast.Options
}

// Ask replays the instance and answers.
func Ask(ctx context.Context, q *Question) (*JobAnswer, error) {
	answer, err := whatif.Submit(ctx, q.By.Name, q.By.Policy, q.In, q.Job, q.Seed)
	if err == nil {
		err = answer.Delays(ctx, q.By.Policy, q.In, q.Seed)
	}
	if err == nil && q.Changes {
		answer.Changes, err = whatif.Changes(ctx, q.By.Name, q.By.Policy, q.In, q.Job, q.Seed)
	}
	if err != nil {
		return nil, err
	}
	assumed := forReplay(q.In, "policy "+q.By.Stated)
	if assumed.about, _, err = aboutRecord(ctx, q.In, q.By.Stated, q.By.Policy, q.Seed, true); err != nil {
		return nil, err
	}
	return &JobAnswer{Answer: *answer, Assumes: assumed.Full(), Assumed: assumed}, nil
}

// Forecast adds to the answer how sure the start of the job was at its submission.
func (q *Question) Forecast(ctx context.Context, told *JobAnswer) (err error) {
	told.Certainty, err = certaintyOf(ctx, q.In, &told.Answer, q.By, q.History, q.Options)
	return err
}

// QueueAnswer is what simulate forecasts of the jobs that wait.
type QueueAnswer struct {
	*forecast.Forecast
	Assumes string     `json:"assumes"`
	Assumed Assumption `json:"-"`
}

// Forecast forecasts the start of a job at its arrival, or with an empty id of all jobs that wait at a time.
func Forecast(ctx context.Context, in *model.Instance, job string, at float64, by PolicyOf, history *forecast.History, opt forecast.Options) (*QueueAnswer, error) {
	answer, err := forecast.Queue(ctx, by.Name, by.Policy, in, at, job, history, opt)
	if err != nil {
		return nil, err
	}
	assumed := forForecast(in, answer, "policy "+by.Stated)
	if assumed.about, _, err = aboutRecord(ctx, in, by.Stated, by.Policy, opt.Seed, true); err != nil {
		return nil, err
	}
	return &QueueAnswer{answer, assumed.Full(), assumed}, nil
}

// JobAnswer is what simulate says of one job.
type JobAnswer struct {
	whatif.Answer
	Certainty *Certainty `json:"certainty,omitempty"` // only of a job that --job names
	Assumes   string     `json:"assumes"`

	Assumed Assumption `json:"-"`
}

// Certainty says how sure the start of a job was at its submission.
type Certainty struct {
	// P10, P50 and P90 are the times by which the job has started in 10, 50 and 90 % of the futures; nil: in fewer, or Runs is 0.
	P10  *float64 `json:"p10"`
	P50  *float64 `json:"p50"`
	P90  *float64 `json:"p90"`
	Runs int      `json:"runs"` // futures; 0: there are no quantiles
	Says string   `json:"says"`
}

// certaintyOf forecasts the start of a job from what was known at its submission: the jobs that had ended by then and the history.
func certaintyOf(ctx context.Context, in *model.Instance, a *whatif.Answer, by PolicyOf, history *forecast.History, opt forecast.Options) (*Certainty, error) {
	if a.ExpectedStart != nil && *a.ExpectedStart == a.Submitted {
		return &Certainty{Says: "certain: it starts at its submission, whatever the run times are"}, nil
	}
	f, err := forecast.Queue(ctx, by.Name, by.Policy, in, a.Submitted, a.Job, history, opt)
	switch {
	case err != nil:
		return nil, err
	case f.Runs == 0 && f.Ended == 0:
		return &Certainty{Says: "not known: no history of run times; start by the limits (--history TRACE supplies one)"}, nil
	case f.Runs == 0:
		return &Certainty{Says: "not known: " + f.Reason}, nil
	}
	return &Certainty{P10: f.Jobs[0].P10, P50: f.Jobs[0].P50, P90: f.Jobs[0].P90, Runs: f.Runs, Says: drawnFrom(f) + "; " + Calibration(f)}, nil
}

// drawnFrom says what the futures of a forecast are drawn from.
func drawnFrom(f *forecast.Forecast) string {
	text := fmt.Sprintf("%s, run times drawn from %s, no later arrivals", numtext.Counted(f.Runs, "future"), numtext.Counted(f.Ended, "ended job"))
	if f.Arrivals {
		text = strings.TrimSuffix(text, "no later arrivals") + "later arrivals as on the days before"
	}
	return text
}

// Calibration says how much the past vouches for the quantiles of a forecast.
func Calibration(f *forecast.Forecast) string {
	if f.Trials > 0 {
		return fmt.Sprintf("calibrated on %s of the past; %s share a draw", numtext.Counted(f.Trials, "forecast"), f.Sharing)
	}
	return "not calibrated: too few forecasts of the past can be made, so P10–P90 may hold less than 80 % of the starts"
}

// Assumption says in one line what an answer about the jobs of an instance assumes.
type Assumption struct {
	what, policy, left string
	about              []string // how near the policy comes to the record of a site
}

// assuming is an assumption about which jobs arrive and how long jobs run, and about the policy.
func assuming(in *model.Instance, what, policy string) Assumption {
	return Assumption{what: what + lab.QueuesText(lab.QueuesOf(in)), policy: policy, left: strings.Join(in.Caveats(), "; ")}
}

// forReplay is what the replay of an instance assumes.
func forReplay(in *model.Instance, policy string) Assumption {
	what := "no arrivals but those of the instance, every job runs as long as the instance states"
	if runToLimits(in) {
		what = "no arrivals but those of the instance, every job runs to its limit"
	}
	return assuming(in, what, policy)
}

// forForecast is what a forecast assumes.
func forForecast(in *model.Instance, f *forecast.Forecast, policy string) Assumption {
	if f.Runs > 0 {
		return assuming(in, drawnFrom(f), policy)
	}
	return assuming(in, "no later arrivals, every job runs as long as the policy expects", policy)
}

// Full is the line with all that the instance leaves out.
func (a Assumption) Full() string {
	return strings.Join(append([]string{a.text(a.left)}, a.about...), "; ")
}

// Line is the line below warnings that say what the instance leaves out.
func (a Assumption) Line() string {
	return strings.Join(append(slices.Clone(a.about), "assumes: "+a.text("what stands in the warning")), "\n") + "\n"
}

func (a Assumption) text(left string) string {
	if a.left == "" {
		return a.what + "; " + a.policy + "; the instance names nothing that it leaves out"
	}
	return a.what + "; " + a.policy + "; not modelled: " + left
}

// runToLimits says whether every job of an instance runs as long as it was asked for, as in a queue that has been imported.
func runToLimits(in *model.Instance) bool {
	return in.Known() == in && !slices.ContainsFunc(in.Jobs(), func(j model.Job) bool { return math.IsNaN(j.Estimate) })
}
