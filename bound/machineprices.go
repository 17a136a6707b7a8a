package bound

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// nodeFeatures are the features of jobs and machines for which the bounds by the prices of machines are made. Without them the other bounds say as much.
const nodeFeatures = model.NodeResources | model.Blocks | model.NodeFeatures | model.ClosedTimes | model.ExclusiveJobs | model.RunningJobs

// machineView is the instance as the bounds by prices of machines see it. Each group of machines has amounts: its processors, its memory and each resource.
// A job holds the same amounts of a group for each processor that it holds there: the resources of a block are divided equally among its processors, and a
// share of a device counts as that share. A job that has its machines to itself holds all that they have, however many of its processors run on each.
//
// Any prices of the amounts that are at least 0 give bounds. At any instant the running jobs hold at most what the groups have, so what they hold is worth at
// most as much as all groups are. And what a job holds over its run is worth at least its processor time at the price of a processor in the cheapest group.
type machineView struct {
	r        *Relaxation
	kinds    int       // of amounts: processors, memory, resources
	capacity []float64 // by group and kind: what all machines of the group have; +Inf: no limit
	groups   []int     // by cluster: number of its first group
	shapes   []jobShape
	shapeOf  []int          // by job; −1: it runs already, or nothing can run it
	shut     [][][2]float64 // by group: times at which no job may hold a machine there but those that run already, see Relaxation.shut
}

// jobShape is what a processor of a job holds on each group where the job can run. Jobs that ask for the same share it.
type jobShape struct{ ways []shapeWay }

// shapeWay is what a processor of a job holds on a group of a cluster.
type shapeWay struct {
	cluster, group int
	amounts        []float64 // by kind
}

// newMachineView makes the view of an instance. It returns nil if the instance has none of the features, or if ctx ends.
func newMachineView(ctx context.Context, r *Relaxation, features model.Features) *machineView {
	if r.in.Features()&features == 0 || ctx.Err() != nil {
		return nil
	}
	v := &machineView{r: r, kinds: 2 + len(r.in.Resources()), shapeOf: make([]int, len(r.in.Jobs()))}
	shut := r.shut()
	for c := range r.in.Clusters() {
		v.groups = append(v.groups, len(v.shut))
		for g := range r.in.Clusters()[c].Machines {
			m := &r.in.Clusters()[c].Machines[g]
			v.shut = append(v.shut, shut[c][g])
			for _, amount := range v.machine(m) {
				v.capacity = append(v.capacity, amount*float64(m.Count))
			}
		}
	}
	seen := map[string]int{}
	for j := range r.in.Jobs() {
		job := &r.in.Jobs()[j]
		if j%256 == 0 && ctx.Err() != nil {
			return nil
		}
		v.shapeOf[j] = -1
		if r.duties[j] == MustLeave || job.Node().Running != nil {
			continue
		}
		key := fmt.Sprintf("%p %v %v %v %v", job.Node(), job.Memory, job.MinBandwidth, job.Licences, job.Work == 0 || job.Estimate == 0)
		if job.Node().Exclusive {
			key += fmt.Sprint(job.Min, job.Max, r.isSolid(j))
		}
		if _, known := seen[key]; !known || job.StatesRuntimes() && r.in.Features()&model.ClosedTimes != 0 { // closed times do not concern run times of 0
			seen[key] = len(v.shapes)
			v.shapes = append(v.shapes, v.shape(j))
		}
		v.shapeOf[j] = seen[key]
	}
	return v
}

// machine is what one machine of a group has.
func (v *machineView) machine(m *model.Machine) []float64 {
	has := []float64{float64(m.Units), m.Memory}
	for k := range v.r.in.Resources() {
		has = append(has, m.Amount(k).Float())
	}
	return has
}

// shape is what a processor of the job holds on each group where the job can run.
func (v *machineView) shape(j int) (s jobShape) {
	job, n := &v.r.in.Jobs()[j], v.r.in.Jobs()[j].Node()
	for c := range v.r.in.Clusters() {
		size := float64(n.Block)
		if v.r.in.Clusters()[c].WholeMachines {
			size = 1
		}
		whole := 0.0
		if n.Exclusive {
			whole = v.r.wholeMachines(j, c)
		}
		_, most := v.r.in.Width(j, c)
		for g := range v.r.in.Clusters()[c].Machines {
			m := &v.r.in.Clusters()[c].Machines[g]
			room := v.r.in.ProcessorsFor(job, m)
			if room == 0 {
				continue
			}
			amounts := make([]float64, v.kinds)
			if n.Exclusive {
				part := max(whole, 1/float64(min(room, most))) // of a machine, a processor
				for k, has := range v.machine(m) {
					if amounts[k] = has * part; math.IsInf(has, 1) {
						amounts[k] = 0 // it has no price
					}
				}
			} else {
				amounts[0], amounts[1] = 1, job.Memory
				for _, need := range n.Resources {
					amounts[2+need.Resource] = need.Amount.Float() / size
				}
			}
			s.ways = append(s.ways, shapeWay{c, v.groups[c] + g, amounts})
		}
	}
	return s
}

