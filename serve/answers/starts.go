package answers

import (
	"context"
	"fmt"
	"math"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
	"github.com/allot-opt/allot/lab/whatif"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// UsualStarts are the policies that are compared on a queue where none is named.
var UsualStarts = []string{"fcfs", "easy", "conservative", "multifactor=easy:order=multifactor"}

// StartTable is when the jobs of an instance start under several policies.
type StartTable struct {
	Instance string        `json:"instance,omitempty"`
	Unit     string        `json:"unit,omitempty"` // of times
	Assumes  string        `json:"assumes"`
	Running  int           `json:"running"` // jobs that run already, which are not listed
	Policies []string      `json:"policies"`
	Jobs     []JobForecast `json:"jobs"`
	Notes    []string      `json:"notes"` // what to know before the figures are believed

	Assumed Assumption `json:"-"`
}

// JobForecast is when one job starts.
type JobForecast struct {
	Job        string                     `json:"job"`
	User       string                     `json:"user,omitempty"`
	Queue      string                     `json:"queue,omitempty"`
	Processors int                        `json:"processors"`
	Arrival    float64                    `json:"arrival"`
	Estimate   *float64                   `json:"estimate"` // nil: by the cluster
	Starts     map[string]whatif.JobStart `json:"starts"`   // by policy
}

// Starts says when each job of the instance would start under the policies, which are on line, if every job ran as long as the instance states. Where the
// first, that of a site, does not explain the record, the others are held back, unless anyway says otherwise.
func Starts(ctx context.Context, in *model.Instance, choices []solve.Choice, seed uint64, anyway bool) (*StartTable, error) {
	f := &StartTable{Instance: in.Name(), Unit: in.Units().Time, Policies: []string{}, Jobs: []JobForecast{}, Notes: []string{}}
	var place []int // in the list, of each job; −1: it runs already
	for k := range in.Jobs() {
		j := &in.Jobs()[k]
		if IsRunning(in, j) {
			f.Running++
			place = append(place, -1)
			continue
		}
		place = append(place, len(f.Jobs))
		listed := JobForecast{Job: j.ID, User: j.User(), Queue: j.Queue(), Processors: j.Min, Arrival: j.Arrival, Starts: map[string]whatif.JobStart{}}
		if !math.IsNaN(j.Estimate) {
			listed.Estimate = new(j.Estimate)
		}
		f.Jobs = append(f.Jobs, listed)
	}
	f.Assumed = forReplay(in, "the policy of each column")
	first := choices[0]
	about, withheld, err := aboutRecord(ctx, in, first.Label, first.Solver.(solve.Policy), seed, anyway)
	if err != nil {
		return nil, err
	}
	if f.Assumed.about = about; withheld {
		choices = choices[:1]
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
	f.Assumes = f.Assumed.Full()
	return f, nil
}

// IsRunning says whether an imported queue states that a job runs already: where it runs, or, where that is not known, by its class.
func IsRunning(in *model.Instance, j *model.Job) bool {
	return j.Node().Running != nil || j.UserClass >= 0 && in.UserClasses()[j.UserClass].ID == kit.RunningClass
}
