package unrelated

import (
	"cmp"
	"slices"
)

// longRow is the mean number of jobs a machine up to which a chain keeps rows: to keep long ones sorted takes longer than they save.
const longRow = 64

// entry is a job in the row of its machine.
type entry struct {
	w float64 // its weighted time there
	k int32
}

// sortRows makes the rows afresh.
func (c *chain) sortRows() {
	if c.rows == nil {
		return
	}
	for i := range c.rows {
		c.rows[i] = c.rows[i][:0]
	}
	for k, i := range c.at {
		c.rows[i] = append(c.rows[i], entry{c.p.weighted(k, int(c.p.clusterOf[i])), int32(k)})
	}
	for _, row := range c.rows {
		slices.SortStableFunc(row, func(a, b entry) int { return cmp.Compare(a.w, b.w) })
	}
}

// leaveRow takes the job at position k out of the row of machine i.
func (c *chain) leaveRow(k int, i int32) {
	row := c.rows[i]
	at := firstOf(row, c.p.weighted(k, int(c.p.clusterOf[i])))
	for row[at].k != int32(k) {
		at++
	}
	c.rows[i] = slices.Delete(row, at, at+1)
}

// enterRow puts the job at position k into the row of machine i.
func (c *chain) enterRow(k int, i int32) {
	w := c.p.weighted(k, int(c.p.clusterOf[i]))
	c.rows[i] = slices.Insert(c.rows[i], firstOf(c.rows[i], w), entry{w, int32(k)})
}

// firstOf is the first index in a row at which the weighted time is at least w.
func firstOf(row []entry, w float64) int {
	low, n := 0, len(row)
	for n > 0 {
		half := n >> 1
		if row[low+half].w < w {
			low += half + 1
			n -= half + 1
		} else {
			n = half
		}
	}
	return low
}

// allowance is the most that machines a and b together may have above their limits after a move that adds at most threshold to the energy.
func (c *chain) allowance(a, b int32, threshold float64) float64 {
	return threshold + excess(c.load[a]-c.limit[a]) + excess(c.load[b]-c.limit[b])
}

// match finds a job that may move from machine b to machine a while another moves from a, where it takes wa, to b, where it takes wb; −1:
// there is none. Both machines together may then be above their limits by at most most. It looks at the jobs of b that are long enough to make
// room there and short enough for a, and takes any of them. It overlooks jobs that are much shorter on a than on b: those are found as
// the first job of a swap.
func (c *chain) match(a, b int32, wa, wb, most float64) int {
	room := c.limit[a] - c.load[a] + wa // on a, without the job that leaves
	need := c.load[b] + wb - c.limit[b] // what has to leave b
	low, high := need-most, room+most
	if low > high {
		return -1
	}
	row, cluster := c.rows[b], int(c.p.clusterOf[a])
	found, seen := -1, uint64(0)
	for x := firstOf(row, low); x < len(row) && row[x].w <= high; x++ {
		k := int(row[x].k)
		w := c.p.weighted(k, cluster)
		if w > high || excess(w-room)+excess(need-row[x].w) > most {
			continue
		}
		if seen++; seen == 1 || (c.rng.Next()>>32)*seen>>32 == 0 { // each with the same probability
			found = k
		}
	}
	return found
}

// closedShare is the number of chains out of 1024 that come back to the machine where they began.
const closedShare = 900

// eject tries an ejection chain: the job at position k from machine a, where it takes wa, to b, where it takes wb; a job of b to a third
// machine d, and most often a job of d to a. It makes the chain if it adds at most threshold to the energy.
func (c *chain) eject(k int, a, b int32, wa, wb, threshold float64) {
	p := c.p
	above, row := c.load[b]-c.limit[b]+wb, c.rows[b] // b would be above its limit by this much
	most := c.allowance(a, b, threshold)
	bits := c.rng.Next()
	from := firstOf(row, above-most)
	if from == len(row) {
		return
	}
	second := row[from+below(uint32(bits>>32), len(row)-from)]
	l := int(second.k)
	places, u := p.places[l], float64(uint32(bits))*0x1p-32
	cluster := int(places[int(u*u*u*float64(len(places)))])
	bits = c.rng.Next()
	d := int32(p.first[cluster] + below(uint32(bits>>32), p.first[cluster+1]-p.first[cluster]))
	if d == a || d == b {
		return
	}
	wd := p.weighted(l, cluster)
	most += excess(c.load[d]-c.limit[d]) - excess(above-second.w)
	newA, newD, third := c.load[a]-wa, c.load[d]+wd, -1
	if bits&1023 < closedShare {
		if third = c.match(a, d, wa, wd, most); third < 0 {
			return
		}
		newA += p.weighted(third, int(p.clusterOf[a]))
		newD -= p.weighted(third, cluster)
	} else if excess(newA-c.limit[a])+excess(newD-c.limit[d]) > most {
		return
	}
	c.load[a], c.load[b], c.load[d] = newA, c.load[b]+wb-second.w, newD
	c.put(k, b)
	c.put(l, d)
	if third >= 0 {
		c.put(third, a)
	}
}
