package backfill

import (
	"math"
	"math/bits"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/sim"
)

// fitting looks for machines among those available to a job, now and as running jobs end: see [Slurm].
type fitting struct {
	kind     *kindRooms
	need     int // processors
	size     int // of them in a block
	least    int // machines
	most     int // machines; 0: no limit
	each     int // processors on each machine; 0: no such limit
	fewest   int // machines that it needs in any case
	mask     bitset
	one      bool
	weight   int32      // see weightOf
	runs     []run      // scratch
	machines []int32    // available, with room at some time
	rooms    []*machine // of each
	could    []int32    // of each: processors at the time that is looked at, which the job could hold
	free     []int32    // of each: processors that are free then, of which a machine's size is judged
	shares   []sim.Share
	out      []bool // scratch: machines that are left out of the choice, or chosen already
}

// run is neighbours among the machines, [from, to), of one weight, and the processors that are free on them.
type run struct {
	from, to, free int
	weight         int32
}

// begin is for a job on a cluster.
func (f *fitting) begin(p *slurm, j *sim.Job, cluster int) {
	needs := p.platform.Needs(j)
	f.kind, f.need, f.size = p.release.ofKind(j), p.platform.Rigid(j, cluster), needs.Block
	if p.platform.CountsMachines(cluster) {
		f.size = 1
	}
	f.least, f.most, f.each = max(1, needs.MinMachines), needs.MaxMachines, needs.PerMachine*f.size
	f.one, f.weight = p.platform.OnOneMachine(j, cluster), weightOf(p.platform, j)
	reach := p.reach(j, cluster)
	f.mask, f.fewest = reach.machines, f.least
	if reach.most > 0 {
		f.fewest = max(f.least, (f.need+reach.most-1)/reach.most)
	}
}

// available lists the machines that are available and on which the job can run, and gives them the weight that a test for it leaves there.
func (f *fitting) available(p *slurm) {
	f.machines, f.rooms = f.machines[:0], f.rooms[:0]
	for w, word := range p.avail {
		for word &= f.mask[w]; word != 0; word &= word - 1 {
			m := w<<6 + bits.TrailingZeros64(word)
			f.machines, f.rooms = append(f.machines, int32(m)), append(f.rooms, p.release.of(f.kind, m))
			if f.weight > 0 {
				p.weights[m] = f.weight
			}
		}
	}
}

// now says whether the job fits the available machines now; shares are then what it would hold.
func (f *fitting) now(p *slurm) bool {
	f.available(p)
	return f.at(p, never)
}

// find is the earliest time, by the ends of jobs that run on available machines, also on such as the job cannot use, at which the job fits the available machines. It may return false if that is after latest.
//
// Complexity: O(R) for R running jobs with what they hold, and O(m·r) for each of the groups, whose number is logarithmic in time, for m machines with r running jobs each.
func (f *fitting) find(p *slurm, now, latest float64) (float64, bool) {
	machines := p.avail.count()
	if machines < f.least {
		return 0, false
	}
	f.available(p)
	if machines < f.fewest || f.room(p, jobEnd{end: latest, number: math.MaxInt64}) < f.need {
		return 0, false
	}
	if f.at(p, never) {
		return now, true
	}
	return f.later(p, now)
}

// later is find as running jobs end. They are looked at in the order of their ends, and those that hold something of an available machine are taken to have ended, one group after the
// other. A group is over when the next running job, of whatever machines, ends after it. So a job of these machines belongs to it, however late it ends, if other machines'
// jobs end between.
func (f *fitting) later(p *slurm, now float64) (float64, bool) {
	ends, k := p.release.ends, 0
	until, width := math.NaN(), p.group
	for k < len(ends) {
		last := -1
		for k < len(ends) {
			k++
			if !p.release.meets(ends[k-1].job, p.avail) {
				continue
			}
			if last = k - 1; math.IsNaN(until) {
				until = (math.Floor((ends[last].end+p.groupPhase)/p.group)+1)*p.group - p.groupPhase
			}
			if k < len(ends) && ends[k].end > until+width {
				break
			}
		}
		if last < 0 {
			break
		}
		for width *= 2; k < len(ends) && ends[k].end > until+width; {
			width *= 2
		}
		if f.at(p, ends[last]) {
			return p.release.expected(now, ends[last].end), true
		}
	}
	return 0, false
}

// at says whether the job fits the available machines when the running jobs up to one have ended; shares are then what it would hold.
func (f *fitting) at(p *slurm, by jobEnd) bool {
	return f.room(p, by) >= f.need && f.choose(p.weights)
}

