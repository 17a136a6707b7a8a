package lab

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// Followed is a run of a trace of which only starts, ends and sizes are kept, 20 bytes a job. A schedule takes some fifteen times as much. It is a [sim.Observer].
type Followed struct {
	in       *model.Instance
	powered  bool
	order    []int // by job of the trace: its index in the instance
	from, to float64
	held     float64 // processor time in the window
	twice    string  // a job that ended more than once
	schedule *schedule
}

// Follow makes an observer for the run of a trace, of which order says what [sim.TraceOf] says. The options are those that the run is to be compared with.
func Follow(in *model.Instance, order []int, opt Options) *Followed {
	f := &Followed{in: in, powered: HasPower(in), order: order, schedule: unplaced(in)}
	f.from, f.to = window(in, opt)
	return f
}

// Arrived implements [sim.Observer].
func (f *Followed) Arrived(float64, *sim.Job) {}

// Started implements [sim.Observer].
func (f *Followed) Started(float64, *sim.Job, []sim.Part) {}

// Decided implements [sim.Observer].
func (f *Followed) Decided(float64) {}

// Left implements [sim.Observer].
func (f *Followed) Left(now float64, j *sim.Job, outcome sim.Outcome, _ string) {
	if outcome != sim.Finished {
		return
	}
	job := f.order[j.Number]
	if f.schedule.placed(int32(job)) {
		f.twice = fmt.Sprintf("job %d", j.Number)
	}
	f.schedule.start[job], f.schedule.end[job], f.schedule.processors[job] = j.Start, now, j.Processors
	if f.powered {
		set := model.NewProcessorSet(model.Range{First: 0, Last: int(j.Processors) - 1}) // any: they take the same
		f.schedule.runs = append(f.schedule.runs, run{int32(job), 0, f.in.RunningPower(job, 0, set), j.Start, now})
	}
	f.held += float64(j.Processors) * max(0, min(now, f.to)-max(j.Start, f.from))
}

// Check checks the run from the starts and ends alone: no job ends twice, starts before it arrives or runs for another time than it takes, and no more processors are held at
// once than there are. That is what the checker looks at in the schedule of a trace.
//
// Complexity: O(n·log n) for n jobs.
func (f *Followed) Check(in *model.Instance) error {
	if f.twice != "" {
		return fmt.Errorf("%s of the trace: expected that it ends once, found it again", f.twice)
	}
	s := f.schedule
	var starts []int32
	for k := range in.Jobs() {
		if !s.placed(int32(k)) {
			continue
		}
		j := &in.Jobs()[k]
		width, _ := in.Width(k, 0)
		takes := in.DurationOn(k, 0, width)
		switch {
		case int(s.processors[k]) != width:
			return fmt.Errorf("job %q: expected %d processors, found %d", j.ID, width, s.processors[k])
		case !(s.start[k] >= j.Arrival):
			return fmt.Errorf("job %q: expected a start at its arrival, %v, or later, found %v", j.ID, j.Arrival, s.start[k])
		case !(math.Abs(s.end[k]-s.start[k]-takes) <= 10*rounding*math.Abs(s.end[k])):
			return fmt.Errorf("job %q: expected that it runs for %v, found that it runs from %v to %v", j.ID, takes, s.start[k], s.end[k])
		case s.end[k] > s.start[k]: // others hold nothing
			starts = append(starts, int32(k))
		}
	}
	ends := slices.Clone(starts)
	slices.SortFunc(starts, func(a, b int32) int { return cmp.Compare(s.start[a], s.start[b]) })
	slices.SortFunc(ends, func(a, b int32) int { return cmp.Compare(s.end[a], s.end[b]) })
	held := 0
	for _, k := range starts {
		for ; s.end[ends[0]] <= s.start[k]; ends = ends[1:] {
			held -= int(s.processors[ends[0]])
		}
		if held += int(s.processors[k]); held > in.Processors() {
			return fmt.Errorf("job %q: expected at most %d processors held at %v, found %d", in.Jobs()[k].ID, in.Processors(), s.start[k], held)
		}
	}
	return nil
}
