package ggone

import (
	"math"
)

// narrowing finds, before the dynamic programme of the knapsack, which loads can be part of a least sum. It relaxes the constraint that the
// loads add up to the number of tasks: at a price λ for each task, rank r takes the load n of the least g(n) − λ·n in its box. Another load
// raises every sum that has it by at least its difference to that least value. A load whose difference exceeds the gap between the
// relaxation's bound and one known sum is part of no least sum.
//
// λ is the slope at which the lower convex hulls of all ranks together hold all tasks. Sharing the tasks out along the hulls gives the known
// sum; in it one rank may lie between two corners of its hull.
//
// Source: A. M. Geoffrion (1974), doi:10.1007/BFb0120690, for the elimination; B. Fox (1966), Discrete optimization via marginal analysis,
// Management Science 13(3), doi:10.1287/mnsc.13.3.210, for the allotment along convex functions.
type narrowing struct {
	box    box // what is left
	groups []hullGroup
	edges  []hullEdge
	size   float64 // largest cost of a load
	corner []int   // corners of a hull; scratch
}

// hullGroup is consecutive ranks of one class with the same limits, and so with the same hull.
type hullGroup struct{ first, ranks, low, high int }

// hullEdge joins two corners of the hull of a group: it runs from load at to load at + length and rises by slope for each task.
type hullEdge struct {
	slope             float64
	group, at, length int
}

// narrowRounding is the relative rounding error that the costs are allowed.
const narrowRounding = 1e-9

// narrow is the part of the box that holds every least sum of g; the box itself where no part is known. The levels must be priced.
//
// Complexity: O(loads of all groups) expected.
func (s *knapsack) narrow(b box) box {
	w := &s.narrowing
	w.groups, w.edges, w.size = w.groups[:0], w.edges[:0], 0
	need := s.tasks
	for r := 0; r < len(s.class); {
		next := r + 1
		for next < len(s.class) && s.class[next] == s.class[r] && b.low[next] == b.low[r] && b.high[next] == b.high[r] {
			next++
		}
		base := s.hull(hullGroup{r, next - r, b.low[r], b.high[r]})
		if base < 0 {
			return b
		}
		need -= base * (next - r)
		r = next
	}
	price, gap := s.shareOut(need)
	if math.IsInf(gap, 1) {
		return b
	}
	for _, q := range w.groups {
		low, high := s.within(q, price, gap)
		for r := q.first; r < q.first+q.ranks; r++ {
			w.box.low[r], w.box.high[r] = low, high
		}
	}
	return w.box
}

// hull appends the group and the edges of its lower convex hull, and returns the least load of finite cost; −1: there is none.
func (s *knapsack) hull(q hullGroup) int {
	w, levels := &s.narrowing, s.classes[s.class[q.first]].levels
	corner := w.corner[:0]
	for n := q.low; n <= q.high; n++ {
		g := levels[n].g
		if math.IsInf(g, 1) {
			continue
		}
		w.size = max(w.size, math.Abs(g))
		for k := len(corner); k > 1; k = len(corner) {
			a, c := corner[k-2], corner[k-1]
			if (levels[c].g-levels[a].g)*float64(n-a) < (g-levels[a].g)*float64(c-a) {
				break
			}
			corner = corner[:k-1]
		}
		corner = append(corner, n)
	}
	w.corner = corner
	if len(corner) == 0 {
		return -1
	}
	for k := 1; k < len(corner); k++ {
		a, c := corner[k-1], corner[k]
		w.edges = append(w.edges, hullEdge{(levels[c].g - levels[a].g) / float64(c-a), len(w.groups), a, c - a})
	}
	w.groups = append(w.groups, q)
	return corner[0]
}

// shareOut shares the tasks above the least loads out along the hulls, the flattest edges first. It returns the slope of the last edge used
// and by how much the sum lies above the hulls; the gap is +Inf where the hulls hold too few or too many tasks.
func (s *knapsack) shareOut(need int) (price, gap float64) {
	w := &s.narrowing
	if need < 0 {
		return 0, math.Inf(1)
	}
	e, need := w.lastEdge(need)
	switch {
	case e == nil && need > 0:
		return 0, math.Inf(1)
	case e == nil:
		return 0, 0
	}
	price = e.slope
	levels := s.classes[s.class[w.groups[e.group].first]].levels
	rest := need % e.length
	return price, max(0, levels[e.at+rest].g-levels[e.at].g-float64(rest)*e.slope)
}

// lastEdge is the edge on which the last of the needed tasks lies, where the flattest edges are filled first, and how many of the tasks lie on it; nil
// where the edges together hold fewer. It rearranges the edges. It sorts only those near the edge, as quickselect does.
// Complexity: O(edges) expected.
func (w *narrowing) lastEdge(need int) (edge *hullEdge, left int) {
	edges := w.edges
	for len(edges) > 0 {
		pivot := middle(edges[0].slope, edges[len(edges)/2].slope, edges[len(edges)-1].slope)
		flatter, from := 0, len(edges) // edges[:flatter] are flatter than the pivot, edges[from:] steeper
		room := 0                      // of the flatter ones
		for k := 0; k < from; {
			switch e := &edges[k]; {
			case e.slope < pivot:
				room += e.length * w.groups[e.group].ranks
				edges[k], edges[flatter] = edges[flatter], edges[k]
				flatter++
				k++
			case e.slope > pivot:
				from--
				edges[k], edges[from] = edges[from], edges[k]
			default:
				k++
			}
		}
		if flatter > 0 && need <= room {
			edges = edges[:flatter]
			continue
		}
		need -= room
		for k := flatter; k < from; k++ {
			room := edges[k].length * w.groups[edges[k].group].ranks
			if need <= room {
				return &edges[k], need
			}
			need -= room
		}
		edges = edges[from:]
	}
	return nil, need
}

// middle is the second of three numbers in order.
func middle(a, b, c float64) float64 {
	return max(min(a, b), min(max(a, b), c))
}

// within is the least and the largest load of the group whose g(n) − price·n exceeds the least such value by at most the gap.
func (s *knapsack) within(q hullGroup, price, gap float64) (low, high int) {
	levels := s.classes[s.class[q.first]].levels
	least, size := math.Inf(1), max(gap, s.narrowing.size, math.Abs(price)*float64(q.high))
	for n := q.low; n <= q.high; n++ {
		if g := levels[n].g; !math.IsInf(g, 1) {
			least = min(least, g-price*float64(n))
		}
	}
	limit := least + gap + narrowRounding*size
	low, high = q.low, q.high
	for levels[low].g-price*float64(low) > limit {
		low++
	}
	for levels[high].g-price*float64(high) > limit {
		high--
	}
	return low, high
}
