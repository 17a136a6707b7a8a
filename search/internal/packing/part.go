package packing

import (
	"math"
	"math/rand/v2"
	"slices"
)

// part is the share of a walk that one goroutine advances. It changes only its own machines, and places only jobs that are dealt to it or were on them.
//
// A move takes one to three machines, more often those where much is free, and the other machines of gangs on them. It lifts some or all of their jobs
// and fills them again, kind by kind in one of the orders, passing over kinds at random.
type part struct {
	*walk
	id       int32
	rng      *rand.Rand
	machines []int32 // its own
	left     []int32 // by kind: number of jobs that are not placed and that it may place
	copies   []int64 // by pool: copies that it may use
	cur      float64 // change of the value since the round began
	best     float64 // the largest of cur
	moves    int64   // of the round
	dirty    []int32 // its machines that have changed since cur was largest
	work     int64   // about the ns spent

	// Of the move under way.
	set    []int32 // the machines that are filled
	lifted []placed
	placed []placed
	places []place // machines with room for the gang that is being placed, see placeGang
	at     []int32 // the list that candidates returns
}

// placed is an entry on a machine.
type placed struct {
	machine int32
	entry   entry
}

// place is a machine with room for blocks.
type place struct{ machine, blocks int32 }

// mostCandidates is about the number of kinds that a move looks at.
const mostCandidates = 512

// mostSet is the largest number of machines that a move fills; mostLifted is about the largest number of jobs that it lifts from each of the first few.
const (
	mostSet    = 24
	mostLifted = 48
)

// begin begins a round.
func (p *part) begin(kinds, pools int) {
	p.machines, p.dirty = p.machines[:0], p.dirty[:0]
	p.left, p.copies = slices.Grow(p.left[:0], kinds)[:kinds], slices.Grow(p.copies[:0], pools)[:pools]
	p.cur, p.best, p.moves = 0, 0, 0
}

// advance makes moves until stop returns true.
func (p *part) advance(moves int64, stop func() bool) int64 {
	const poll = 200_000 // ns
	asked, temperature := p.work, 0.0
	for k := range moves {
		if p.work-asked >= poll {
			if asked = p.work; stop() {
				return k
			}
		}
		if len(p.machines) == 0 {
			return k
		}
		if k%32 == 0 {
			temperature = p.temperature(p.made + p.moves*int64(len(p.parts)))
		}
		p.move(temperature)
		p.moves++
	}
	return moves
}

// move makes a move and takes it back if it is refused.
func (p *part) move(temperature float64) {
	p.forget()
	p.set = p.set[:0]
	change := 0.0
	if len(p.gangs) > 0 && p.rng.IntN(4) == 0 {
		change = p.forced()
	} else {
		p.choose(1 + p.rng.IntN(3))
		keep := [...]float64{0, 0.3, 0.6}[p.rng.IntN(3)]
		for _, m := range p.set[:len(p.set):len(p.set)] {
			change -= p.ruin(m, keep)
		}
	}
	skip := [...]float64{0.02, 0.1, 0.3, 0.5}[p.rng.IntN(4)]
	change += p.refill(p.rng.IntN(len(p.orders)), skip)
	if p.work += 200; change < 0 && change <= temperature*math.Log(p.rng.Float64()) {
		p.undo()
		return
	}
	p.remember()
	if p.cur += change; p.cur > p.best+1e-9*p.mean {
		p.best = p.cur
		for _, m := range p.dirty {
			p.changed[m] = false
		}
		p.dirty = p.dirty[:0]
	}
}

// choose adds machines to the set; half the time the first is one of several where most of the scarce resource is free.
func (p *part) choose(n int) {
	for range min(n, len(p.machines)) {
		m := p.machines[p.rng.IntN(len(p.machines))]
		if len(p.set) == 0 && p.rng.IntN(2) == 0 {
			for range 8 {
				if other := p.machines[p.rng.IntN(len(p.machines))]; p.waste(other, p.scarce) > p.waste(m, p.scarce) {
					m = other
				}
			}
		}
		p.open(m)
	}
}

// open adds the machine to the set.
func (p *part) open(m int32) {
	if len(p.set) < mostSet && !slices.Contains(p.set, m) {
		p.set = append(p.set, m)
	}
}

// ruin lifts jobs from the machine. It keeps each with the given probability, higher where very many lie there. It returns what the lifted jobs are worth.
func (p *part) ruin(m int32, keep float64) float64 {
	lost := 0.0
	if n := len(p.entries[m]); n > mostLifted {
		keep = max(keep, 1-mostLifted/float64(n))
	}
	for i := len(p.entries[m]) - 1; i >= 0; i-- {
		if i >= len(p.entries[m]) || keep > 0 && p.rng.Float64() < keep {
			continue
		}
		lost += p.remove(m, i)
	}
	return lost
}

