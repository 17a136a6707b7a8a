package bound

import (
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/proof"
)

var (
	_ = Register(Method{Name: "resource-area", Metric: "makespan", Certifies: true,
		Doc:    "the time for which the jobs hold processors, memory, resources and devices of groups of machines, over what these have while they are open, at the best prices of all these amounts",
		Source: "J. K. Lenstra, D. B. Shmoys, É. Tardos (1990), doi:10.1007/BF01585745, the linear program, with groups of machines in place of machines and a row for each resource",
		New:    OnceShown(proveResourceArea)})
	_ = Register(squashed("mean_response", "ends"))
	_ = Register(squashed("over_deadline", "ends, the earliest against the earliest deadline,"))
)

// priceRounds is the most rounds of a search for prices.
const priceRounds = 2000

// mustItems are the jobs that have to be placed, with the areas by cluster.
func (v *machineView) mustItems(area func(j, c int) float64) (items []pricedItem) {
	for _, j := range v.r.must {
		if held, time := v.heldFrom0(j); held != nil {
			items = append(items, pricedItem{held: held, times: []float64{time}, value: math.Inf(1)})
			continue
		}
		times := make([]float64, len(v.groups))
		for c := range times {
			times[c] = area(j, c)
		}
		items = append(items, pricedItem{shape: v.shapeOf[j], times: times, value: math.Inf(1)})
	}
	return items
}

// heldFrom0 is what a job holds that runs already, and for how long at least; nil: it does not.
func (v *machineView) heldFrom0(j int) (held []float64, time float64) {
	if v.r.in.Jobs()[j].Node().Running == nil {
		return nil, 0
	}
	return v.running(j), v.r.least[j]
}

// proveResourceArea bounds the makespan by what the jobs hold between the least head and the least tail. Where machines are closed at times it does so again
// with what the jobs hold of open machines, as far as closed times concern them: until their estimates end.
func proveResourceArea(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
	v := newMachineView(ctx, r, nodeFeatures)
	if v == nil || len(r.must) == 0 {
		return Sum{}, nil, false
	}
	head, tail := math.Inf(1), math.Inf(1)
	tails := r.Tails()
	for _, j := range r.must {
		head, tail = min(head, r.start[j]), min(tail, tails[j])
	}
	search := newPriceSearch(v, v.mustItems(r.areaOn), v.capacity)
	prices, area := search.find(ctx, priceRounds)
	if prices == nil {
		return Sum{}, nil, false
	}
	best, closed := head+area+tail, false
	if slices.ContainsFunc(v.shut, func(times [][2]float64) bool { return len(times) > 0 }) {
		if at, found := v.openArea(ctx, head, max(area, head)); found != nil && at+tail > best {
			best, prices, closed = at+tail, found, true
		}
	}
	sum := Sum{Value: best, Size: best, Terms: v.terms(len(r.must))}
	return r.Chained(sum), func() *proof.Argument {
		return &proof.Argument{MachinePrices: &proof.MachinePrices{Groups: v.stated(prices), Closed: closed}}
	}, true
}

// openArea is the earliest time by which machines, while open, can have provided from head on what the jobs hold of them. The prices show it; they are nil if
// there are none, or if no time is late enough. The prices depend on how long each group is open until then, so a first time is improved twice.
func (v *machineView) openArea(ctx context.Context, head, length float64) (at float64, prices []float64) {
	var items []pricedItem
	shares := map[int]float64{}
	for _, j := range v.r.must {
		shares[j] = v.r.sureShare(j)
	}
	area := func(j, c int) float64 {
		held := v.r.keptArea(j, c)
		if math.IsInf(held, 1) {
			return held
		}
		return shares[j] * held
	}
	for _, item := range v.mustItems(area) {
		if item.held == nil { // closed times do not concern jobs that run already
			items = append(items, item)
		}
	}
	for range 3 {
		until := head + length
		capacity := slices.Clone(v.capacity)
		for k := range capacity {
			if open := openTime(v.shut[k/v.kinds], head, until); !math.IsInf(capacity[k], 1) {
				capacity[k] *= open
			}
		}
		search := newPriceSearch(v, items, capacity)
		found, _ := search.find(ctx, priceRounds)
		if found == nil {
			break
		}
		work := 0.0
		search.worths(search.weightsOf(found))
		for k := range search.items {
			work += search.items[k].count * search.items[k].worth
		}
		end, ok := v.worthBy(found, head, work)
		if !ok || !(end > at) {
			break
		}
		at, prices = end, found
		length = max(length, end-head)
	}
	return at, prices
}

