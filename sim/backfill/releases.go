package backfill

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// releases says when, by the estimates, machines will have room for the jobs of a kind, as running jobs end. It looks at one machine at a time, and again
// only when a job has started or ended there.
type releases struct {
	platform *sim.Platform
	step     float64
	room     sim.Room      // scratch: of one machine at a time
	shares   [][]sim.Share // by handle: what a running job holds
	held     [][]holding   // by machine: what running jobs hold there, in order of estimated end, then of number
	ends     []jobEnd      // of all running jobs, in the same order
	version  []int64       // by machine: counts the changes
	changed  []int32       // the machines of all changes, in the order of time
	kinds    []*kindRooms  // by number of the kind; nil: not met
}

// holding is what a running job holds on a machine.
type holding struct {
	jobEnd
	share sim.Share
}

// kindRooms is the room that machines have for the jobs of a kind.
type kindRooms struct {
	job      sim.Job   // one of them; a copy, as the job may leave
	devices  bool      // they need devices
	machines []machine // by number
}

// machine is the processors that jobs of a kind can hold on a machine as time passes: at once, and then from each end on.
type machine struct {
	version int64
	now     machineRoom
	later   []laterRoom // ascending in all
}

// machineRoom is the processors of a machine that jobs of a kind can hold, and those that are free. It is equipped if they need devices, and these and the memory are free,
// however many processors are.
type machineRoom struct {
	processors, free int32
	equipped         bool
}

// laterRoom is what a machine has room for when a job has ended.
type laterRoom struct {
	jobEnd
	machineRoom
}

// jobEnd is the end of a running job, by its estimate.
type jobEnd struct {
	end    float64
	number int64 // of the job
	job    *sim.Job
}

// never is before every end.
var never = jobEnd{end: math.Inf(-1)}

// compare is the order of ends, then of numbers.
func (a jobEnd) compare(b jobEnd) int {
	return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.number, b.number))
}

func newReleases(platform *sim.Platform, step float64) *releases {
	r := &releases{platform: platform, step: step, held: make([][]holding, len(platform.Machines)), version: make([]int64, len(platform.Machines))}
	r.room.CopyFrom(platform.Empty())
	for m := range r.version {
		r.version[m] = 1
	}
	return r
}

// heaviest is the weight of a machine that no test for a job that needs devices has looked at. A test leaves less.
const heaviest = 255

// weightOf is the weight that a test for the job leaves on machines: the less, the more devices it needs.
func weightOf(platform *sim.Platform, j *sim.Job) int32 {
	for _, need := range platform.Needs(j).Resources {
		if platform.Resource(need.Resource).Devices {
			return int32(max(1, heaviest-(need.Amount+model.WholeAmount-1)/model.WholeAmount))
		}
	}
	return heaviest
}

// begin tells of a job that runs now on the shares.
func (r *releases) begin(j *sim.Job, shares []sim.Share) {
	for int(j.Handle) >= len(r.shares) {
		r.shares = append(r.shares, nil)
	}
	r.shares[j.Handle] = shares
	of := jobEnd{j.EstimatedEnd, j.Number, j}
	at, _ := slices.BinarySearchFunc(r.ends, of, jobEnd.compare)
	r.ends = slices.Insert(r.ends, at, of)
	for _, share := range shares {
		m := share.Machine
		h := holding{of, share}
		at, _ := slices.BinarySearchFunc(r.held[m], h, func(a, b holding) int { return a.compare(b.jobEnd) })
		r.held[m] = slices.Insert(r.held[m], at, h)
		r.change(m)
	}
}

// end tells of a job that no longer runs.
func (r *releases) end(j *sim.Job) {
	r.ends = slices.DeleteFunc(r.ends, func(e jobEnd) bool { return e.job == j })
	for _, share := range r.shares[j.Handle] {
		m := share.Machine
		r.held[m] = slices.DeleteFunc(r.held[m], func(h holding) bool { return h.job == j })
		r.change(m)
	}
	r.shares[j.Handle] = nil
}

// change notes that a job has begun or ended on the machine.
func (r *releases) change(m int32) {
	r.version[m]++
	r.changed = append(r.changed, m)
}

// expected is when a job is expected to end whose estimate says end: one step from now if that is over.
func (r *releases) expected(now, end float64) float64 {
	if end <= now {
		return after(now, r.step)
	}
	return end
}

// firstAfter is the place of the first end after the time.
func (r *releases) firstAfter(at float64) int {
	return sort.Search(len(r.ends), func(k int) bool { return r.ends[k].end > at })
}

// ofKind is the rooms of the kind of the job.
func (r *releases) ofKind(j *sim.Job) *kindRooms {
	k := r.platform.NodeKind(j)
	for k >= len(r.kinds) {
		r.kinds = append(r.kinds, nil)
	}
	if r.kinds[k] == nil {
		r.kinds[k] = &kindRooms{job: *j, devices: weightOf(r.platform, j) < heaviest, machines: make([]machine, len(r.platform.Machines))}
	}
	return r.kinds[k]
}

// of is what machine m has room for.
func (r *releases) of(k *kindRooms, m int) *machine {
	of := &k.machines[m]
	if of.version == r.version[m] {
		return of
	}
	of.version, of.later = r.version[m], of.later[:0]
	r.platform.CopyMachine(&r.room, &r.platform.Free, m)
	look := func() machineRoom {
		room := machineRoom{processors: int32(r.platform.Hosts(&r.room, &k.job, m)), free: r.room.Processors[m]}
		room.equipped = k.devices && (room.processors > 0 || r.platform.Equipped(&r.room, &k.job, m))
		return room
	}
	of.now = look()
	for i := range r.held[m] {
		h := &r.held[m][i]
		r.platform.Give(&r.room, h.job, r.platform.Machines[m].Cluster, []sim.Share{h.share})
		if room := look(); room.processors > 0 || room.equipped {
			of.later = append(of.later, laterRoom{h.jobEnd, room})
		}
	}
	return of
}

// at is what the machine has room for when the running jobs up to one have ended.
func (of *machine) at(by jobEnd) machineRoom {
	room := of.now
	for i := range of.later {
		if of.later[i].compare(by) > 0 {
			break
		}
		room = of.later[i].machineRoom
	}
	return room
}

// meets says whether a running job holds something of one of the machines.
func (r *releases) meets(j *sim.Job, machines bitset) bool {
	shares := r.shares[j.Handle]
	for i := range shares {
		if machines.has(int(shares[i].Machine)) {
			return true
		}
	}
	return false
}
