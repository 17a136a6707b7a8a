package backfill

import (
	"cmp"
	"math"
	"slices"

	"github.com/allot-opt/allot/sim"
)

// need is what jobs need of a cluster: jobs that need the same fit the same machines.
type need struct {
	kind   *kindRooms
	width  int // processors
	size   int // of them in a block
	least  int // machines
	most   int // machines; 0: no limit
	each   int // processors on each machine; 0: no such limit
	fewest int // machines that it needs in any case
	mask   bitset
	one    bool
	ready  *ready
}

// needKey tells needs apart.
type needKey struct {
	kind, cluster, width int
	one                  bool
}

// needOf is what the job needs of the cluster.
func (p *slurm) needOf(j *sim.Job, cluster int) *need {
	key := needKey{p.platform.NodeKind(j), cluster, p.platform.Rigid(j, cluster), p.platform.OnOneMachine(j, cluster)}
	if of := p.needs[key]; of != nil {
		return of
	}
	needs, reach := p.platform.Needs(j), p.reach(j, cluster)
	n := &need{kind: p.release.ofKind(j), width: key.width, size: needs.Block, one: key.one, mask: reach.machines}
	if p.platform.CountsMachines(cluster) {
		n.size = 1
	}
	n.least, n.most, n.each = max(1, needs.MinMachines), needs.MaxMachines, needs.PerMachine*n.size
	n.fewest = n.least
	if reach.most > 0 {
		n.fewest = max(n.least, (n.width+reach.most-1)/reach.most)
	}
	room := 1
	if n.one {
		room = n.width
	}
	n.ready = newReady(n.kind, room, n.mask)
	p.needs[key] = n
	return n
}

// fitting looks for machines among those available to a job, now and as running jobs end: see [Slurm].
type fitting struct {
	*need
	few      bool    // it is quicker to look at each available machine than at lists of all, or a job has outlived its estimate and the lists are not in order
	runs     []run   // scratch
	machines []int32 // that are available and have room at the time that is looked at
	could    []int32 // of each: processors
	shares   []sim.Share
	widest   []int32   // scratch
	found    bitset    // scratch
	times    []float64 // scratch
}

// run is neighbours among the machines, [from, to).
type run struct{ from, to int }

// fewMachines is the number of machines up to which it is quicker to look at each than at lists of all. Tests set it to 0.
var fewMachines = 24

// begin is for a job of the need.
func (f *fitting) begin(p *slurm, of *need) {
	f.need = of
	f.ready.update(p.release)
}

// now says whether the job fits the available machines now; shares are then what it would hold.
func (f *fitting) now(p *slurm) bool {
	f.few = p.avail.count() <= fewMachines
	return f.at(p, math.Inf(-1), math.Inf(-1))
}

// soonest is a time by which as many available machines as the job needs in any case have room, the first one; −Inf: now; +Inf: never.
func (f *fitting) soonest(p *slurm, now float64) float64 {
	r, n := f.ready, f.fewest
	if !f.few {
		for _, m := range r.order {
			if p.avail.has(int(m)) {
				if n--; n == 0 {
					return p.release.when(now, r.at[m])
				}
			}
		}
		return math.Inf(1)
	}
	f.times = f.times[:0]
	p.avail.each(func(m int) {
		if !math.IsInf(r.at[m], 1) {
			f.times = append(f.times, p.release.when(now, r.at[m]))
		}
	})
	if len(f.times) < n {
		return math.Inf(1)
	}
	slices.Sort(f.times)
	return f.times[n-1]
}

// find is the earliest time, by the ends of jobs that run on available machines, also on such as the job cannot use, at which the job fits the available machines. It may return false if that is after latest.
//
// Complexity: O(log t) groups for the time t until then, which take O(m + log r) each, for m machines that have room by its end and r running jobs.
func (f *fitting) find(p *slurm, now, latest float64) (float64, bool) {
	available := p.avail.count()
	if available < f.fewest {
		return 0, false
	}
	f.few = available <= fewMachines || p.release.straddles(now)
	soonest := f.soonest(p, now)
	if soonest > latest || math.IsInf(soonest, 1) {
		return 0, false
	}
	if math.IsInf(soonest, -1) && f.at(p, now, soonest) {
		return now, true
	}
	r := p.release
	first := r.nextEnd(p.avail, f.few, now, math.Inf(-1))
	if first > latest || math.IsInf(first, 1) {
		return 0, false
	}
	clock := first + p.zero
	base := (math.Floor(clock/p.group)+1)*p.group - p.zero
	width := p.group
	for base+width < soonest { // the groups until then, as one of them ends there
		width *= 2
	}
	for {
		until := base + width
		last := r.latestEnd(p.avail, f.few, now, until)
		if last > latest {
			return 0, false
		}
		if f.at(p, now, until) {
			return last, true
		}
		next := r.nextEnd(p.avail, f.few, now, until)
		if next > latest || math.IsInf(next, 1) {
			return 0, false
		}
		for width *= 2; next > base+width; {
			width *= 2
		}
	}
}

// at says whether the job fits the available machines at the time; shares are then what it would hold.
func (f *fitting) at(p *slurm, now, at float64) bool {
	return f.room(p, now, at) >= f.width && f.choose()
}

// room is the number of processors of the available machines that the job could hold at the time. It lists the machines.
func (f *fitting) room(p *slurm, now, at float64) (all int) {
	r := f.ready
	f.machines, f.could = f.machines[:0], f.could[:0]
	if f.few {
		p.avail.each(func(m int) {
			if p.release.when(now, r.at[m]) <= at {
				f.machines = append(f.machines, int32(m))
			}
		})
	} else {
		clear(f.found)
		for _, m := range r.order {
			if p.release.when(now, r.at[m]) > at {
				break
			}
			f.found.add(int(m))
		}
		f.found.meet(p.avail)
		f.found.each(func(m int) { f.machines = append(f.machines, int32(m)) })
	}
	kept := f.machines[:0]
	for _, m := range f.machines {
		n := p.release.of(f.kind, int(m)).at(p.release, now, at)
		switch {
		case f.one && int(n) < f.width:
			continue
		case f.each > 0:
			n = min(n, int32(f.each))
		default:
			n = min(n, int32(f.width))
		}
		if n > 0 {
			kept, f.could = append(kept, m), append(f.could, n)
			all += int(n)
		}
	}
	f.machines = kept
	return all
}

// choose chooses the machines: those of the smallest run of neighbours that is enough, else those of the longest runs. Where that takes too many machines
// it chooses those with the most room.
func (f *fitting) choose() bool {
	best, runs := run{0, math.MaxInt}, f.runs[:0]
	for i := 0; i < len(f.machines); {
		r, all := run{i, i}, 0
		for r.to < len(f.machines) && f.machines[r.to] == f.machines[i]+int32(r.to-i) {
			all += int(f.could[r.to])
			r.to++
		}
		if n := r.to - r.from; all >= f.width && n >= f.least && n < best.to-best.from {
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
	for i := range f.could {
		f.widest = append(f.widest, int32(i))
	}
	slices.SortStableFunc(f.widest, func(a, b int32) int { return cmp.Compare(f.could[b], f.could[a]) })
	return f.fill()
}

// fill fills the machines in the order chosen.
func (f *fitting) fill() bool {
	f.shares = f.shares[:0]
	left := f.width
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