// wholeMachines is the least number of machines that a job which has them to itself holds, over the number of its processors; 0: the machines that it fills may be of several sizes.
// A job that holds all its processors from its start to its end holds at least as many machines as it takes of the largest. This says more than the room of a machine where so
// many of the smallest have room for the whole job too.
func (r *Relaxation) wholeMachines(j, c int) float64 {
	job := &r.in.Jobs()[j]
	size, _ := r.in.Width(j, c)
	smallest, largest := math.MaxInt, 0
	for g := range r.in.Clusters()[c].Machines {
		if room := r.in.ProcessorsFor(job, &r.in.Clusters()[c].Machines[g]); room > 0 {
			smallest, largest = min(smallest, room), max(largest, room)
		}
	}
	if largest == 0 || !r.isSolid(j) {
		return 0
	}
	if machines := max((size+largest-1)/largest, job.Node().MinMachines); machines*smallest >= size {
		return float64(machines) / float64(size)
	}
	return 0
}

// running is what a job that runs already holds, by group and kind.
func (v *machineView) running(j int) []float64 {
	job, n := &v.r.in.Jobs()[j], v.r.in.Jobs()[j].Node()
	held := make([]float64, len(v.capacity))
	cluster := &v.r.in.Clusters()[n.Running.Cluster]
	groupOf := map[int]int{} // by number of the machine
	for _, run := range n.Running.Processors {
		for p := run.First; p <= run.Last; p++ {
			machine, g := cluster.MachineOf(p)
			at := (v.groups[n.Running.Cluster] + g) * v.kinds
			if _, seen := groupOf[machine]; !seen && n.Exclusive {
				for k, has := range v.machine(&cluster.Machines[g]) {
					if !math.IsInf(has, 1) {
						held[at+k] += has
					}
				}
			}
			groupOf[machine] = g
			if !n.Exclusive {
				held[at]++
				held[at+1] += job.Memory
			}
		}
	}
	for _, h := range n.Running.Holds {
		if g, there := groupOf[h.Machine]; there && !n.Exclusive {
			held[(v.groups[n.Running.Cluster]+g)*v.kinds+2+h.Resource] += h.Amount.Float()
		}
	}
	return held
}

// pricedItem is jobs that are alike: what one holds, for how long, and what it is worth to leave it out.
type pricedItem struct {
	shape int
	held  []float64 // of a job that runs already, by group and kind; then it has no shape
	times []float64 // by cluster: processor time, +Inf where it cannot run; of a job that runs already one time
	value float64   // +Inf: it cannot be left out
	count float64

	worth    float64 // the least that what it holds is worth at the prices
	ratio    float64 // value / worth
	chosen   int     // the way of its shape with which it holds that least
	included float64 // part of the item that is kept, see evaluate
}

// priceSearch looks for the best prices of the amounts of all groups. A price is a weight divided by the capacity, which is an amount times the length of the
// time that is looked at. The weights sum to 1.
type priceSearch struct {
	v        *machineView
	items    []pricedItem
	capacity []float64 // by group and kind, times time; +Inf or 0: it has no price
	prices   []float64 // scratch
	rates    [][]float64
	best     [][]int
	order    []int
}

// newPriceSearch prepares the search. It makes one item of equal ones.
func newPriceSearch(v *machineView, items []pricedItem, capacity []float64) *priceSearch {
	s := &priceSearch{v: v, capacity: capacity, prices: make([]float64, len(capacity))}
	seen := map[string]int{}
	for _, item := range items {
		if item.held == nil {
			if !slices.ContainsFunc(v.shapes[item.shape].ways, func(w shapeWay) bool { return !math.IsInf(item.times[w.cluster], 1) }) {
				continue // no run time is known for it
			}
			key := fmt.Sprint(item.shape, item.times, item.value)
			if k, twice := seen[key]; twice {
				s.items[k].count++
				continue
			}
			seen[key] = len(s.items)
		}
		item.count = 1
		s.items = append(s.items, item)
	}
	for range v.shapes {
		s.rates = append(s.rates, make([]float64, len(v.groups)))
		s.best = append(s.best, make([]int, len(v.groups)))
	}
	for k := range s.items {
		s.order = append(s.order, k)
	}
	return s
}

