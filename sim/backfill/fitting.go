package backfill

import (
	"cmp"
	"math"
	"math/bits"
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
	weight int32 // see [weightOf]
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
	n := &need{kind: p.release.ofKind(j), width: key.width, size: needs.Block, one: key.one, mask: reach.machines, weight: weightOf(p.platform, j)}
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
	p.weighs = p.weighs || n.weight < heaviest
	return n
}

// fitting looks for machines among those available to a job, now and as running jobs end: see [Slurm].
type fitting struct {
	*need
	few      bool    // it is quicker to look at each available machine than at lists of all
	settled  bool    // the test changes no weight
	runs     []run   // scratch
	machines []int32 // that are available and have room at the time that is looked at
	could    []int32 // of each: processors that the job could hold
	free     []int32 // of each: processors that are free then, of which a machine's size is judged
	idleOf   []int32 // of each: processors that are free then
	order    []int   // scratch
	shares   []sim.Share
	out      []bool    // scratch: machines that are left out of the choice, or chosen already
	found    bitset    // scratch
	times    []float64 // scratch
	holders  []int32   // see list
}

// run is neighbours among the machines, [from, to), of one weight, and the processors that are free on them.
type run struct {
	from, to, free int
	weight         int32
}

// fewMachines is the number of machines up to which it is quicker to look at each than at lists of all. Tests set it to 0.
var fewMachines = 24

// begin is for a job of the need.
func (f *fitting) begin(p *slurm, of *need) {
	f.need = of
	f.ready.update(p.release)
}

// weigh gives the weight that a test for the job leaves to the available machines that have its devices when the running jobs up to one have ended.
func (f *fitting) weigh(p *slurm, by jobEnd) {
	for w, word := range p.avail {
		for word &= f.mask[w]; word != 0; word &= word - 1 {
			if m := w<<6 + bits.TrailingZeros64(word); p.release.of(f.kind, m).at(by).equipped {
				p.weights[m] = f.weight
			}
		}
	}
}

// now says whether the job fits the available machines now; shares are then what it would hold.
func (f *fitting) now(p *slurm) bool {
	f.few, f.settled = p.avail.count() <= fewMachines, f.weight == heaviest
	return f.at(p, never)
}

// soonest is the end of a running job before which fewer of the available machines have room than the job needs in any case; −Inf: now; +Inf: it is always so.
func (f *fitting) soonest(p *slurm) float64 {
	r, n := f.ready, f.fewest
	if !f.few {
		for _, m := range r.order {
			if p.avail.has(int(m)) {
				if n--; n == 0 {
					return r.at[m]
				}
			}
		}
		return math.Inf(1)
	}
	f.times = f.times[:0]
	p.avail.each(func(m int) { f.times = append(f.times, r.at[m]) })
	if len(f.times) < n {
		return math.Inf(1)
	}
	slices.Sort(f.times)
	return f.times[n-1]
}

// find is the earliest time, by the ends of jobs that run on available machines, also on such as the job cannot use, at which the job fits the available machines. It may return false if that is after latest.
//
// Complexity: O(log R) for each of the groups, whose number is logarithmic in time, and for the running jobs of other machines that lie between two groups, for R running jobs; and O(m·r) for those groups
// in which enough machines have room, m, with r running jobs each.
func (f *fitting) find(p *slurm, now, latest float64) (float64, bool) {
	machines := p.avail.count()
	if machines < f.least {
		return 0, false
	}
	f.few = machines <= fewMachines
	if f.settled = f.weighed(p); f.settled {
		return f.by(p, now, latest)
	}
	at, ok := f.by(p, now, math.Inf(1)) // the test goes on until the job fits or nothing runs, as it weighs machines
	if !ok {
		f.weigh(p, jobEnd{end: math.Inf(1), number: math.MaxInt64})
	}
	return at, ok
}

// weighed says whether tests for the job change no weight of the available machines.
func (f *fitting) weighed(p *slurm) bool {
	if f.weight == heaviest {
		return true
	}
	for w, word := range p.avail {
		for word &= f.mask[w]; word != 0; word &= word - 1 {
			if p.weights[w<<6+bits.TrailingZeros64(word)] != f.weight {
				return false
			}
		}
	}
	return true
}

// by is find, but for what tests leave. It returns false if the time is after latest.
func (f *fitting) by(p *slurm, now, latest float64) (float64, bool) {
	if p.avail.count() < f.fewest {
		return 0, false
	}
	soonest := f.soonest(p)
	if soonest > latest || math.IsInf(soonest, 1) || !f.one && f.room(p, jobEnd{end: latest, number: math.MaxInt64}) < f.width {
		return 0, false
	}
	if math.IsInf(soonest, -1) && f.at(p, never) {
		return now, true
	}
	return f.later(p, now, soonest, latest)
}

