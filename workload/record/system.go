package record

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// system is the site at a moment.
type system struct {
	in       *model.Instance
	machines []*machine
	queues   []*queue
	jobs     []*job // all, in the order of the instance

	now     float64
	free    room
	running []*job
	waiting []*job // in the order in which they are looked at

	reserved []*reservation // of easy, at this moment
	levels   []*level
	decided  func()             // for tests: called after each decision; nil: nothing is
	settled  map[string]float64 // kinds of jobs that cannot start, and how long the shortest such job is
}

// vector is processors, memory, and the amount of each resource; the last two in millionths.
type vector []int64

// room is what each machine has to spare.
type room []vector

// machine is a machine.
type machine struct {
	cluster int
	group   *model.Machine
	name    string // as a placement names it
	first   int    // its first processor in the cluster
	has     vector
	busy    []bool   // by processor
	held    [][]bool // by resource and device
}

// queue is the queue of a partition.
type queue struct {
	name     string
	tier     float64
	machines []bool

	closed   bool // at this moment
	reserved bool // at this moment: one of its jobs has a reservation
}

// job is a job, and where it runs.
type job struct {
	*model.Job
	place      int // in the instance
	priority   float64
	queue      *queue
	needs      vector // of a block
	blocks     int
	perMachine int
	options    []option
	kind       string // equal for jobs that ask for the same

	at         *option
	shares     []share
	start, end float64
	processors []int
	devices    model.DevicesHeld
}

// option is a cluster on which a job may run.
type option struct {
	cluster  int
	runs     float64
	expected float64 // how long it runs by its estimate
	machines []int
}

// until is the end by the estimate of a job that starts at a time. One that takes no time holds its machines for a moment.
func (o *option) until(start float64) float64 {
	return max(start+o.expected, math.Nextafter(start, math.Inf(1)))
}

// share is a number of blocks on a machine.
type share struct{ machine, blocks int }

// expectedEnd is the end of a running job as far as a rule knows.
func (s *system) expectedEnd(j *job) float64 {
	if end := j.start + j.at.expected; end > s.now {
		return end
	}
	return max(s.now+1, math.Nextafter(s.now, math.Inf(1)))
}

// clone is a copy.
func (r room) clone() room {
	other := make(room, len(r))
	for m := range r {
		other[m] = slices.Clone(r[m])
	}
	return other
}

// add gives back what a job holds on the shares, times n.
func (r room) add(j *job, shares []share, n int64) {
	for _, on := range shares {
		for k, need := range j.needs {
			if r[on.machine][k] != math.MaxInt64 { // which is without end
				r[on.machine][k] += n * int64(on.blocks) * need
			}
		}
	}
}

// least lowers the room to what another has.
func (r room) least(other room) {
	for m := range r {
		for k := range r[m] {
			r[m][k] = min(r[m][k], other[m][k])
		}
	}
}

// place is the first machines of the option with room for the blocks of the job; nil: there is no place.
func (r room) place(j *job, o *option) []share {
	var shares []share
	left := j.blocks
	for _, m := range o.machines {
		fits := left
		for k, need := range j.needs {
			if need > 0 {
				fits = min(fits, int(r[m][k]/need))
			}
		}
		if j.perMachine > 0 {
			if fits < j.perMachine {
				continue
			}
			fits = j.perMachine
		}
		if fits <= 0 {
			continue
		}
		shares = append(shares, share{m, fits})
		if left -= fits; left == 0 {
			return shares
		}
	}
	return nil
}

// before is the order in which waiting jobs are looked at.
func before(a, b *job) int {
	return cmp.Or(cmp.Compare(b.queue.tier, a.queue.tier), cmp.Compare(b.priority, a.priority), cmp.Compare(a.Arrival, b.Arrival), cmp.Compare(a.place, b.place))
}

// enter queues a job.
func (s *system) enter(j *job) {
	at, _ := slices.BinarySearchFunc(s.waiting, j, before)
	s.waiting = slices.Insert(s.waiting, at, j)
}

// launch starts a job. The caller takes it out of those that wait.
func (s *system) launch(j *job, o *option, shares []share) {
	j.at, j.shares, j.start, j.end = o, shares, s.now, s.now+o.runs
	s.free.add(j, shares, -1)
	s.running = append(s.running, j)
	for _, on := range shares {
		m := s.machines[on.machine]
		for _, p := range lowest(m.busy, on.blocks*int(j.needs[0])) {
			j.processors = append(j.processors, m.first+p)
		}
		for r, resource := range s.in.Resources() {
			count := on.blocks * int(j.needs[2+r]/int64(model.WholeAmount))
			if !resource.Devices || count == 0 {
				continue
			}
			if m.held[r] == nil {
				m.held[r] = make([]bool, m.has[2+r]/int64(model.WholeAmount))
			}
			if j.devices == nil {
				j.devices = model.DevicesHeld{}
			}
			if j.devices[resource.ID] == nil {
				j.devices[resource.ID] = map[string]model.ProcessorSet{}
			}
			j.devices[resource.ID][m.name] = model.Processors(lowest(m.held[r], count)...)
		}
	}
}

// lowest takes the first n that are not taken.
func lowest(taken []bool, n int) []int {
	var numbers []int
	for k := 0; len(numbers) < n; k++ {
		if !taken[k] {
			taken[k] = true
			numbers = append(numbers, k)
		}
	}
	return numbers
}

// leave ends a job.
func (s *system) leave(j *job) {
	s.free.add(j, j.shares, 1)
	for _, p := range j.processors {
		for _, on := range j.shares {
			if m := s.machines[on.machine]; m.first <= p && p < m.first+len(m.busy) {
				m.busy[p-m.first] = false
			}
		}
	}
	for r, resource := range s.in.Resources() {
		for _, on := range j.shares {
			m := s.machines[on.machine]
			for _, run := range j.devices[resource.ID][m.name] {
				for d := run.First; d <= run.Last; d++ {
					m.held[r][d] = false
				}
			}
		}
	}
}
