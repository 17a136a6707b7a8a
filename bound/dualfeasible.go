package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "dual-feasible", Metric: "makespan", Certifies: true,
	Doc:    "area of the jobs with their sizes changed by dual feasible functions, which let no more fit into a cluster",
	Source: "S. P. Fekete, J. Schepers (2001), New classes of fast lower bounds for bin packing problems, Math. Program. 91, doi:10.1007/s101070100243, §3: u⁽ᵏ⁾, U⁽ᵉ⁾, φ⁽ᵉ⁾ and compositions",
	New:    OnceShown(proveDualFeasible)})

// dualFeasible maps the size of a job to a share of a cluster. Jobs that fit beside each other must have shares that sum to at
// most 1.
type dualFeasible func(size, processors int) float64

// roundedSizes is u⁽ᵏ⁾. A size stays if k+1 jobs of it fill the cluster exactly; other sizes are rounded down to multiples of
// 1/k. The function inner changes the size first.
func roundedSizes(k int, inner dualFeasible) dualFeasible {
	return func(size, processors int) float64 {
		x := inner(size, processors)
		parts := float64(k+1) * x
		if whole := math.Round(parts); math.Abs(parts-whole) < 1e-9 { // a whole number but for rounding: take the lower of the two
			return min(x, whole/float64(k+1))
		}
		return math.Floor(parts) / float64(k)
	}
}

// wideSizes is U⁽ᵉ⁾. A job that leaves less than the threshold free takes the whole cluster; a job smaller than the threshold
// takes nothing. The threshold is part thousandths of half the cluster.
func wideSizes(part int) dualFeasible {
	return func(size, processors int) float64 {
		switch threshold := thresholdSize(part, processors); {
		case size > processors-threshold:
			return 1
		case size < threshold:
			return 0
		}
		return float64(size) / float64(processors)
	}
}

// countedSizes is φ⁽ᵉ⁾. It measures sizes by how many thresholds fit.
func countedSizes(part int) dualFeasible {
	return func(size, processors int) float64 {
		threshold := thresholdSize(part, processors)
		most := processors / threshold
		switch {
		case 2*size > processors:
			return 1 - float64((processors-size)/threshold)/float64(most)
		case size >= threshold:
			return 1 / float64(most)
		}
		return 0
	}
}

// thresholdSize is a threshold between 1 and half the processors.
func thresholdSize(part, processors int) int {
	return max(1, (part*processors+1999)/2000)
}

// sizeFunction is a dual feasible function whose values are whole multiples of 1/parts.
type sizeFunction struct {
	sizes dualFeasible
	parts func(processors int) int
}

// sizeFunctions are the functions that are tried.
func (r *Relaxation) sizeFunctions() (list []sizeFunction) {
	rounded := func(k int) func(int) int { return func(int) int { return k * (k + 1) } }
	for k := 1; k <= 12; k++ {
		list = append(list, sizeFunction{roundedSizes(k, plainSizes), rounded(k)})
	}
	for _, part := range r.thresholds() {
		list = append(list, sizeFunction{wideSizes(part), func(processors int) int { return processors }},
			sizeFunction{countedSizes(part), func(processors int) int { return processors / thresholdSize(part, processors) }})
		for k := 1; k <= 6; k++ {
			list = append(list, sizeFunction{roundedSizes(k, wideSizes(part)), rounded(k)})
		}
	}
	return list
}

// plainSizes does not change the sizes.
func plainSizes(size, processors int) float64 { return float64(size) / float64(processors) }

