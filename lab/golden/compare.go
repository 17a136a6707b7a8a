package golden

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/allot-opt/allot/internal/kit"
	"github.com/allot-opt/allot/internal/numtext"
)

// Rule names the rule that a schedule breaks.
type Rule string

// The rules. README.md states them.
const (
	RunTime      Rule = "run-time"      // a job holds its processors for its run time, whatever its estimate
	Processors   Rule = "processors"    // a job holds the processors that it asks for
	BeforeSubmit Rule = "before-submit" // no job starts before it is submitted
	TooWide      Rule = "too-wide"      // a job wider than the machine is refused
	Capacity     Rule = "capacity"      // the jobs that run hold no more processors than there are
	NoInstant    Rule = "no-instant"    // a job starts only when something ends or is submitted, or its reservation is due
	Order        Rule = "order"         // fcfs: no job starts before those ahead of it
	Head         Rule = "head"          // fcfs, easy: the head of the queue starts as soon as it fits
	Shadow       Rule = "shadow"        // easy: no job delays the head of the queue
	Backfill     Rule = "backfill"      // easy: a job that does not delay the head starts as soon as it fits
	Reservation  Rule = "reservation"   // conservative: a job starts when its reservation is due, and no job delays a reservation
	Hole         Rule = "hole"          // conservative: a reservation is the earliest that there is, also before those of jobs ahead
	Compression  Rule = "compression"   // conservative: at an early end each reservation in turn moves forward
	Unexplained  Rule = "unexplained"   // the schedules differ, and none of the rules above is certain to be the cause
)

// Difference is the first place where a schedule differs from the reference schedule.
type Difference struct {
	Job      string   `json:"job"`
	Expected *float64 `json:"expected"` // start in the reference schedule; nil: never
	Found    *float64 `json:"found"`
	Others   int      `json:"others"` // other jobs that start at another time than expected
	Rule     Rule     `json:"rule"`
	Text     string   `json:"text"` // why the job should have started when it was expected
}

// String is a line for people.
func (d *Difference) String() string {
	text := fmt.Sprintf("job %s: expected start %s, found %s", d.Job, instant(d.Expected), instant(d.Found))
	switch d.Rule {
	case RunTime:
		text = fmt.Sprintf("job %s: wrong end", d.Job)
	case Processors:
		text = fmt.Sprintf("job %s: wrong number of processors", d.Job)
	}
	if d.Others > 0 {
		text += fmt.Sprintf(" (%s %s)", numtext.Counted(d.Others, "other start"), numtext.Word(d.Others, "differs", "differ"))
	}
	return text + "\n" + string(d.Rule) + ": " + d.Text
}

// instant is a start for people.
func instant(x *float64) string {
	if x == nil {
		return "never"
	}
	return seconds(*x)
}

