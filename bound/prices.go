package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
)

// Prices are prices of processor time, one for each cluster, that make the areas of the jobs as valuable as possible.
//
// Let m_c be the number of processors of cluster c and y_c ≥ 0 its price, with Σ_c y_c·m_c = 1. A schedule of makespan M has
// processor time worth at most M. Its jobs take at least Σ_j min_c y_c·a_jc, where a_jc is the processor time of job j on
// cluster c. So this sum is a lower bound of the makespan. It is the dual of the linear program that assigns jobs in parts.
//
// The prices are found by multiplicative updates. Source: J. K. Lenstra, D. B. Shmoys, É. Tardos (1990), Math. Program. 46,
// doi:10.1007/BF01585745, the linear program; S. Arora, E. Hazan, S. Kale (2012), doi:10.4086/toc.2012.v008a006, the updates.
type Prices struct {
	Price  []float64 // by cluster: price of one processor; Σ Price_c·m_c is 1
	Value  float64   // Σ_j min_c Price_c·a_jc
	Memory []float64 // by cluster: price of its memory, which a job pays too, for each of its processors; then these prices are part of the sum of 1. nil: memory costs nothing
}

// of is the price, on cluster c, of a processor with a task of the given memory.
func (p *Prices) of(c int, memory float64) float64 {
	if p.Memory == nil {
		return p.Price[c]
	}
	return p.Price[c] + p.Memory[c]*memory
}

// FindPrices finds prices for the given number of jobs. The function areas returns the areas of a job by cluster, +Inf where it
// cannot run; the next call may overwrite the row. The prices start from the speeds of the clusters and rise where the jobs
// crowd. The number of rounds depends on the size of the instance alone. If ctx ends, the result is the best prices so far.
//
// Complexity: O(min(60,000,000, 20,000·n·C)) for n jobs and C clusters.
func FindPrices(ctx context.Context, processors []int, speeds []float64, jobs int, areas func(job int) []float64) Prices {
	p := &pricing{jobs: jobs, areas: areas, price: make([]float64, len(processors))}
	for _, m := range processors {
		p.capacity = append(p.capacity, float64(m))
	}
	weights := make([]float64, len(processors)) // y_c·m_c, which sum to 1
	uniform := make([]float64, len(processors)) // a price of 1 for every processor
	total, all := 0.0, 0
	for c, m := range processors {
		weights[c] = speeds[c] * float64(m)
		total += weights[c]
		all += m
	}
	for c := range weights {
		weights[c] /= total
		uniform[c] = float64(processors[c]) / float64(all)
	}
	best, _ := p.value(ctx, uniform, nil)
	kept := uniform
	if first, _ := p.value(ctx, weights, nil); first > best {
		best, kept = first, slices.Clone(weights)
	}
	best, kept = p.ascend(ctx, weights, kept, best)
	for c := range kept {
		kept[c] /= p.capacity[c]
	}
	return Prices{Price: kept, Value: best}
}

// memoryPrices finds prices of processors and memory together: each starts from the processors' best prices and from prices of memory alone. Memory
// without a limit has no price. It returns false if no memory is scarce, or if the context ends.
func (r *Relaxation) memoryPrices(ctx context.Context, processors Prices, areas [][]float64) (Prices, bool) {
	clusters := r.in.Clusters()
	k := len(clusters)
	p := &pricing{jobs: len(areas), areas: func(job int) []float64 { return areas[job] }, memory: func(job int) float64 { return r.in.Jobs()[r.must[job]].Memory },
		capacity: make([]float64, 2*k), price: make([]float64, 2*k)}
	both, memory, total := make([]float64, 2*k), make([]float64, 2*k), 0.0
	for c := range clusters {
		all := 0.0
		for g := range clusters[c].Machines {
			m := &clusters[c].Machines[g]
			all += float64(m.Count) * m.Memory
		}
		p.capacity[c], p.capacity[k+c] = float64(clusters[c].Processors), all
		if !(all > 0 && gate.Finite(all)) {
			p.capacity[k+c] = math.Inf(1) // of no memory at all no job holds any
			continue
		}
		memory[k+c], total = all, total+all
	}
	if total == 0 {
		return Prices{}, false
	}
	for c := range clusters {
		memory[k+c] /= total
		both[c], both[k+c] = processors.Price[c]*p.capacity[c]/2, memory[k+c]/2
	}
	best, _ := p.value(ctx, memory, nil)
	best, kept := p.ascend(ctx, both, memory, best)
	for c := range kept {
		kept[c] /= p.capacity[c]
	}
	return Prices{Price: kept[:k], Memory: kept[k:], Value: best}, best > 0
}

// pricing is a run of FindPrices.
type pricing struct {
	capacity []float64 // by resource: the processors of each cluster and, if they count, the memories behind them; +Inf: no limit
	jobs     int
	areas    func(job int) []float64
	memory   func(job int) float64 // of a task; nil: it does not count
	price    []float64             // scratch
}

// ascend improves the prices by multiplicative updates: clusters with more load than the mean become dearer. The steps shrink
// when they stop helping. It returns the best value and its weights, starting from the value best and the weights at. One cluster has nothing to choose.
func (p *pricing) ascend(ctx context.Context, weights, at []float64, best float64) (value float64, kept []float64) {
	const work, most = 60_000_000, 20_000 // pairs of job and cluster looked at, rounds
	clusters := len(p.capacity)
	if p.memory != nil {
		clusters /= 2
	}
	if clusters == 1 || p.jobs == 0 {
		return best, at
	}
	rounds := min(most, work/(p.jobs*len(p.capacity)))
	load := make([]float64, len(weights))
	back := slices.Clone(weights)
	kept = slices.Clone(at)
	step, stale := 0.5, 0
	for range rounds {
		value, crowd := p.value(ctx, weights, load)
		if ctx.Err() != nil {
			break
		}
		if value > best*(1+1e-9) {
			best, stale = value, 0
			copy(back, weights)
			copy(kept, weights)
		} else if stale++; stale >= 30 {
			step, stale = step*0.7, 0
			copy(weights, back)
			if step < 1e-7 {
				break
			}
			continue
		}
		if crowd == 0 {
			break
		}
		total := 0.0
		for c := range weights {
			weights[c] *= math.Exp(step * (load[c] - value) / crowd)
			total += weights[c]
		}
		for c := range weights {
			weights[c] /= total
		}
	}
	return best, kept
}

// value is Σ_j min_c y_c·a_jc for y_c = weights_c/m_c, where the price of a job's memory is part of y_c. If load is not nil, it receives, by cluster, the processor time of the
// jobs that choose the cluster, for each processor; crowd is the largest load. If ctx ends, the value is 0.
func (p *pricing) value(ctx context.Context, weights, load []float64) (value, crowd float64) {
	for c := range p.price {
		p.price[c] = weights[c] / p.capacity[c]
	}
	clear(load)
	for j := range p.jobs {
		if j%64 == 0 && ctx.Err() != nil {
			return 0, 0
		}
		row, memory := p.areas(j), 0.0
		if p.memory != nil {
			memory = p.memory(j)
		}
		at, least := 0, math.Inf(1)
		for c, area := range row {
			price := p.price[c]
			if p.memory != nil {
				price += p.price[len(row)+c] * memory
			}
			if v := price * area; v < least {
				at, least = c, v
			}
		}
		value += least
		if load != nil {
			load[at] += row[at] / p.capacity[at]
		}
		if load != nil && p.memory != nil {
			load[len(row)+at] += memory * row[at] / p.capacity[len(row)+at]
		}
	}
	for _, l := range load {
		crowd = max(crowd, l)
	}
	return value, crowd
}
