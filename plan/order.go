package plan

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/allot-opt/allot/model"
)

// ArrivalOrder lists the jobs in queue order: by arrival, jobs of equal arrival in the order of the instance, and no job before those it
// waits for.
func ArrivalOrder(in *model.Instance) []int {
	order := make([]int, len(in.Jobs()))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(in.Jobs()[a].Arrival, in.Jobs()[b].Arrival) })
	return Topological(in, order)
}

// Topological is the order with every job moved behind the jobs it waits for: it repeatedly takes the first job of the order whose
// predecessors have all been taken.
//
// Complexity: O(n log n + precedences).
func Topological(in *model.Instance, order []int) []int {
	if in.Features()&model.Precedence == 0 {
		return order
	}
	position := make([]int, len(order))
	waits := make([]int, len(order))
	for k, j := range order {
		position[j] = k
		waits[j] = len(in.Jobs()[j].After)
	}
	ready := &positions{}
	for k, j := range order {
		if waits[j] == 0 {
			*ready = append(*ready, k) // ascending: a heap already
		}
	}
	sorted := make([]int, 0, len(order))
	for ready.Len() > 0 {
		j := order[heap.Pop(ready).(int)]
		sorted = append(sorted, j)
		for _, next := range in.Successors(j) {
			if waits[next]--; waits[next] == 0 {
				heap.Push(ready, position[next])
			}
		}
	}
	return sorted
}

// positions is a heap of positions in an order.
type positions []int

func (p positions) Len() int           { return len(p) }
func (p positions) Less(a, b int) bool { return p[a] < p[b] }
func (p positions) Swap(a, b int)      { p[a], p[b] = p[b], p[a] }
func (p *positions) Push(x any)        { *p = append(*p, x.(int)) }
func (p *positions) Pop() any {
	last := len(*p) - 1
	x := (*p)[last]
	*p = (*p)[:last]
	return x
}