// seconds is a time for people.
func seconds(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// same says whether two starts are the same.
func same(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// orNever is a start, with +Inf for never.
func orNever(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// candidate is a difference of a job.
type candidate struct {
	at   float64
	kind int // what is looked at first: 0 ends, 1 processors, 2 starts
	job  int
}

// candidates lists the differences in the order in which they are looked at: by time, then as [candidate] says, then in the order of the queue.
func candidates(w *Workload, reference, found Schedule) []candidate {
	var list []candidate
	for k := range w.Jobs {
		a, b, j := &reference[k], &found[k], &w.Jobs[k]
		switch {
		case !same(a.Start, b.Start):
			list = append(list, candidate{min(orNever(a.Start), orNever(b.Start)), 2, k})
		case math.IsNaN(a.Start):
		case b.Processors != 0 && b.Processors != j.Processors:
			list = append(list, candidate{b.Start, 1, k})
		case !math.IsNaN(b.End) && b.End != b.Start+j.Runtime:
			list = append(list, candidate{min(b.End, b.Start+j.Runtime), 0, k})
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.kind, b.kind)) })
	return list
}

// Compare compares a schedule with the reference schedule of a policy. The difference is that of the first job in time, or nil if there is
// none. If several jobs differ at one instant, it is the first in the queue whose start can be explained, because in rare cases the start
// of one job only follows from that of another. The error is that of ctx.
func Compare(ctx context.Context, w *Workload, policy string, reference, found Schedule) (*Difference, error) {
	list := candidates(w, reference, found)
	if len(list) == 0 {
		return nil, nil
	}
	starts := 0
	for _, c := range list {
		starts += c.kind / 2
	}
	var first *Difference
	for _, c := range list {
		if c.at != list[0].at || c.kind != list[0].kind {
			break
		}
		d := &Difference{Job: w.Jobs[c.job].ID, Expected: pointer(reference[c.job].Start), Found: pointer(found[c.job].Start), Others: starts}
		s := scene{w: w, policy: policy, reference: reference, found: found, at: c.at, job: c.job}
		switch c.kind {
		case 0:
			d.Rule, d.Text = RunTime, s.wrongEnd()
		case 1:
			d.Rule, d.Text = Processors, fmt.Sprintf("job %s holds %s, not %d", d.Job, numtext.Counted(w.Jobs[c.job].Processors, "processor"), found[c.job].Processors)
		default:
			d.Others--
			var err error
			if d.Rule, d.Text, err = s.explain(ctx); err != nil {
				return nil, err
			}
		}
		if d.Rule != Unexplained {
			return d, nil
		}
		if first == nil {
			first = d
		}
	}
	return first, nil
}

// pointer is a start, nil for never.
func pointer(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

// scene is what is known when a schedule differs for the first time: up to that time both schedules are the same.
type scene struct {
	w                *Workload
	policy           string
	reference, found Schedule
	at               float64
	job              int
}

// wrongEnd states what is wrong about the end of the job.
func (s *scene) wrongEnd() string {
	j, p := &s.w.Jobs[s.job], &s.found[s.job]
	text := fmt.Sprintf("job %s runs for %s s from %s to %s, and is not to end at %s", j.ID, seconds(j.Runtime), seconds(p.Start), seconds(p.Start+j.Runtime), seconds(p.End))
	if p.End == p.Start+j.Estimate {
		text += ": an estimate ends no job"
	}
	return text
}

// jobs lists those that meet a condition, which is told the start of a job in the reference schedule.
func (s *scene) jobs(meets func(j *Job, start float64) bool) []int {
	var list []int
	for k := range s.w.Jobs {
		if meets(&s.w.Jobs[k], s.reference[k].Start) {
			list = append(list, k)
		}
	}
	return list
}

// running lists the jobs that started before the time and end after it.
func (s *scene) running() []int {
	return s.jobs(func(j *Job, start float64) bool { return start < s.at && start+j.Runtime > s.at })
}

// queue lists the jobs that wait at the time, before anything starts then.
func (s *scene) queue() []int {
	return s.jobs(func(j *Job, start float64) bool {
		return j.Submit <= s.at && !(start < s.at) && j.Processors <= s.w.Processors
	})
}

// held is the number of processors of the jobs.
func (s *scene) held(jobs []int) int {
	n := 0
	for _, k := range jobs {
		n += s.w.Jobs[k].Processors
	}
	return n
}

// ending lists the jobs that end at the time.
func (s *scene) ending() []int {
	return s.jobs(func(j *Job, start float64) bool { return start < s.at && start+j.Runtime == s.at })
}

// names lists jobs for people: job 3, or jobs 3, 4 and 7; beyond six of them only their number.
func (s *scene) names(jobs []int) string {
	const most = 6
	if len(jobs) == 1 {
		return "job " + s.w.Jobs[jobs[0]].ID
	}
	if len(jobs) > most {
		return strconv.Itoa(len(jobs)) + " jobs"
	}
	list := kit.Each(jobs, func(k int) string { return s.w.Jobs[k].ID })
	return "jobs " + strings.Join(list[:len(list)-1], ", ") + " and " + list[len(list)-1]
}

// expectedEnd is when a running job is expected to end, as seen at the time.
func (s *scene) expectedEnd(k int, start float64) float64 {
	if end := start + s.w.Jobs[k].Estimate; end > s.at {
		return end
	}
	return s.at + 1
}

// late lists the running jobs that have outlived their estimates.
func (s *scene) late() []int {
	return slices.DeleteFunc(s.running(), func(k int) bool { return s.reference[k].Start+s.w.Jobs[k].Estimate > s.at })
}