// remove lifts the job of entry i of the machine, and opens its other machines. A gang on machines of other parts stays.
func (p *part) remove(m int32, i int) float64 {
	e := p.entries[m][i]
	on := []int32{m}
	if e.gang != nil {
		on = e.gang.machines
		for _, other := range on {
			if p.owner[other] != p.id {
				return 0
			}
		}
		if len(p.set)+len(on) > mostSet && len(p.set) > 1 {
			return 0
		}
	}
	for _, other := range on {
		at := i
		if e.gang != nil {
			at = slices.IndexFunc(p.entries[other], func(x entry) bool { return x.gang == e.gang })
			p.open(other)
		}
		p.lifted = append(p.lifted, placed{other, p.entries[other][at]})
		p.lift(other, at)
		p.work += 40
	}
	p.give(e.kind, m, 1)
	return p.kinds[e.kind].worth
}

// give, with sign 1, counts a job of the kind that lay on the machine among those that the part may place, and its copies of licences among the free ones.
// With sign −1 it takes a job that was placed there off both.
func (p *part) give(k, m int32, sign int32) {
	p.left[k] += sign
	for _, d := range p.draws(k, m) {
		p.copies[d.pool] += int64(sign) * d.copies
	}
}

// canDraw says whether the licences that a job of the kind needs on the cluster of the machine are free.
func (p *part) canDraw(k, m int32) bool {
	for _, d := range p.draws(k, m) {
		if p.copies[d.pool] < d.copies {
			return false
		}
	}
	return true
}

// refill fills the machines of the set kind by kind; skip is the chance to pass over a kind. It returns what the jobs are worth.
func (p *part) refill(order int, skip float64) float64 {
	kinds, gain := p.orders[order], 0.0
	threshold, draws, bits := uint64(skip*(1<<32)), 0, uint64(0)
	skips := func() bool {
		if draws--; draws < 0 {
			draws, bits = 1, p.rng.Uint64()
		}
		x := bits & math.MaxUint32
		bits >>= 32
		return x < threshold
	}
	try := func(k int32) {
		d := &p.kinds[k]
		if d.most > 1 {
			for p.left[k] > 0 && !(threshold > 0 && skips()) && p.placeGang(k) {
				gain += d.worth
			}
			return
		}
		for _, m := range p.set {
			for p.left[k] > 0 && p.room(k, m, d.blocks) == d.blocks && p.canDraw(k, m) && !(threshold > 0 && skips()) {
				p.place(k, m, d.blocks, nil)
				p.give(k, m, -1)
				p.placed = append(p.placed, placed{m, p.entries[m][len(p.entries[m])-1]})
				p.work += 60
				gain += d.worth
			}
		}
	}
	if len(kinds) <= mostCandidates {
		p.work += int64(len(kinds)) * int64(1+len(p.set)) * 4
		for _, k := range kinds {
			if p.left[k] > 0 {
				try(k)
			}
		}
		return gain
	}
	for _, at := range p.candidates(order) {
		if k := kinds[at]; p.left[k] > 0 {
			p.work += int64(1+len(p.set)) * 10
			try(k)
		}
	}
	return gain
}

// candidates are positions in the order, ascending: those of the kinds that the move has lifted, and some drawn at random.
func (p *part) candidates(order int) []int32 {
	n := len(p.orders[order])
	p.at = p.at[:0]
	for k := range p.lifted {
		if e := &p.lifted[k].entry; p.kinds[e.kind].worth > 0 {
			p.at = append(p.at, p.ranks[order][e.kind])
		}
	}
	step := 2*n/mostCandidates + 1
	for at := p.rng.IntN(step); at < n; at += 1 + p.rng.IntN(step) {
		p.at = append(p.at, int32(at))
	}
	p.work += int64(len(p.at)) * 30
	slices.Sort(p.at)
	return slices.Compact(p.at)
}

// undo takes the move back: what it placed, then what it lifted.
func (p *part) undo() {
	for k := len(p.placed) - 1; k >= 0; k-- {
		m, e := p.placed[k].machine, &p.placed[k].entry
		p.lift(m, len(p.entries[m])-1)
		if e.leads(m) {
			p.give(e.kind, m, 1)
		}
	}
	for k := len(p.lifted) - 1; k >= 0; k-- {
		m, e := p.lifted[k].machine, p.lifted[k].entry
		p.put(m, e)
		if e.leads(m) {
			p.give(e.kind, m, -1)
		}
	}
	p.work += int64(len(p.placed)+len(p.lifted)) * 30
}

// remember keeps what lay before the move on the machines that it changed, unless they had changed already.
func (p *part) remember() {
	for _, list := range [...][]placed{p.lifted, p.placed} {
		for k := range list {
			m := list[k].machine
			if p.changed[m] {
				continue
			}
			p.changed[m] = true
			p.dirty = append(p.dirty, m)
			n := len(p.entries[m])
			for i := range p.placed {
				if p.placed[i].machine == m {
					n--
				}
			}
			p.old[m] = append(p.old[m][:0], p.entries[m][:n]...)
			for i := range p.lifted {
				if p.lifted[i].machine == m {
					p.old[m] = append(p.old[m], p.lifted[i].entry)
				}
			}
			p.work += int64(len(p.old[m]))
		}
	}
}

// forget drops the record of the last move, which can no longer be taken back.
func (p *part) forget() { p.lifted, p.placed = p.lifted[:0], p.placed[:0] }
