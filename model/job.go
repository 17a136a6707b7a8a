package model

import (
	"hash/maphash"
	"math"
	"math/bits"
)

// Need is a number of copies of a licence that a job needs while it runs.
type Need struct {
	Licence int // index into Instance.Licences
	Copies  int // at least 1
}

// Job is one job with its defaults applied.
type Job struct {
	ID       string
	Arrival  float64
	Work     float64 // of one task
	Estimate float64 // NaN: not given
	Deadline float64 // +Inf: none
	Budget   float64 // +Inf: none
	*Demand

	from *submission // shared by the jobs of one user, group, queue and quality; nil: none is stated
}

// Demand is what a job asks for besides its work. Most jobs of a trace ask for the same as others and share it, so that a job takes a fraction of the memory.
type Demand struct {
	Requirements
	Licences []Need // of at least one copy each
	After    []int

	runtimes []float64 // by cluster; NaN: cannot run there; nil: the time rule
	unasked  []int     // licences that the job names without asking for a copy, for what writes it back
}

// Requirements is what a job asks for, apart from what is a list.
type Requirements struct {
	Min, Max       int // processors the job may use
	Tasks          int // equal tasks
	WorkCV         float64
	ReferenceSpeed float64
	Memory         float64 // of one task
	Input, Output  float64
	Message        float64
	MinBandwidth   float64
	UserClass      int // index into Instance.UserClasses; -1: none
	Workflow       int // index into Instance.Workflows; -1: none
	Span           Span
	DeadlineHard   bool

	workStated, powerStated bool
	node                    *NodeNeeds // shared by the jobs that ask for the same; nil: nothing
	power                   float64
}

// plain says whether a demand has no lists, so that its requirements are all of it.
func (d *Demand) plain() bool {
	return d.Licences == nil && d.After == nil && d.runtimes == nil && d.unasked == nil
}

// submission is who submitted jobs, to which queue and in which quality; an empty text is not stated. Jobs share it, so that a job is one pointer larger only.
type submission struct{ user, group, queue, quality string }

// submitted is who submitted the job, and where.
func (j *Job) submitted() submission {
	if j.from == nil {
		return submission{}
	}
	return *j.from
}

// User is who submitted the job; empty: not stated.
func (j *Job) User() string { return j.submitted().user }

// Group is the group or account that the job's user belongs to; empty: not stated.
func (j *Job) Group() string { return j.submitted().group }

// Queue is the queue or partition that the job was submitted to; empty: not stated.
func (j *Job) Queue() string { return j.submitted().queue }

// Quality is the quality of service of the job; empty: not stated.
func (j *Job) Quality() string { return j.submitted().quality }

// Rigid says whether the job runs on one number of processors only.
func (j *Job) Rigid() bool { return j.Min == j.Max }

// HasDeadline says whether the job has a deadline.
func (j *Job) HasDeadline() bool { return !math.IsInf(j.Deadline, 1) }

// HasBudget says whether the job has a budget.
func (j *Job) HasBudget() bool { return !math.IsInf(j.Budget, 1) }

// StatesRuntimes says whether the job gives its execution time cluster by cluster instead of by the time rule.
func (j *Job) StatesRuntimes() bool { return j.runtimes != nil }

// jobIndex finds jobs by id. It keeps no id of its own: a table of places in the list of jobs, with the next free place where two ids meet, is a fifth of a map.
type jobIndex struct {
	slots []uint32 // place in the list + 1; 0: free
}

// idSeed keeps whoever chooses the ids from making them meet. Only where an id stands in the table depends on it.
var idSeed = maphash.MakeSeed()

// newJobIndex makes an index for n jobs.
func newJobIndex(n int) jobIndex {
	return jobIndex{make([]uint32, 2<<bits.Len(uint(n)))}
}

// slot is where the id stands, or would.
func (x *jobIndex) slot(jobs []Job, id string) *uint32 {
	last := uint64(len(x.slots) - 1)
	for at := maphash.String(idSeed, id) & last; ; at = (at + 1) & last {
		if slot := &x.slots[at]; *slot == 0 || jobs[*slot-1].ID == id {
			return slot
		}
	}
}

// add enters the job at a place of the list; false: a job before it has the same id.
func (x *jobIndex) add(jobs []Job, k int) bool {
	slot := x.slot(jobs, jobs[k].ID)
	if *slot != 0 {
		return false
	}
	*slot = uint32(k + 1)
	return true
}

// find is the place of the job with the id.
func (x *jobIndex) find(jobs []Job, id string) (int, bool) {
	if len(jobs) == 0 {
		return 0, false
	}
	slot := *x.slot(jobs, id)
	return max(int(slot)-1, 0), slot != 0
}
