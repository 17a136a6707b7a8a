package unrelated

import (
	"cmp"
	"math/bits"
	"slices"
)

// A column is the set of jobs of one machine. Each job left has a weighted time on the machine and a value, the gain by taking it. The best
// columns have great value and fill the machine almost up to its limit. The plain column takes the jobs of greatest value for their time until the
// next one does not fit. Others differ from it by flips: a job more or a job less. The flip of the next job costs nothing; any other costs what
// its value falls short of its time at that price.
type flip struct {
	k    int32
	load float64 // what the column gains
	cost float64
}

// subset is a set of flips: what the column gains and what it costs.
type subset struct {
	load, cost float64
	flips      uint32 // bits over half of the flips
}

// column is a pair of subsets and its cost, unused load included.
type column struct {
	cost        float64
	first, last uint32
}

// Of the jobs next to the plain column in order of price, flipReach on each side may flip, and of these the maxFlips cheapest.
const (
	flipReach = 80
	maxFlips  = 60
)

// subsets lists the sets of flips, which are in order of cost, that cost at most limit together. It stops early above most sets.
func subsets(out []subset, flips []flip, limit float64, most int) []subset {
	out = append(out[:0], subset{})
	for j, f := range flips {
		if f.cost > limit || len(out) > most {
			break
		}
		for _, s := range out {
			if cost := s.cost + f.cost; cost <= limit {
				out = append(out, subset{s.load + f.load, cost, s.flips | 1<<j})
			}
		}
	}
	return out
}

// columns finds columns by meeting in the middle: the flips are dealt to two halves, and for each subset of one half a search by load finds the
// subsets of the other that fill the machine with it.
type columns struct {
	halves [2][]flip
	sets   [2][]subset
	limit  float64 // most cost of a subset; it follows the wanted number of subsets
	found  []column
}

// wantedSubsets is about how many subsets both halves have together.
const wantedSubsets = 500

// list fills the subsets from flips in order of cost, and sorts them by load.
func (c *columns) list(flips []flip) {
	for half := range c.halves {
		c.halves[half] = c.halves[half][:0]
	}
	for j, f := range flips {
		c.halves[j%2] = append(c.halves[j%2], f)
	}
	if c.limit == 0 && len(flips) > 0 {
		c.limit = flips[min(12, len(flips)-1)].cost
	}
	number := 0
	fill := func() {
		number = 0
		for half := range c.sets {
			c.sets[half] = subsets(c.sets[half], c.halves[half], c.limit, 4*wantedSubsets)
			number += len(c.sets[half])
		}
	}
	fill()
	for range 60 {
		if number < wantedSubsets {
			c.limit *= 1.3
		} else if number > 4*wantedSubsets {
			c.limit *= 0.8
		} else {
			break
		}
		fill()
	}
	if number > 2*wantedSubsets {
		c.limit *= 0.95
	}
	for _, sets := range c.sets {
		slices.SortFunc(sets, func(a, b subset) int { return cmp.Compare(a.load, b.load) })
	}
}

// cheapestPairs finds the keep cheapest columns that gain at most need and cost less than most. Unused load costs price each. It looks no further than
// widest below need. It returns the number of pairs of subsets it compared.
func (c *columns) cheapestPairs(need, price, widest, most float64, keep int) (compared int64) {
	first, last := c.sets[0], c.sets[1]
	c.found = c.found[:0]
	low := len(last)
	for _, s := range first {
		room := need - s.load
		for low > 0 && last[low-1].load > room {
			low--
		}
		for x := low - 1; x >= 0; x-- {
			unused := room - last[x].load
			if unused > widest || s.cost+price*unused >= most {
				break
			}
			compared++
			cost := s.cost + last[x].cost + price*unused
			if cost >= most {
				continue
			}
			c.found = append(c.found, column{cost, s.flips, last[x].flips})
			if len(c.found) >= 4*keep {
				c.best(keep)
				most = c.found[len(c.found)-1].cost
			}
		}
	}
	c.best(keep)
	return compared
}

// best keeps the cheapest columns, in order of cost.
func (c *columns) best(keep int) {
	slices.SortFunc(c.found, func(a, b column) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.first, b.first), cmp.Compare(a.last, b.last))
	})
	c.found = c.found[:min(len(c.found), keep)]
}

// flipped calls visit for each flip of a column.
func (c *columns) flipped(found column, visit func(f flip)) {
	for half, set := range [2]uint32{found.first, found.last} {
		for ; set != 0; set &= set - 1 {
			visit(c.halves[half][bits.TrailingZeros32(set)])
		}
	}
}