// work is about the number of operations of an evaluation.
func (s *priceSearch) work() int {
	sum := len(s.items) * (len(s.v.groups) + 20)
	for k := range s.v.shapes {
		sum += len(s.v.shapes[k].ways) * s.v.kinds
	}
	for k := range s.items {
		sum += len(s.items[k].held)
	}
	return sum
}

// worths computes the least worth of what each item holds, at the prices that the weights give.
func (s *priceSearch) worths(weights []float64) {
	for k := range s.prices {
		if s.prices[k] = 0; s.capacity[k] > 0 && !math.IsInf(s.capacity[k], 1) {
			s.prices[k] = weights[k] / s.capacity[k]
		}
	}
	kinds := s.v.kinds
	for k := range s.v.shapes {
		rates := s.rates[k]
		for c := range rates {
			rates[c] = math.Inf(1)
		}
		for at := range s.v.shapes[k].ways {
			way := &s.v.shapes[k].ways[at]
			rate := 0.0
			for kind, price := range s.prices[way.group*kinds : (way.group+1)*kinds] {
				rate += price * way.amounts[kind]
			}
			if rate < rates[way.cluster] {
				rates[way.cluster], s.best[k][way.cluster] = rate, at
			}
		}
	}
	for k := range s.items {
		item := &s.items[k]
		if item.held != nil {
			item.worth = 0
			for at, amount := range item.held {
				item.worth += s.prices[at] * amount
			}
			item.worth *= item.times[0]
			continue
		}
		item.worth = math.Inf(1)
		for c, time := range item.times {
			if rate := s.rates[item.shape][c]; !math.IsInf(time, 1) && !math.IsInf(rate, 1) && time*rate < item.worth {
				item.worth, item.chosen = time*rate, s.best[item.shape][c]
			}
		}
	}
}

// evaluate returns the bound at the weights, and the best factor by which to multiply the prices. If no item can be left out, the bound is the part of all
// capacity that the items hold, and the factor is 1. Otherwise the bound is the least value that has to be left out. If load is not nil, evaluate writes
// into it, by group and kind, which part of the capacity the kept items hold.
func (s *priceSearch) evaluate(weights, load []float64) (bound, factor float64) {
	s.worths(weights)
	all, valued := 0.0, false
	for k := range s.items {
		item := &s.items[k]
		all, valued, item.included = all+item.count*item.worth, valued || !math.IsInf(item.value, 1), 1
	}
	if bound, factor = all, 1; valued {
		bound, factor = s.leave(all)
	}
	for k := range load {
		load[k] = 0
	}
	for k := range s.items {
		item := &s.items[k]
		if load == nil || item.included == 0 {
			continue
		}
		if part := item.included * item.count; item.held != nil {
			for at, amount := range item.held {
				s.carry(load, at, part*item.times[0]*amount)
			}
		} else {
			way := &s.v.shapes[item.shape].ways[item.chosen]
			for kind, amount := range way.amounts {
				s.carry(load, way.group*s.v.kinds+kind, part*item.times[way.cluster]*amount)
			}
		}
	}
	return bound, factor
}

// carry adds an amount to the load, if it has a price.
func (s *priceSearch) carry(load []float64, at int, amount float64) {
	if c := s.capacity[at]; c > 0 && !math.IsInf(c, 1) {
		load[at] += amount / c
	}
}

// leave leaves out items, those of the least value for what they hold first, until the others hold no more than there is. The last item may be left out in
// part. Its ratio of value to worth is the best factor of the prices: the bound is concave in the factor, and its slope changes sign there.
func (s *priceSearch) leave(all float64) (bound, factor float64) {
	left := all
	for k := range s.items {
		item := &s.items[k]
		if item.ratio = math.Inf(1); item.worth > 0 {
			item.ratio = item.value / item.worth
		}
	}
	slices.SortFunc(s.order, func(a, b int) int { return cmp.Or(cmp.Compare(s.items[a].ratio, s.items[b].ratio), a-b) })
	for _, k := range s.order {
		item := &s.items[k]
		if left <= 1 || math.IsInf(item.ratio, 1) {
			break
		}
		factor = item.ratio
		if held := item.count * item.worth; left-held < 1 {
			item.included = (1 - (left - held)) / held
			left = 1
		} else {
			item.included = 0
			left -= held
		}
	}
	bound = -factor
	for k := range s.items {
		bound += s.items[k].count * min(s.items[k].value, factor*s.items[k].worth)
	}
	return bound, factor
}