// room is the number of processors of the available machines that the job could hold when the running jobs up to one have ended.
func (f *fitting) room(p *slurm, by jobEnd) (all int) {
	f.could, f.free = f.could[:0], f.free[:0]
	for _, of := range f.rooms {
		room := of.at(by)
		n, free := room.processors, room.free
		switch {
		case f.one && int(n) < f.need:
			n = 0
		case f.each > 0:
			n = min(n, int32(f.each))
		}
		if f.each > 0 && f.least > 1 { // so many tasks on each machine
			free = n
		} else if f.each == 0 && f.size == 1 && f.weight == 0 { // memory may be short
			free = n
		}
		n = min(n, int32(f.need))
		if n == 0 {
			free = 0
		}
		f.could, f.free = append(f.could, n), append(f.free, free)
		all += int(n)
	}
	return all
}

// weightOf is the weight that a test for the job leaves on the machines; 0: none, as it needs no devices.
func weightOf(platform *sim.Platform, j *sim.Job) int32 {
	const heaviest = 255
	for _, need := range platform.Needs(j).Resources {
		if platform.Resource(need.Resource).Devices {
			return int32(max(1, heaviest-(need.Amount+model.WholeAmount-1)/model.WholeAmount))
		}
	}
	return 0
}

// choose chooses the machines, as Slurm's _eval_nodes does: runs of neighbours one after the other, until there are enough. First come those of the least weight, of these the run with the least
// free processors that is enough for what is left, else that with the most. In a run that is enough one machine is taken if one is enough, the one with the least free processors; else the first
// ones. Where that takes too many machines, those with the least free processors are left out, and so on.
func (f *fitting) choose(weights []int32) bool {
	f.out = append(f.out[:0], make([]bool, len(f.machines))...)
	left := 0
	for _, n := range f.free {
		if n > 0 {
			left++
		}
	}
	for least := int32(0); ; {
		if f.among(weights) {
			return true
		}
		next := int32(math.MaxInt32)
		for i, n := range f.free {
			if n > least && !f.out[i] {
				next = min(next, n)
			}
		}
		if next == math.MaxInt32 || left <= f.least {
			return false
		}
		for i, n := range f.free {
			if n == next && left > f.least {
				f.out[i] = true
				left--
			}
		}
		least = next
	}
}

// among chooses among the machines that are not left out.
func (f *fitting) among(weights []int32) bool {
	runs := f.runs[:0]
	open := func(i int) bool { return f.free[i] > 0 && !f.out[i] }
	for i := 0; i < len(f.machines); {
		if !open(i) {
			i++
			continue
		}
		r := run{from: i, to: i, weight: weights[f.machines[i]]}
		for r.to < len(f.machines) && open(r.to) && f.machines[r.to] == f.machines[i]+int32(r.to-i) && weights[f.machines[r.to]] == r.weight {
			r.free += int(f.free[r.to])
			r.to++
		}
		runs = append(runs, r)
		i = r.to
	}
	f.runs, f.shares = runs, f.shares[:0]
	left, machines := f.need, f.least
	for range runs {
		best, enough := -1, false
		for k := range runs {
			r := &runs[k]
			n := r.to - r.from
			if n == 0 {
				continue
			}
			is := r.free >= left && n >= machines
			if best < 0 || r.weight < runs[best].weight || r.weight == runs[best].weight && (is && (!enough || r.free < runs[best].free) || !is && r.free > runs[best].free) {
				best, enough = k, is
			}
		}
		if best < 0 {
			break
		}
		r := runs[best]
		if machines <= 1 {
			one := -1
			for i := r.from; i < r.to; i++ {
				if int(f.could[i]) >= left && (one < 0 || f.free[i] < f.free[one]) {
					one = i
				}
			}
			if one >= 0 {
				r.from, r.to = one, one+1
			}
		}
		for i := r.from; i < r.to && (left > 0 || machines > 0); i++ {
			spare := f.size * max(0, machines-1) // for the machines that have to follow
			n := min(int(f.could[i]), left-spare)
			if n <= 0 || f.most > 0 && (len(f.shares) == f.most || len(f.shares)+1 == f.most && n < left) {
				continue
			}
			f.shares = append(f.shares, sim.Share{Machine: f.machines[i], Processors: int32(n)})
			left -= n
			machines--
		}
		if left == 0 && machines <= 0 {
			return true
		}
		runs[best].to = runs[best].from
	}
	return false
}