// later is find as running jobs end. They are looked at in the order of their ends, and those that hold something of an available machine are taken to have ended, one group after the
// other. A group is over when the next running job, of whatever machines, ends after it. So a job of these machines belongs to it, however late it ends, if other machines'
// jobs end between.
func (f *fitting) later(p *slurm, now, soonest, latest float64) (float64, bool) {
	f.list(p)
	ends := p.release.ends
	k := f.meets(p, 0)
	if k == len(ends) {
		return 0, false
	}
	until := (math.Floor((ends[k].end+p.groupPhase)/p.group)+1)*p.group - p.groupPhase
	for width := p.group; ; {
		last := f.meets(p, max(k, p.release.firstAfter(until+width)-1))
		if last == len(ends) { // no job of these machines closes the group
			last = f.lastMeets(p)
		}
		if last < k || ends[last].end > latest {
			return 0, false
		}
		if ends[last].end >= soonest && f.at(p, ends[last]) {
			return p.release.expected(now, ends[last].end), true
		}
		if k = last + 1; k == len(ends) {
			return 0, false
		}
		for width *= 2; k < len(ends) && ends[k].end > until+width; {
			width *= 2
		}
	}
}

// list lists the running jobs that hold something of an available machine, by their place in the order of ends, where the machines are few.
func (f *fitting) list(p *slurm) {
	if f.holders = f.holders[:0]; !f.few {
		return
	}
	p.release.place()
	p.avail.each(func(m int) {
		for i := range p.release.held[m] {
			f.holders = append(f.holders, p.release.places[p.release.held[m][i].job.Handle])
		}
	})
	slices.Sort(f.holders)
}

// meets is the place of the first running job from place k on that holds something of an available machine; if there is none, the number of all.
func (f *fitting) meets(p *slurm, k int) int {
	if f.few {
		if at, _ := slices.BinarySearch(f.holders, int32(k)); at < len(f.holders) {
			return int(f.holders[at])
		}
		return len(p.release.ends)
	}
	for k < len(p.release.ends) && !p.release.meets(p.release.ends[k].job, p.avail) {
		k++
	}
	return k
}

// lastMeets is the place of the last such job; −1: none.
func (f *fitting) lastMeets(p *slurm) int {
	if f.few {
		return int(f.holders[len(f.holders)-1])
	}
	k := len(p.release.ends) - 1
	for k >= 0 && !p.release.meets(p.release.ends[k].job, p.avail) {
		k--
	}
	return k
}

// at says whether the job fits the available machines when the running jobs up to one have ended; shares are then what it would hold.
func (f *fitting) at(p *slurm, by jobEnd) bool {
	if !f.settled {
		f.weigh(p, by)
	}
	return f.room(p, by) >= f.width && (f.choose(p.weights) || f.idle(p) && f.roomiest())
}

// idle says whether nothing holds any of the available machines that the job could use, so that more of them will not be free later.
func (f *fitting) idle(p *slurm) bool {
	machines := 0
	for w, word := range p.avail {
		machines += bits.OnesCount64(word & f.mask[w])
	}
	for i, m := range f.machines {
		if int(f.idleOf[i]) < p.platform.Machines[m].Processors {
			return false
		}
	}
	return machines == len(f.machines)
}

// roomiest chooses the machines with room for most of the job, as few as are enough. So a job with a limit of machines finds a choice wherever there is one.
func (f *fitting) roomiest() bool {
	f.order = f.order[:0]
	for i := range f.machines {
		f.order = append(f.order, i)
	}
	slices.SortStableFunc(f.order, func(a, b int) int { return cmp.Compare(f.could[b], f.could[a]) })
	f.shares = f.shares[:0]
	left := f.width
	for _, i := range f.order {
		n := min(int(f.could[i]), left-f.size*max(0, f.least-len(f.shares)-1))
		if left == 0 || n <= 0 || len(f.shares) == f.most && f.most > 0 {
			break
		}
		f.shares = append(f.shares, sim.Share{Machine: f.machines[i], Processors: int32(n)})
		left -= n
	}
	return left == 0 && len(f.shares) >= f.least
}

// room is the number of processors of the available machines that the job could hold when the running jobs up to one have ended. It lists the machines.
func (f *fitting) room(p *slurm, by jobEnd) (all int) {
	r := f.ready
	f.machines, f.could, f.free, f.idleOf = f.machines[:0], f.could[:0], f.free[:0], f.idleOf[:0]
	if f.few {
		p.avail.each(func(m int) {
			if r.at[m] <= by.end {
				f.machines = append(f.machines, int32(m))
			}
		})
	} else {
		clear(f.found)
		for _, m := range r.order {
			if r.at[m] > by.end {
				break
			}
			f.found.add(int(m))
		}
		f.found.meet(p.avail)
		f.found.each(func(m int) { f.machines = append(f.machines, int32(m)) })
	}
	kept := f.machines[:0]
	for _, m := range f.machines {
		room := p.release.of(f.kind, int(m)).at(by)
		n, free, idle := room.processors, room.free, room.free
		switch {
		case n == 0 || f.one && int(n) < f.width:
			continue
		case f.each > 0:
			n = min(n, int32(f.each))
		}
		if f.each > 0 && f.least > 1 { // each is the number of tasks that the job has on each machine
			free = n
		} else if f.each == 0 && f.size == 1 && f.weight == heaviest { // memory may be short
			free = n
		}
		n = min(n, int32(f.width))
		kept, f.could, f.free, f.idleOf = append(kept, m), append(f.could, n), append(f.free, free), append(f.idleOf, idle)
		all += int(n)
	}
	f.machines = kept
	return all
}

// choose chooses the machines, as Slurm's _choose_nodes and _eval_nodes do: runs of neighbours one after the other, until there are enough. First come those of the least weight, of these the run with the least
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
	left, machines := f.width, f.least
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