// proveDualFeasible tries the functions at the prices of processor time that are best for the plain areas. If the best function
// comes close to the plain bound, it also tries this function at the prices that are best for it.
//
// At any instant the changed sizes of the jobs on a cluster sum to at most its number of processors. So a job may count as if
// it held its changed size for as long as it runs, as in the bound by area. Each job has to hold all its processors to its end.
func proveDualFeasible(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
	if !r.solid || len(r.must) == 0 || r.in.Features()&model.ParallelJobs == 0 {
		return Sum{}, nil, false
	}
	prices, ok := r.AreaPrices(ctx)
	if !ok {
		return Sum{}, nil, false
	}
	type candidate struct {
		value float64
		sizeFunction
	}
	var found []candidate
	for _, f := range r.sizeFunctions() {
		if ctx.Err() == nil {
			found = append(found, candidate{r.pricedSizes(prices.Price, f.sizes), f})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		switch {
		case a.value > b.value:
			return -1
		case a.value < b.value:
			return 1
		}
		return 0
	})
	if len(found) == 0 {
		return Sum{}, nil, false
	}
	best, at := found[0].value, prices.Price
	if len(r.in.Clusters()) > 1 && best > 0.95*prices.Value { // prices of its own may lead above the bound by plain areas
		if own := r.pricesOf(ctx, found[0].sizes); own.Value > best {
			best, at = own.Value, own.Price
		}
	}
	show := func() *proof.Argument { return r.showSizes(at, found[0].sizes, found[0].parts) }
	return r.PricedSum(best), show, true
}

// showSizes shows the areas of the jobs with their sizes changed. The weight of a job is a whole number of parts of its cluster.
func (r *Relaxation) showSizes(prices []float64, sizes dualFeasible, parts func(processors int) int) *proof.Argument {
	a := showArea(nil, Prices{Price: slices.Clone(prices)})
	for c := range a.Area.Prices {
		m := r.in.Clusters()[c].Processors
		a.Area.Prices[c] *= float64(m) / float64(parts(m))
	}
	a.Area.Weights = r.sizeWeights(r.must, func(size, processors int) int {
		return int(math.Round(sizes(size, processors) * float64(parts(processors))))
	})
	return a
}

// thresholds are the parts (see wideSizes) at which some size of a job begins to count on some cluster. There are at most 100, and
// fewer for many jobs.
func (r *Relaxation) thresholds() []int {
	var parts []int
	most := min(100, 300_000/(len(r.must)*len(r.in.Clusters())))
	for c := range r.in.Clusters() {
		processors := r.in.Clusters()[c].Processors
		for _, j := range r.must {
			size, _ := r.in.Width(j, c)
			for _, threshold := range []int{size, processors - size + 1} {
				if threshold >= 1 && 2*threshold <= processors {
					parts = append(parts, 2000*threshold/processors)
				}
			}
		}
	}
	slices.Sort(parts)
	parts = slices.Compact(parts)
	for len(parts) > most { // every other one
		kept := parts[:0]
		for k := 1; k < len(parts); k += 2 {
			kept = append(kept, parts[k])
		}
		parts = kept
	}
	return parts
}

// sizedArea is the processor time of job j on cluster c with its size changed; +Inf if it cannot run there.
func (r *Relaxation) sizedArea(j, c int, sizes dualFeasible) float64 {
	if !r.in.CanRun(j, c) {
		return math.Inf(1)
	}
	size, _ := r.in.Width(j, c)
	processors := r.in.Clusters()[c].Processors
	return sizes(size, processors) * float64(processors) * r.in.DurationOn(j, c, size)
}

// pricedSizes is the bound at the prices.
func (r *Relaxation) pricedSizes(prices []float64, sizes dualFeasible) float64 {
	sum := 0.0
	for _, j := range r.must {
		least := math.Inf(1)
		for c, price := range prices {
			if area := r.sizedArea(j, c, sizes); !math.IsInf(area, 1) {
				least = min(least, price*area)
			}
		}
		sum += least
	}
	return sum
}

// pricesOf finds the prices that are best for the changed sizes.
func (r *Relaxation) pricesOf(ctx context.Context, sizes dualFeasible) Prices {
	clusters := r.in.Clusters()
	rows := make([][]float64, len(r.must))
	for k, j := range r.must {
		rows[k] = make([]float64, len(clusters))
		for c := range clusters {
			rows[k][c] = r.sizedArea(j, c, sizes)
		}
	}
	return FindPrices(ctx, r.processorCounts(), r.speeds(), len(rows), func(k int) []float64 { return rows[k] })
}
