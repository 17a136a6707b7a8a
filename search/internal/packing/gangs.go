package packing

import "slices"

// forced empties machines that could hold a gang which is left out, and places it. It returns the change of the value.
func (p *part) forced() float64 {
	k := p.gangs[p.rng.IntN(len(p.gangs))]
	d := &p.kinds[k]
	first := p.machines[p.rng.IntN(len(p.machines))]
	each := p.rooms[int(k)*len(p.types)+int(p.problem.machines[first].variety)]
	if p.left[k] == 0 || each == 0 {
		p.choose(1 + p.rng.IntN(3))
	} else {
		if d.each > 0 {
			each = min(each, d.each)
		}
		p.open(first)
		for tries := 8 * mostSet; tries > 0 && len(p.set) < int(max(d.least, (d.blocks+each-1)/each)); tries-- {
			m := p.machines[p.rng.IntN(len(p.machines))]
			if other := p.machines[p.rng.IntN(len(p.machines))]; p.waste(other, p.scarce) > p.waste(m, p.scarce) {
				m = other
			}
			if p.rooms[int(k)*len(p.types)+int(p.problem.machines[m].variety)] > 0 && p.variety(m).cluster == p.variety(first).cluster {
				p.open(m)
			}
		}
	}
	change := 0.0
	for _, m := range p.set[:len(p.set):len(p.set)] {
		change -= p.ruin(m, 0)
	}
	if p.left[k] > 0 && p.placeGang(k) {
		change += d.worth
	}
	return change
}

// placeGang places a job of a kind that may lie on several machines: on machines of the set, and on others too if these have too little room. It returns
// false if it finds no room.
func (p *part) placeGang(k int32) bool {
	const others = 48 // machines outside of the set that are looked at
	d := &p.kinds[k]
	limit := d.blocks
	if d.each > 0 {
		limit = d.each
	}
	p.places = p.places[:0]
	look := func(m int32) {
		if n := p.room(k, m, limit); n > 0 && (d.each == 0 || n == d.each) {
			p.places = append(p.places, place{m, n})
		}
	}
	for _, m := range p.set {
		look(m)
	}
	p.work += int64(len(p.set)) * 10
	if p.placeGangOn(k) {
		return true
	}
	if len(p.machines) <= others {
		for _, m := range p.machines {
			if !slices.Contains(p.set, m) {
				look(m)
			}
		}
	} else {
		for range others {
			m := p.machines[p.rng.IntN(len(p.machines))]
			if !slices.Contains(p.set, m) && !slices.ContainsFunc(p.places, func(at place) bool { return at.machine == m }) {
				look(m)
			}
		}
	}
	p.work += others * 20
	return p.placeGangOn(k)
}

// placeGangOn places a job of the kind on machines of the list places, all of one cluster. If the kind limits their number, it takes the machines with most
// room. It returns false if no cluster has enough.
func (p *part) placeGangOn(k int32) bool {
	d := &p.kinds[k]
	if len(p.places) < int(d.least) {
		return false
	}
	list := slices.Clone(p.places)
	if d.most < d.blocks && d.each == 0 {
		slices.SortStableFunc(list, func(a, b place) int { return int(b.blocks - a.blocks) })
	}
	for len(list) > 0 {
		cluster := p.variety(list[0].machine).cluster
		var here, rest []place
		for _, at := range list {
			if p.variety(at.machine).cluster == cluster {
				here = append(here, at)
			} else {
				rest = append(rest, at)
			}
		}
		n, blocks := 0, int32(0)
		for n < len(here) && n < int(d.most) && (blocks < d.blocks || n < int(d.least)) {
			blocks += here[n].blocks
			n++
		}
		if blocks >= d.blocks && n >= int(d.least) && p.canDraw(k, here[0].machine) {
			p.spread(k, here[:n])
			return true
		}
		list = rest
	}
	return false
}

// spread places a job of the kind on all of the machines, which have room enough together: as many blocks as fit on each, but so that every later machine
// gets one at least.
func (p *part) spread(k int32, on []place) {
	left := p.kinds[k].blocks
	var g *gang
	if len(on) > 1 {
		g = &gang{}
		for _, at := range on {
			g.machines = append(g.machines, at.machine)
		}
	}
	for i, at := range on {
		n := min(at.blocks, left-int32(len(on)-1-i))
		p.place(k, at.machine, n, g)
		p.placed = append(p.placed, placed{at.machine, p.entries[at.machine][len(p.entries[at.machine])-1]})
		left -= n
		p.work += 60
	}
	p.give(k, on[0].machine, -1)
}