// weightsOf is the weights that make the prices.
func (s *priceSearch) weightsOf(prices []float64) []float64 {
	weights := make([]float64, len(prices))
	for k, price := range prices {
		if price > 0 {
			weights[k] = price * s.capacity[k]
		}
	}
	return weights
}

// worthBy is the first time at which the machines, while open, have been worth the work from head on; false: no time is late enough.
func (v *machineView) worthBy(prices []float64, head, work float64) (at float64, ok bool) {
	times := []float64{head}
	for _, shut := range v.shut {
		for _, x := range shut {
			for _, t := range x {
				if t > head && !math.IsInf(t, 1) {
					times = append(times, t)
				}
			}
		}
	}
	slices.Sort(times)
	times = slices.Compact(times)
	for k, from := range times {
		rate := 0.0
		for g, shut := range v.shut {
			if !slices.ContainsFunc(shut, func(x [2]float64) bool { return x[0] <= from && from < x[1] }) {
				rate += v.worthOf(g, prices)
			}
		}
		last := k == len(times)-1
		if last && rate == 0 {
			return 0, work == 0
		}
		if length := work / rate; work == 0 || last || length <= times[k+1]-from {
			return from + length, work > 0
		}
		work -= rate * (times[k+1] - from)
	}
	return 0, false
}

// squashed bounds a sum over the ends of the jobs.
func squashed(metric, what string) Method {
	return Method{Name: "squashed-area", Metric: metric, Certifies: true,
		Doc:    "the k-th of the " + what + " is not before what the k least jobs hold of the machines, at prices of their processors, memory, resources and devices",
		Source: "J. Turek, W. Ludwig, J. L. Wolf, L. Fleischer, P. Tiwari, J. Glasgow, U. Schwiegelshohn, P. S. Yu (1994), SPAA '94, doi:10.1145/181014.181331, the squashed area bound",
		New: OnceShown(func(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
			return proveSquashed(ctx, r, metric)
		})}
}

// proveSquashed sorts the jobs by what they hold, as a part of all that there is. By the k-th end, k jobs have held what they hold; and k jobs have been
// there for their least time.
func proveSquashed(ctx context.Context, r *Relaxation, metric string) (sum Sum, show func() *proof.Argument, ok bool) {
	v := newMachineView(ctx, r, nodeFeatures)
	if v == nil || len(r.must) == 0 || !r.all {
		return Sum{}, nil, false
	}
	search := newPriceSearch(v, v.mustItems(r.areaOn), v.capacity)
	prices, _ := search.find(ctx, priceRounds)
	if prices == nil {
		return Sum{}, nil, false
	}
	search.worths(search.weightsOf(prices))
	var areas, ends, dues []float64
	for k := range search.items {
		for range int(search.items[k].count) {
			areas = append(areas, search.items[k].worth)
		}
	}
	for range len(r.must) - len(areas) {
		areas = append(areas, 0) // of which nothing is known
	}
	for _, j := range r.must {
		ends, dues = append(ends, r.EarliestEnd(j)), append(dues, r.due(j))
		if metric == "mean_response" {
			sum.Add(-r.Released(j))
		}
	}
	slices.Sort(areas)
	slices.Sort(ends)
	slices.Sort(dues)
	held := 0.0
	for k, area := range areas {
		held += area
		end := max(held, ends[k])
		switch {
		case metric == "mean_response":
			sum.Add(end)
		case end > dues[k]:
			sum.Value += end - dues[k]
			sum.Size += end + math.Abs(dues[k]) // these two numbers may cancel each other
		}
	}
	if metric == "mean_response" {
		n := float64(len(r.must))
		sum.Value, sum.Size = sum.Value/n, sum.Size/n
	}
	sum.Terms = v.terms(len(r.must)) + 2*len(r.must)
	return r.Chained(sum), func() *proof.Argument {
		return &proof.Argument{MachinePrices: &proof.MachinePrices{Groups: v.stated(prices)}}
	}, gate.Finite(sum.Value)
}
