package backfill

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

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
	runs     []run      // scratch
	machines []int32    // available, with room at some time
	rooms    []*machine // of each
	could    []int32    // of each: processors at the time that is looked at
	shares   []sim.Share
	widest   []int32 // scratch
}

// run is neighbours among the machines, [from, to).
type run struct{ from, to int }

// begin is for a job on a cluster.
func (f *fitting) begin(p *slurm, j *sim.Job, cluster int) {
	needs := p.platform.Needs(j)
	f.kind, f.need, f.size = p.release.ofKind(j), p.platform.Rigid(j, cluster), needs.Block
	if p.platform.CountsMachines(cluster) {
		f.size = 1
	}
	f.least, f.most, f.each = max(1, needs.MinMachines), needs.MaxMachines, needs.PerMachine*f.size
	f.one = p.platform.OnOneMachine(j, cluster)
	reach := p.reach(j, cluster)
	f.mask, f.fewest = reach.machines, f.least
	if reach.most > 0 {
		f.fewest = max(f.least, (f.need+reach.most-1)/reach.most)
	}
}

// available lists the machines that are available and on which the job can run.
func (f *fitting) available(p *slurm) {
	f.machines, f.rooms = f.machines[:0], f.rooms[:0]
	for w, word := range p.avail {
		for word &= f.mask[w]; word != 0; word &= word - 1 {
			m := w<<6 + bits.TrailingZeros64(word)
			f.machines, f.rooms = append(f.machines, int32(m)), append(f.rooms, p.release.of(f.kind, m))
		}
	}
}

// now says whether the job fits the available machines now; shares are then what it would hold.
func (f *fitting) now(p *slurm) bool {
	f.available(p)
	return f.at(p, math.Inf(-1), math.Inf(-1))
}

// find is the earliest time, by the ends of jobs that run on available machines, also on such as the job cannot use, at which the job fits the available machines. It may return false if that is after latest.
//
// Complexity: O(m·r) for each of the groups, whose number is logarithmic in time, for m machines with r running jobs each.
func (f *fitting) find(p *slurm, now, latest float64) (float64, bool) {
	if p.avail.count() < f.fewest {
		return 0, false
	}
	f.available(p)
	if f.room(p, now, latest) < f.need {
		return 0, false
	}
	if f.at(p, now, math.Inf(-1)) {
		return now, true
	}
	r := p.release
	first := nextEnd(p, now, math.Inf(-1))
	if math.IsInf(first, 1) {
		return 0, false
	}
	clock := first + p.zero
	base := (math.Floor(clock/p.group)+1)*p.group - p.zero
	for width := p.group; ; {
		until := base + width
		if f.at(p, now, until) {
			last := math.Inf(-1)
			p.avail.each(func(m int) { last = max(last, r.lastEnd(m, now, until)) })
			return last, true
		}
		next := nextEnd(p, now, until)
		if math.IsInf(next, 1) {
			return 0, false
		}
		for width *= 2; next > base+width; {
			width *= 2
		}
	}
}

// nextEnd is the first end of a running job on an available machine after the time.
func nextEnd(p *slurm, now, after float64) float64 {
	next := math.Inf(1)
	p.avail.each(func(m int) { next = min(next, p.release.firstEnd(m, now, after)) })
	return next
}

// at says whether the job fits the available machines at the time; shares are then what it would hold.
func (f *fitting) at(p *slurm, now, at float64) bool {
	return f.room(p, now, at) >= f.need && f.choose()
}

// room is the number of processors of the available machines that the job could hold at the time.
func (f *fitting) room(p *slurm, now, at float64) (all int) {
	f.could = f.could[:0]
	for _, of := range f.rooms {
		n := of.at(p.release, now, at)
		switch {
		case f.one && int(n) < f.need:
			n = 0
		case f.each > 0:
			n = min(n, int32(f.each))
		default:
			n = min(n, int32(f.need))
		}
		f.could = append(f.could, n)
		all += int(n)
	}
	return all
}

// choose chooses the machines: those of the smallest run of neighbours that is enough, else those of the longest runs. Where that takes too many machines
// it chooses those with the most room.
func (f *fitting) choose() bool {
	best, runs := run{0, math.MaxInt}, f.runs[:0]
	for i := 0; i < len(f.machines); {
		if f.could[i] == 0 {
			i++
			continue
		}
		r, all := run{i, i}, 0
		for r.to < len(f.machines) && f.could[r.to] > 0 && f.machines[r.to] == f.machines[i]+int32(r.to-i) {
			all += int(f.could[r.to])
			r.to++
		}
		if n := r.to - r.from; all >= f.need && n >= f.least && n < best.to-best.from {
			best = r
		}
		runs = append(runs, r)
		i = r.to
	}
	f.runs, f.widest = runs, f.widest[:0]
	if best.to < math.MaxInt {
		runs = append(runs[:0], best)
	} else {
		slices.SortStableFunc(runs, func(a, b run) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	}
	for _, r := range runs {
		for i := r.from; i < r.to; i++ {
			f.widest = append(f.widest, int32(i))
		}
	}
	if f.fill() {
		return true
	}
	if f.most == 0 {
		return false
	}
	f.widest = f.widest[:0]
	for i, n := range f.could {
		if n > 0 {
			f.widest = append(f.widest, int32(i))
		}
	}
	slices.SortStableFunc(f.widest, func(a, b int32) int { return cmp.Compare(f.could[b], f.could[a]) })
	return f.fill()
}

// fill fills the machines in the order chosen.
func (f *fitting) fill() bool {
	f.shares = f.shares[:0]
	left := f.need
	for _, i := range f.widest {
		spare := f.size * max(0, f.least-len(f.shares)-1) // for the machines that have to follow
		n := min(int(f.could[i]), left-spare)
		if n > 0 {
			f.shares = append(f.shares, sim.Share{Machine: f.machines[i], Processors: int32(n)})
			left -= n
		}
		if left == 0 {
			break
		}
	}
	return left == 0 && len(f.shares) >= f.least && (f.most == 0 || len(f.shares) <= f.most)
}
