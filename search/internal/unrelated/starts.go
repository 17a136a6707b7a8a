package unrelated

import (
	"context"
	"slices"

	"github.com/allot-opt/allot/internal/queue"
)

// start makes a first schedule. It takes the jobs in order of length, the longest first. Each goes to the least loaded machine
// of the cluster where regret plus new load above the lower bound is least. With many jobs the result is close to the lower
// bound. It returns nil if ctx ends.
//
// Complexity: O(n·(log n + K·log m)) for n jobs with K places each and m machines.
func (p *problem) start(ctx context.Context) []int32 {
	from := make([]int, len(p.jobs)+1) // by job: where its places begin in clusters, the best place first
	for _, pair := range p.pairs {
		from[pair.k+1]++
	}
	for k := range p.jobs {
		from[k+1] += from[k]
	}
	clusters := make([]int32, len(p.pairs))
	filled := make([]int32, len(p.jobs))
	for _, pair := range p.pairs {
		clusters[from[pair.k]+int(filled[pair.k])] = pair.cluster
		filled[pair.k]++
	}
	length := make([]float64, len(p.jobs))
	for k := range length {
		length[k] = p.weighted(k, int(clusters[from[k]]))
	}
	order := increasing(ctx, length)
	slices.Reverse(order)
	if order == nil {
		return nil
	}
	free := make([]queue.Heap[machineLoad], len(p.rate)) // by cluster
	for i, c := range p.clusterOf {
		free[c] = append(free[c], machineLoad{int32(i), 0})
	}
	at := make([]int32, len(p.jobs))
	for done, job := range order {
		k := int(job)
		if done%256 == 0 && ctx.Err() != nil {
			return nil
		}
		best, least := -1, 0.0
		for _, c := range clusters[from[k]:from[k+1]] {
			w := p.weighted(k, int(c))
			if cost := w + excess(free[c][0].load+w-p.price[c]); best < 0 || cost < least {
				best, least = int(c), cost
			}
		}
		top := &free[best][0]
		top.load += p.weighted(k, best)
		at[k] = top.machine
		free[best].Fix(0)
	}
	return at
}

// machineLoad is a machine with its weighted load.
type machineLoad struct {
	machine int32
	load    float64
}

// Before implements [queue.Item]: the least loaded machine goes first.
func (a machineLoad) Before(b machineLoad) bool {
	return a.load < b.load || a.load == b.load && a.machine < b.machine
}
