package sim

import (
	"context"
	"errors"

	"github.com/allot-opt/allot/model"
)

// Entry is a job of a run that begins in the middle of another, see [SimulateFrom].
type Entry struct {
	Job     int     // index in the instance; it may come several times
	Arrival float64 // here; no earlier than that of the entry before it
	Waited  float64 // how long it has waited before: a policy sees a job that arrived Waited earlier
	// Runs is what the job holds where it runs already: its only part, as an observer of the other run was told; nil: it does not run.
	Runs  *Part
	Since float64 // when it started, if it runs already
}

// Entries hands out the jobs of a run that begins in the middle of another: first those that are in the system at its beginning, then those that arrive later.
type Entries interface {
	// Next fills in the next entry. It returns false if there are no more.
	Next(*Entry) bool
}

// ErrMidway is the error of a run that cannot begin in the middle: jobs wait for others, machines have local jobs, or sleep by a rule, whose state nobody knows then.
var ErrMidway = errors.New("sim: a run begins in the middle only where no job waits for another, and no machine has background load or sleeps by a rule")

// SimulateFrom runs jobs of an instance from the middle of another run on. A job that runs already runs from its own start and, by its estimate
// or the length of the options, ends as if it had started here; only a policy that is a [Resumer] can take it over. The run keeps no schedule; an observer can watch it. The platform is that of
// the whole instance, so that parts mean the same in both runs.
//
// Complexity beside that of the policy: O(jobs of the instance), once, and O(log n + machines) for each of n entries. It ends as [Run] does.
func SimulateFrom(ctx context.Context, in *model.Instance, entries Entries, policies Discipline, opt Options) (Totals, error) {
	if policies.General == nil {
		return Totals{}, errNoGeneral
	}
	if in.Features().Has(model.HorizonLimits) {
		return Totals{}, ErrHorizon
	}
	if in.Features()&(model.Precedence|model.BackgroundLoad|model.SleepingMachines) != 0 {
		return Totals{}, ErrMidway
	}
	opt = policies.Deferring(in, opt)
	w := &world{in: in, platform: newPlatform(in, 0, &policies, opt.Seed), entries: entries, since: map[int64]Entry{}}
	return w.run(ctx, policies.General, opt)
}

// nextEntry is [world.Next] of a run that begins in the middle. Entries have the numbers of the jobs that the engine makes of them.
func (w *world) nextEntry(s *Spec) bool {
	var entry Entry
	if !w.entries.Next(&entry) {
		return false
	}
	*s = w.spec(entry.Job)
	s.Arrival, s.Waited = entry.Arrival, entry.Waited
	if entry.Runs != nil {
		w.since[w.entered] = entry
	}
	w.entered++
	return true
}

// goOn lets a job go on that has run since the time that its entry states.
func (w *world) goOn(e *Engine, j *Job, entry Entry) {
	policy, ok := e.policy.(Resumer)
	if !ok {
		e.failf("job %s runs already, and the policy cannot take it over", j.Request.ID)
		return
	}
	delete(w.since, j.Number)
	e.queued++
	now := e.now
	e.now = entry.Since // ends count from there
	claims := []Claim{{Cluster: entry.Runs.Cluster, Shares: entry.Runs.Shares, Processors: entry.Runs.Processors}}
	parts, ok := w.grant(e, j, claims)
	if ok {
		w.begin(e, j, claims, parts)
	}
	if e.now = now; ok {
		if end := parts[0].end; end < now {
			e.failf("job %s has run since %v and ends at %v, before the run begins at %v", j.Request.ID, entry.Since, end, now)
			return
		}
		policy.Resume(e, j)
	}
}
