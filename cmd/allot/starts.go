package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v2"

	"github.com/allot-opt/allot/formats/slurm"
	"github.com/allot-opt/allot/internal/answers"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/internal/timetext"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim/whatif"
	"github.com/allot-opt/allot/solve"
)

// usualPolicies are those that simulate compares where none is named.
var usualPolicies = []string{"fcfs", "easy", "conservative", "multifactor=easy:order=multifactor"}

// startTable is when the jobs of an instance start under several policies.
type startTable struct {
	Instance string        `json:"instance,omitempty"`
	Unit     string        `json:"unit,omitempty"` // of times
	Assumes  string        `json:"assumes"`
	Running  int           `json:"running"` // jobs that run already, which are not listed
	Policies []string      `json:"policies"`
	Jobs     []jobForecast `json:"jobs"`
	Notes    []string      `json:"notes"` // what to know before the figures are believed
}

// jobForecast is when one job starts.
type jobForecast struct {
	Job        string                     `json:"job"`
	User       string                     `json:"user,omitempty"`
	Queue      string                     `json:"queue,omitempty"`
	Processors int                        `json:"processors"`
	Arrival    float64                    `json:"arrival"`
	Estimate   *float64                   `json:"estimate"` // nil: by the cluster
	Starts     map[string]whatif.JobStart `json:"starts"`   // by policy
}

// runStarts says when each job of an instance would start.
func runStarts(c *cli.Context, path string) error {
	for _, flag := range []string{"at", "solver", "param"} {
		if c.IsSet(flag) {
			return usageErrorf("--%s: expected it only with --submit, --job, --quantiles or --backtest; without them, --policies names the policies", flag)
		}
	}
	names := *c.Generic("policies").(*solverNames)
	if len(names) == 0 {
		names = usualPolicies
	}
	if err := checkWritable(c.String("output")); err != nil {
		return err
	}
	choices, err := answers.Policies(names)
	if err != nil {
		return flagErrors(err)
	}
	for k, choice := range choices {
		if _, online := solve.PolicyOf(choice.Solver); !online {
			return usageErrorf("--policies: expected on-line solvers, some of %s; found %q", onlineSolvers(), names[k])
		}
	}
	in, err := readInstance(path)
	if err != nil {
		return err
	}
	ctx, stop := interruptible(c.Context)
	defer stop()
	answer, err := forecastOf(ctx, in, choices, c.Uint64("seed"))
	if err != nil {
		return stoppedOr(ctx, err)
	}
	assumed := forReplay(in, "the policy of each column")
	answer.Assumes = assumed.full()
	return writeAnswerOn(c, c.String("output"), in, 0, answer, func() string { return answer.text(assumed.line(), datesOf(in)) })
}

// forecastOf runs the policies.
func forecastOf(ctx context.Context, in *model.Instance, choices []solve.Choice, seed uint64) (*startTable, error) {
	f := &startTable{Instance: in.Name(), Unit: in.Units().Time, Policies: []string{}, Jobs: []jobForecast{}, Notes: []string{}}
	var place []int // in the list, of each job; −1: it runs already
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		if isRunning(in, j) {
			f.Running++
			place = append(place, -1)
			continue
		}
		place = append(place, len(f.Jobs))
		listed := jobForecast{Job: j.ID, User: j.User(), Queue: j.Queue(), Processors: j.Min, Arrival: j.Arrival, Starts: map[string]whatif.JobStart{}}
		if !math.IsNaN(j.Estimate) {
			listed.Estimate = new(j.Estimate)
		}
		f.Jobs = append(f.Jobs, listed)
	}
	for _, choice := range choices {
		starts, err := whatif.Starts(ctx, choice.Label, choice.Solver.(solve.Policy), in, seed)
		if err != nil {
			return nil, err
		}
		f.Policies = append(f.Policies, choice.Label)
		late := 0
		for k, start := range starts {
			if place[k] >= 0 {
				f.Jobs[place[k]].Starts[choice.Label] = start
			} else if start.Start == nil || *start.Start > in.Jobs()[k].Arrival {
				late++
			}
		}
		if late > 0 {
			f.Notes = append(f.Notes, fmt.Sprintf("do not rely on the figures of %s: it delays %s already", choice.Label, numtext.Counted(late, "job, which runs", "jobs, which run")))
		}
	}
	return f, nil
}

// isRunning says whether an imported queue states that a job runs already: where it runs, or, where that is not known, by its class.
func isRunning(in *model.Instance, j *model.Job) bool {
	return j.Node().Running != nil || j.UserClass >= 0 && in.UserClasses()[j.UserClass].ID == slurm.Running
}

// text is the forecast for people: a line each job, and the mean wait.
func (f *startTable) text(assumed string, dates dates) string {
	figure := func(x float64) string { return timetext.Of(x, cmp.Or(f.Unit, "s"), numtext.Figure) }
	w := new(strings.Builder)
	fmt.Fprintf(w, "when %s would start, counted from time 0", numtext.Counted(len(f.Jobs), "job"))
	if f.Running > 0 {
		fmt.Fprintf(w, "; %d more run already", f.Running)
	}
	fmt.Fprintf(w, "\n%s", assumed)
	dates.write(w, 0)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "job\tuser\tprocessors\testimate\t%s\n", strings.Join(f.Policies, "\t"))
	waits := make([]float64, len(f.Policies))
	never := make([]int, len(f.Policies))
	for k := range f.Jobs {
		j := &f.Jobs[k]
		estimate := ""
		if j.Estimate != nil {
			estimate = figure(*j.Estimate)
		}
		fmt.Fprintf(table, "%s\t%s\t%d\t%s", j.Job, j.User, j.Processors, estimate)
		for p, policy := range f.Policies {
			start, text := j.Starts[policy].Start, "never"
			if start == nil {
				never[p]++
			} else {
				text = figure(*start)
				waits[p] += *start - j.Arrival
			}
			fmt.Fprintf(table, "\t%s", text)
		}
		fmt.Fprintln(table)
	}
	fmt.Fprint(table, "mean wait\t\t\t")
	for p := range f.Policies {
		fmt.Fprintf(table, "\t%s", figure(waits[p]/float64(max(len(f.Jobs)-never[p], 1))))
	}
	fmt.Fprintln(table)
	_ = table.Flush() // a strings.Builder takes everything
	f.reasons(w)
	for _, note := range f.Notes {
		fmt.Fprintf(w, "note: %s\n", note)
	}
	return w.String()
}

// reasons writes why jobs never start.
func (f *startTable) reasons(w *strings.Builder) {
	shown := limited{w: w, what: "reason", most: queuesShown}
	for k := range f.Jobs {
		for _, policy := range f.Policies {
			if start := f.Jobs[k].Starts[policy]; start.Start == nil {
				shown.line("%s never starts under %s: %s\n", f.Jobs[k].Job, policy, start.Reason)
			}
		}
	}
	shown.end()
}
