package sim

import "math"

// Spec is a job as a source hands it out, with the run time that policies must not see.
type Spec struct {
	Arrival    float64 // time; not before that of the job before it
	Estimate   float64 // what the user asked for, time; NaN: the run time
	Runtime    float64 // how long it really runs, time
	Processors int32   // held from start to end
	User       int32   // counts the users from 1; 0: not stated
	// Waited is how long the job has waited before its arrival here, in a run that begins in the middle of another: a policy sees a job that arrived
	// Waited earlier.
	Waited float64
	// Request is what the job asks for besides processors and time; nil for a rigid job of a trace.
	Request *Request

	expected float64 // see Job.expected
}

// Job is a job in the system, as a policy sees it. It belongs to the engine: a policy must not change it, nor keep it after
// the job has left.
type Job struct {
	// Number counts the jobs of the source from 0: for an instance it is the place in queue order, not the job's index.
	Number int64
	// Handle is a small number that no other job in the system has, so a policy can keep data about jobs in a slice. It
	// is used again after the job has left.
	Handle     int32
	Processors int32   // of a rigid job
	Arrival    float64 // time of submission
	Estimate   float64 // time; on the reference machine where there is a Request
	// EstimatedEnd is the time at which the job ends by its estimate; NaN before its start.
	EstimatedEnd float64
	Start        float64  // NaN: not started
	Request      *Request // nil in a trace
	User         int32    // number of the user who submitted the job, counted from 1 in the order in which users first submit; 0: not stated

	runtime  float64 // where all processors are alike: how long it really runs
	expected float64 // likewise by its estimate
	parts    int32   // number that still run
	state    state
}

// Expected is how long the job runs by its estimate, where it takes as long on any processors: see [Platform.Flat]. It is NaN elsewhere.
func (j *Job) Expected() float64 { return j.expected }

// state is where a job is in its life.
type state uint8

const (
	absent   state = iota // the slot is free
	waiting               // for other jobs to end
	deferred              // out of the queue until a time
	queued
	running
)

// Outcome says how a job left the system.
type Outcome uint8

// The outcomes.
const (
	Finished   Outcome = iota // it ran to its end
	Killed                    // ended at its estimate, see Options.Kill
	MissedHard                // ended at its hard deadline, which it had not met
	Dropped                   // never started
)

// Waiting says whether the job has arrived and waits for others to end.
func (j *Job) Waiting() bool { return j.state == waiting }

// Queued says whether the job may start and has not started.
func (j *Job) Queued() bool { return j.state == queued }

// Started says whether the job has started.
func (j *Job) Started() bool { return j.state == running }

// jobs is the store of the jobs in the system. Its slots keep their address and are used again, so that it grows with the
// most jobs that are in the system at once.
type jobs struct {
	blocks [][]Job
	free   []int32
}

const slotBits = 6 // 64 slots a block

// at is the job with the handle.
func (s *jobs) at(handle int32) *Job { return &s.blocks[handle>>slotBits][handle&(1<<slotBits-1)] }

// add makes room for a job.
func (s *jobs) add() *Job {
	if len(s.free) == 0 {
		first := int32(len(s.blocks)) << slotBits
		s.blocks = append(s.blocks, make([]Job, 1<<slotBits))
		for h := first + 1<<slotBits - 1; h >= first; h-- {
			s.free = append(s.free, h)
		}
	}
	last := len(s.free) - 1
	handle := s.free[last]
	s.free = s.free[:last]
	j := s.at(handle)
	*j = Job{Handle: handle, Start: math.NaN(), EstimatedEnd: math.NaN()}
	return j
}

// remove gives the slot of a job back.
func (s *jobs) remove(j *Job) {
	j.state, j.Request = absent, nil
	s.free = append(s.free, j.Handle)
}