// find returns the best prices that it finds, already multiplied by their factor, and the bound that they give. It first prices each kind of amount alone,
// and then raises the weights of the amounts of which the items hold most. It makes at most the given number of rounds, and fewer for large instances; if ctx
// ends, the result is the best so far.
//
// Source of the updates: S. Arora, E. Hazan, S. Kale (2012), doi:10.4086/toc.2012.v008a006.
func (s *priceSearch) find(ctx context.Context, rounds int) (prices []float64, best float64) {
	const budget = 20_000_000 // operations
	weights, load := make([]float64, len(s.capacity)), make([]float64, len(s.capacity))
	best = math.Inf(-1)
	try := func(load []float64) float64 {
		bound, factor := s.evaluate(weights, load)
		if bound > best && !math.IsInf(bound, 1) {
			best, prices = bound, slices.Clone(s.prices)
			for k := range prices {
				prices[k] *= factor
			}
		}
		return bound
	}
	start := make([]float64, len(weights))
	for kind := range s.v.kinds {
		clear(weights)
		if s.spread(weights, kind) {
			before := best
			if value := try(nil); value > before {
				copy(start, weights)
			}
		}
	}
	if prices == nil {
		return nil, 0
	}
	clear(weights)
	kinds := 0.0
	for kind := range s.v.kinds {
		if s.spread(weights, kind) {
			kinds++
		}
	}
	for k := range weights {
		weights[k] = (weights[k]/kinds + start[k]) / 2
	}
	step, stale, back := 0.5, 0, slices.Clone(weights)
	for range min(rounds, budget/max(1, s.work())) {
		if ctx.Err() != nil {
			break
		}
		before := best
		try(load)
		if best > before+1e-9*math.Abs(before) {
			copy(back, weights)
			stale = 0
		} else if stale++; stale >= 30 {
			step, stale = step*0.7, 0
			copy(weights, back)
			if step < 1e-6 {
				break
			}
			continue
		}
		crowd, mean, total := 0.0, 0.0, 0.0
		for k, l := range load {
			crowd, mean = max(crowd, l), mean+weights[k]*l
		}
		if crowd == 0 {
			break
		}
		for k := range weights {
			weights[k] *= math.Exp(step * (load[k] - mean) / crowd)
			total += weights[k]
		}
		for k := range weights {
			weights[k] /= total
		}
	}
	return prices, best
}

// spread adds the weights, with sum 1, of one equal price for a kind of amount in all groups. It returns false if no group has a limited amount of it.
func (s *priceSearch) spread(weights []float64, kind int) bool {
	sum := 0.0
	for k := kind; k < len(s.capacity); k += s.v.kinds {
		if c := s.capacity[k]; !math.IsInf(c, 1) {
			sum += c
		}
	}
	if !(sum > 0) {
		return false
	}
	for k := kind; k < len(s.capacity); k += s.v.kinds {
		if c := s.capacity[k]; !math.IsInf(c, 1) {
			weights[k] += c / sum
		}
	}
	return true
}

// stated is the prices as a certificate states them.
func (v *machineView) stated(prices []float64) [][]proof.GroupPrices {
	list := make([][]proof.GroupPrices, len(v.groups))
	for c := range list {
		for g := range v.r.in.Clusters()[c].Machines {
			at := (v.groups[c] + g) * v.kinds
			list[c] = append(list[c], proof.GroupPrices{Processor: prices[at], Memory: prices[at+1], Resources: slices.Clone(prices[at+2 : at+v.kinds])})
		}
	}
	return list
}

// worthOf is what the machines of the group are worth at the prices.
func (v *machineView) worthOf(group int, prices []float64) float64 {
	sum := 0.0
	for k := group * v.kinds; k < (group+1)*v.kinds; k++ {
		if prices[k] > 0 {
			sum += prices[k] * v.capacity[k]
		}
	}
	return sum
}

// terms is the number of numbers that are added up one after another in a bound at prices.
func (v *machineView) terms(items int) int { return 2*items + 4*len(v.capacity) + 16*v.kinds }
