package backfill

import (
	"cmp"
	"math"
	"slices"
	"sort"

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
	version  []int64       // by machine: counts the changes
	changed  []int32       // the machines of all changes, in the order of time
	ends     []machineEnd  // what running jobs hold of machines, in order of estimated end, then of machine
	kinds    []*kindRooms  // by number of the kind; nil: not met
}

// holding is what a running job holds on a machine.
type holding struct {
	job   *sim.Job
	end   float64
	share sim.Share
}

// machineEnd is the estimated end of a running job that holds something of a machine.
type machineEnd struct {
	end     float64
	machine int32
}

func (a machineEnd) compare(b machineEnd) int {
	return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.machine, b.machine))
}

// kindRooms is the room that machines have for the jobs of a kind.
type kindRooms struct {
	job      sim.Job   // one of them; a copy, as the job may leave
	machines []machine // by number
}

// machine is the processors that jobs of a kind can hold on a machine as time passes: at once, and then from each end on.
type machine struct {
	version int64
	now     int32
	later   []laterRoom // ascending in both
}

// laterRoom is the processors that a machine has room for from an end on.
type laterRoom struct {
	end        float64
	processors int32
}

func newReleases(platform *sim.Platform, step float64) *releases {
	r := &releases{platform: platform, step: step, held: make([][]holding, len(platform.Machines)), version: make([]int64, len(platform.Machines))}
	r.room.CopyFrom(platform.Empty())
	for m := range r.version {
		r.version[m] = 1
	}
	return r
}

// begin tells of a job that runs now on the shares.
func (r *releases) begin(j *sim.Job, shares []sim.Share) {
	for int(j.Handle) >= len(r.shares) {
		r.shares = append(r.shares, nil)
	}
	r.shares[j.Handle] = shares
	for _, share := range shares {
		m := share.Machine
		h := holding{j, j.EstimatedEnd, share}
		at, _ := slices.BinarySearchFunc(r.held[m], h, func(a, b holding) int {
			return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.job.Number, b.job.Number))
		})
		r.held[m] = slices.Insert(r.held[m], at, h)
		e := machineEnd{h.end, m}
		at, _ = slices.BinarySearchFunc(r.ends, e, machineEnd.compare)
		r.ends = slices.Insert(r.ends, at, e)
		r.change(m)
	}
}

// end tells of a job that no longer runs.
func (r *releases) end(j *sim.Job) {
	for _, share := range r.shares[j.Handle] {
		m := share.Machine
		r.held[m] = slices.DeleteFunc(r.held[m], func(h holding) bool { return h.job == j })
		at, _ := slices.BinarySearchFunc(r.ends, machineEnd{j.EstimatedEnd, m}, machineEnd.compare)
		r.ends = slices.Delete(r.ends, at, at+1)
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

// when is when a machine is ready, see [ready], by the expected ends.
func (r *releases) when(now, at float64) float64 {
	if math.IsInf(at, -1) {
		return at
	}
	return r.expected(now, at)
}

// ofKind is the rooms of the kind of the job.
func (r *releases) ofKind(j *sim.Job) *kindRooms {
	k := r.platform.NodeKind(j)
	for k >= len(r.kinds) {
		r.kinds = append(r.kinds, nil)
	}
	if r.kinds[k] == nil {
		r.kinds[k] = &kindRooms{job: *j, machines: make([]machine, len(r.platform.Machines))}
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
	of.now = int32(r.platform.Hosts(&r.room, &k.job, m))
	before := of.now
	for i := range r.held[m] {
		h := &r.held[m][i]
		r.platform.Give(&r.room, h.job, r.platform.Machines[m].Cluster, []sim.Share{h.share})
		if n := int32(r.platform.Hosts(&r.room, &k.job, m)); n > before {
			of.later = append(of.later, laterRoom{h.end, n})
			before = n
		}
	}
	return of
}

// at is the processors that the machine has room for at the time; now is the present time.
func (of *machine) at(r *releases, now, at float64) int32 {
	n := of.now
	for i := range of.later {
		if r.expected(now, of.later[i].end) > at {
			break
		}
		n = of.later[i].processors
	}
	return n
}

// straddles says whether a job that has outlived its estimate is expected to end after another one that has not.
func (r *releases) straddles(now float64) bool {
	if len(r.ends) == 0 || r.ends[0].end > now {
		return false
	}
	k := r.firstAfter(now)
	return k < len(r.ends) && r.ends[k].end < after(now, r.step)
}

// firstAfter is the place of the first end after the time.
func (r *releases) firstAfter(at float64) int {
	return sort.Search(len(r.ends), func(k int) bool { return r.ends[k].end > at })
}

// nextEnd is the first end of a running job on one of the machines after the time; +Inf: there is none.
func (r *releases) nextEnd(machines bitset, few bool, now, after float64) float64 {
	if few {
		next := math.Inf(1)
		machines.each(func(m int) { next = min(next, r.firstEnd(m, now, after)) })
		return next
	}
	k := 0
	if len(r.ends) == 0 || r.expected(now, r.ends[0].end) <= after {
		k = r.firstAfter(max(now, after))
	}
	for ; k < len(r.ends); k++ {
		if machines.has(int(r.ends[k].machine)) {
			return r.expected(now, r.ends[k].end)
		}
	}
	return math.Inf(1)
}

// latestEnd is the last end of a running job on one of the machines by the time; −Inf: there is none.
func (r *releases) latestEnd(machines bitset, few bool, now, by float64) float64 {
	last := math.Inf(-1)
	if few {
		machines.each(func(m int) { last = max(last, r.lastEnd(m, now, by)) })
		return last
	}
	for k := r.firstAfter(by) - 1; k >= 0; k-- {
		if end := r.expected(now, r.ends[k].end); end <= by && machines.has(int(r.ends[k].machine)) {
			return end
		}
	}
	return last
}

// firstEnd is the first end of a running job on the machine after the time; +Inf: there is none.
func (r *releases) firstEnd(m int, now, after float64) float64 {
	for i := range r.held[m] {
		if end := r.expected(now, r.held[m][i].end); end > after {
			return end
		}
	}
	return math.Inf(1)
}

// lastEnd is the last end of a running job on the machine by the time; −Inf: there is none.
func (r *releases) lastEnd(m int, now, by float64) float64 {
	last := math.Inf(-1)
	for i := range r.held[m] {
		end := r.expected(now, r.held[m][i].end)
		if end > by {
			break
		}
		last = max(last, end)
	}
	return last
}
