package bound

import (
	"context"
	"math"
	"slices"
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
	Price []float64 // by cluster: price of one processor; Σ Price_c·m_c is 1
	Value float64   // Σ_j min_c Price_c·a_jc
}

// FindPrices finds prices for the given number of jobs. The function areas returns the areas of a job by cluster, +Inf where it
// cannot run; the next call may overwrite the row. The prices start from the speeds of the clusters and rise where the jobs
// crowd. The number of rounds depends on the size of the instance alone. If ctx ends, the result is the best prices so far.
//
// Complexity: O(min(60,000,000, 20,000·n·C)) for n jobs and C clusters.
func FindPrices(ctx context.Context, processors []int, speeds []float64, jobs int, areas func(job int) []float64) Prices {
	p := &pricing{processors: processors, jobs: jobs, areas: areas, price: make([]float64, len(processors))}
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
	if len(processors) > 1 && jobs > 0 {
		const work, most = 60_000_000, 20_000 // pairs of job and cluster looked at, rounds
		best, kept = p.ascend(ctx, weights, kept, best, min(most, work/(jobs*len(processors))))
	}
	for c := range kept {
		kept[c] /= float64(processors[c])
	}
	return Prices{kept, best}
}

// pricing is a run of FindPrices.
type pricing struct {
	processors []int
	jobs       int
	areas      func(job int) []float64
	price      []float64 // scratch
}

// ascend improves the prices by multiplicative updates: clusters with more load than the mean become dearer. The steps shrink
// when they stop helping. It returns the best value and its weights, starting from the value best and the weights at.
func (p *pricing) ascend(ctx context.Context, weights, at []float64, best float64, rounds int) (value float64, kept []float64) {
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

// value is Σ_j min_c y_c·a_jc for y_c = weights_c/m_c. If load is not nil, it receives, by cluster, the processor time of the
// jobs that choose the cluster, for each processor; crowd is the largest load. If ctx ends, the value is 0.
func (p *pricing) value(ctx context.Context, weights, load []float64) (value, crowd float64) {
	for c := range p.price {
		p.price[c] = weights[c] / float64(p.processors[c])
	}
	clear(load)
	for j := range p.jobs {
		if j%64 == 0 && ctx.Err() != nil {
			return 0, 0
		}
		row := p.areas(j)
		at, least := 0, math.Inf(1)
		for c, area := range row {
			if v := p.price[c] * area; v < least {
				at, least = c, v
			}
		}
		value += least
		if load != nil {
			load[at] += row[at] / float64(p.processors[at])
		}
	}
	for _, l := range load {
		crowd = max(crowd, l)
	}
	return value, crowd
}
