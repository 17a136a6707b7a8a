package lab

import (
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// Followed is a run of a trace of which only starts, ends and sizes are kept, 20 bytes a job. A schedule takes some fifteen times as much. It is a [sim.Observer].
type Followed struct {
	order    []int // by job of the trace: its index in the instance
	from, to float64
	held     float64 // processor time in the window
	schedule *schedule
}

// Follow makes an observer for the run of a trace, of which order says what [sim.TraceOf] says. The options are those that the run is to be compared with.
func Follow(in *model.Instance, order []int, opt Options) *Followed {
	f := &Followed{order: order, schedule: unplaced(in)}
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
	f.schedule.start[job], f.schedule.end[job], f.schedule.processors[job] = j.Start, now, j.Processors
	f.held += float64(j.Processors) * max(0, min(now, f.to)-max(j.Start, f.from))
}
