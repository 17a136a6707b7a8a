package plan

import (
	"cmp"
	"slices"

	"github.com/allot-opt/allot/internal/queue"
	"github.com/allot-opt/allot/model"
)

// ArrivalOrder lists the jobs in queue order: by arrival, jobs of equal arrival in the order of the instance, and no job before those it
// waits for.
func ArrivalOrder(in *model.Instance) []int {
	order := make([]int, len(in.Jobs()))
	for j := range order {
		order[j] = j
	}
	OrderBy(order, func(job int) float64 { return in.Jobs()[job].Arrival })
	return Topological(in, order)
}

// OrderBy sorts jobs by a number of each, the least first. Jobs of equal numbers stay in their order.
//
// Complexity: O(n log n), and key is called once for each job.
func OrderBy(order []int, key func(job int) float64) {
	type keyed struct {
		key     float64
		at, job int
	}
	list := make([]keyed, len(order))
	for k, job := range order {
		list[k] = keyed{key(job), k, job}
	}
	slices.SortFunc(list, func(a, b keyed) int { return cmp.Or(cmp.Compare(a.key, b.key), a.at-b.at) })
	for k := range list {
		order[k] = list[k].job
	}
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
	var ready queue.Heap[turn]
	for k, j := range order {
		if waits[j] == 0 {
			ready = append(ready, turn(k)) // ascending: a heap already
		}
	}
	sorted := make([]int, 0, len(order))
	for len(ready) > 0 {
		j := order[ready.Pop()]
		sorted = append(sorted, j)
		for _, next := range in.Successors(j) {
			if waits[next]--; waits[next] == 0 {
				ready.Push(turn(position[next]))
			}
		}
	}
	return sorted
}

// turn is a place in an order; the least goes first.
type turn int

// Before implements [queue.Item].
func (t turn) Before(other turn) bool { return t < other }
