package proof

// listEnd is how a set of jobs may end on some clusters: when, and what it costs apart from the makespan of all clusters. The end is 0 where that makespan costs
// nothing.
type listEnd struct {
	last int64
	cost int128
}

// listShares shares the jobs out among clusters that do not depend on each other.
type listShares struct {
	*listing
	before [][]listEnd // by set: the ways to run it on the clusters so far of which none is better than another
	count  int         // clusters so far
}

// add adds a cluster. It is false if there are too many lists, or the context has ended.
func (x *listShares) add(c int) bool {
	own := make([][]listEnd, 1<<len(x.jobs))
	g := newListGrowth(x.listing, []int{c})
	done := g.grow(func(s *listState) {
		end := listEnd{cost: g.apart(s)}
		if g.last >= 0 {
			end.last = s.nums[g.last]
		}
		own[set(s.key)] = x.better(own[set(s.key)], end)
	})
	x.count++
	if !done || x.before == nil {
		x.before = own
		return done
	}
	after, first := make([][]listEnd, len(own)), 0
	if x.count == len(x.clusters) {
		first = len(own) - 1 // the other sets do not matter
	}
	for whole := first; whole < len(own); whole++ {
		if whole%256 == 0 && x.ctx.Err() != nil {
			return false
		}
		var list []listEnd
		for part := whole; ; part = (part - 1) & whole {
			for _, a := range x.before[part] {
				for _, b := range own[whole&^part] {
					list = x.better(list, listEnd{max(a.last, b.last), a.cost.plus(b.cost)})
				}
			}
			if part == 0 {
				break
			}
		}
		after[whole] = list
	}
	x.before = after
	return true
}

// better adds a way to end, unless another is as good or it costs as much as the target.
func (x *listShares) better(list []listEnd, end listEnd) []listEnd {
	if !end.cost.plus(product(x.makespan, end.last)).below(x.target) {
		return list
	}
	for _, other := range list {
		if other.last <= end.last && !end.cost.below(other.cost) {
			return list
		}
	}
	kept := list[:0]
	for _, other := range list {
		if end.last > other.last || other.cost.below(end.cost) {
			kept = append(kept, other)
		}
	}
	return append(kept, end)
}

// least is the least that all jobs cost; the target if that is not less.
func (x *listShares) least() int128 {
	least := x.target
	for _, end := range x.before[1<<len(x.jobs)-1] {
		if cost := end.cost.plus(product(x.makespan, end.last)); cost.below(least) {
			least = cost
		}
	}
	return least
}
