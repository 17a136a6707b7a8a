package proof

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file verifies what bounds the makespan.

// criticalPath is the arrival of the first job of the chain and the least times of all, each from its head on.
func (f *facts) criticalPath(a *CriticalPath, step string) (*big.Rat, error) {
	if len(a.Jobs) == 0 {
		return nil, refute(step+".jobs", "expected a job")
	}
	sum := new(big.Rat)
	for k, j := range a.Jobs {
		at := fmt.Sprintf("%s.jobs[%d]", step, k)
		if err := f.placed(j, at); err != nil {
			return nil, err
		}
		switch {
		case k == 0:
			sum.Sub(number(f.in.Jobs()[j].Arrival), f.first)
		case !slices.Contains(f.in.Jobs()[j].After, a.Jobs[k-1]):
			return nil, refute(at, "job %d does not wait for job %d", j, a.Jobs[k-1])
		}
		sum = new(big.Rat).Add(larger(sum, f.head[j]), f.least[j]) // it may wait for others than the chain, or until machines are open
	}
	return sum, nil
}

// placed says whether a job exists and has to be placed.
func (f *facts) placed(j int, step string) error {
	switch {
	case j >= len(f.in.Jobs()):
		return refute(step, "the instance has no job %d", j)
	case !f.has[j]:
		return refute(step, "a schedule need not place job %d", j)
	}
	return nil
}

// set is the jobs that are listed, which must be ascending, so that none counts twice; all that have to be placed where none is listed.
func (f *facts) set(jobs []int, step string) ([]int, error) {
	if jobs == nil {
		jobs = f.must
	}
	if len(jobs) == 0 {
		return nil, refute(step, "expected a job")
	}
	for k, j := range jobs {
		at := fmt.Sprintf("%s[%d]", step, k)
		if err := f.placed(j, at); err != nil {
			return nil, err
		}
		if k > 0 && j <= jobs[k-1] {
			return nil, refute(at, "expected ascending positions, found %d after %d", j, jobs[k-1])
		}
	}
	return jobs, nil
}

// around is the least head and the least tail of the jobs together: no job of them runs in the first or the last part of a schedule.
func (f *facts) around(jobs []int) *big.Rat {
	head, tail := f.head[jobs[0]], f.tail[jobs[0]]
	for _, j := range jobs {
		if f.head[j].Cmp(head) < 0 {
			head = f.head[j]
		}
		if f.tail[j].Cmp(tail) < 0 {
			tail = f.tail[j]
		}
	}
	return new(big.Rat).Add(head, tail)
}

// area is head + work/capacity + tail of the jobs.
func (f *facts) area(a *Area, step string) (*big.Rat, error) {
	jobs, err := f.set(a.Jobs, step+".jobs")
	if err != nil {
		return nil, err
	}
	work, capacity := new(big.Rat), new(big.Rat)
	if a.Licence != "" {
		if a.Prices != nil || a.Memory != nil || a.Weights != nil {
			return nil, refute(step, "expected a licence or prices, found both")
		}
		l, copies, err := f.licence(a.Licence, step+".licence")
		if err != nil {
			return nil, err
		}
		capacity.SetInt64(copies)
		for _, j := range jobs {
			work.Add(work, new(big.Rat).Mul(big.NewRat(f.needs(j, l), 1), f.least[j]))
		}
	} else {
		if a.Memory != nil && a.Weights != nil {
			return nil, refute(step, "expected weights or prices of memory, found both")
		}
		prices, err := f.prices(a.Prices, a.Memory, step)
		if err != nil {
			return nil, err
		}
		weights, capacities, err := f.weights(a.Weights, step+".weights")
		if err != nil {
			return nil, err
		}
		capacity = prices.capacity(f.in, capacities)
		for k, j := range jobs {
			if weights != nil && !f.isRectangle(j) {
				return nil, refute(fmt.Sprintf("%s.jobs[%d]", step, k), "job %d may release processors early, and weights count it to its end", j)
			}
			work.Add(work, f.cheapest(j, prices, weights))
		}
	}
	if capacity.Sign() <= 0 {
		return nil, refute(step, "expected a capacity above 0")
	}
	return work.Add(work.Quo(work, capacity), f.around(jobs)), nil
}

// rates are prices of the clusters: of a processor, and of memory, which a job holds once for each processor.
type rates struct {
	processor []*big.Rat
	memory    []*big.Rat // nil: 0
}

// prices are the prices of the clusters. Only limited memory has a price above 0.
func (f *facts) prices(processor, memory []float64, step string) (r rates, err error) {
	if r.processor, err = f.numbers(processor, step+".prices"); err != nil || memory == nil {
		return r, err
	}
	if r.memory, err = f.numbers(memory, step+".memory"); err != nil {
		return r, err
	}
	for c, price := range memory {
		if price > 0 && slices.ContainsFunc(f.in.Clusters()[c].Machines, func(m model.Machine) bool { return math.IsInf(m.Memory, 1) }) {
			return r, refute(fmt.Sprintf("%s.memory[%d]", step, c), "the memory of the cluster is not limited")
		}
	}
	return r, nil
}

// capacity is the price of all processors, of which the clusters have the given numbers, and of all memory, to the last digit that the model tolerates.
func (r *rates) capacity(in *model.Instance, processors []int64) *big.Rat {
	sum := new(big.Rat)
	for c, price := range r.processor {
		sum.Add(sum, new(big.Rat).Mul(price, big.NewRat(processors[c], 1)))
		if r.memory == nil || r.memory[c].Sign() == 0 {
			continue
		}
		for g := range in.Clusters()[c].Machines {
			m := &in.Clusters()[c].Machines[g]
			whole := number(m.Memory)
			whole.Mul(whole, big.NewRat(int64(m.Count), 1))
			whole.Add(whole, new(big.Rat).Mul(whole, last))
			sum.Add(sum, whole.Mul(whole, r.memory[c]))
		}
	}
	return sum
}

// of is the price, on cluster c, of a processor with a task of the given memory.
func (r *rates) of(c int, memory float64) *big.Rat {
	if r.memory == nil {
		return r.processor[c]
	}
	x := new(big.Rat).Mul(r.memory[c], number(memory))
	return x.Add(x, r.processor[c])
}

// numbers are prices of the clusters, each at least 0.
func (f *facts) numbers(stated []float64, step string) ([]*big.Rat, error) {
	if len(stated) != len(f.in.Clusters()) {
		return nil, refute(step, "expected a price for each of %d clusters, found %d", len(f.in.Clusters()), len(stated))
	}
	prices := make([]*big.Rat, len(stated))
	for c, price := range stated {
		if !(price >= 0) {
			return nil, refute(fmt.Sprintf("%s[%d]", step, c), "expected a price of at least 0, found %v", price)
		}
		prices[c] = number(price)
	}
	return prices, nil
}

// cheapest is the least priced work of the job, which can run somewhere, on any cluster: its area, or its weight for its time.
func (f *facts) cheapest(j int, prices rates, weights []map[int]int64) *big.Rat {
	var least *big.Rat
	for c := range prices.processor {
		var x *big.Rat
		if weights == nil {
			held, ok := f.held(j, c)
			if !ok {
				continue
			}
			x = held
		} else {
			if !f.alone[j][c] {
				continue
			}
			size, _ := f.in.Width(j, c)
			x = new(big.Rat).Mul(big.NewRat(weights[c][size], 1), number(f.in.DurationOn(j, c, size)))
		}
		if x.Mul(x, prices.of(c, f.in.Jobs()[j].Memory)); least == nil || x.Cmp(least) < 0 {
			least = x
		}
	}
	return least
}

// mostKnapsack limits the work to find what fits into a cluster.
const mostKnapsack = 1 << 27

// weights are the weights by cluster and size, and the most that jobs running at once on each cluster can weigh; the number of processors where
// no weights are stated.
func (f *facts) weights(stated [][]Weight, step string) (weights []map[int]int64, capacities []int64, err error) {
	clusters := f.in.Clusters()
	if stated != nil && len(stated) != len(clusters) {
		return nil, nil, refute(step, "expected weights for each of %d clusters, found %d", len(clusters), len(stated))
	}
	for c := range clusters {
		processors := clusters[c].Processors
		if stated == nil {
			capacities = append(capacities, int64(processors))
			continue
		}
		if processors > mostKnapsack/(len(stated[c])+1) {
			return nil, nil, doubt(fmt.Sprintf("%s[%d]", step, c), "too many processors and sizes to find what fits")
		}
		of := make(map[int]int64, len(stated[c]))
		for k, w := range stated[c] {
			at := fmt.Sprintf("%s[%d][%d]", step, c, k)
			if _, twice := of[w.Size]; twice || w.Size < 1 {
				return nil, nil, refute(at, "expected each size once, and sizes of at least 1")
			}
			of[w.Size] = int64(w.Weight)
		}
		weights, capacities = append(weights, of), append(capacities, heaviest(stated[c], processors))
	}
	return weights, capacities, nil
}

// heaviest is the most that any number of jobs of the sizes can weigh that fit beside each other.
func heaviest(weights []Weight, processors int) int64 {
	most := make([]int64, processors+1) // by processors that are free; a job that fits into fewer fits into more
	for room := 1; room <= processors; room++ {
		for _, w := range weights {
			if w.Size <= room {
				most[room] = max(most[room], most[room-w.Size]+int64(w.Weight))
			}
		}
	}
	return most[processors]
}

// licence is the position of a licence and the number of its copies in all pools.
func (f *facts) licence(id, step string) (licence int, copies int64, err error) {
	licence = slices.IndexFunc(f.in.Licences(), func(l model.Licence) bool { return l.ID == id })
	if licence < 0 {
		return 0, 0, refute(step, "the instance has no licence %s", quoted(id))
	}
	if f.in.Licences()[licence].Copies == model.Unlimited {
		return 0, 0, refute(step, "the licence is not limited")
	}
	copies = int64(f.in.Licences()[licence].Copies)
	for c := range f.in.Clusters() {
		if own, has := f.in.Pool(c, licence); has {
			copies += int64(own)
		}
	}
	return licence, copies, nil
}

// needs is the number of copies of the licence that the job holds at least.
func (f *facts) needs(j, licence int) int64 {
	for _, need := range f.in.Jobs()[j].Licences {
		if need.Licence == licence {
			return int64(need.Copies)
		}
	}
	return 0
}

// pigeonhole is head + the least times of the shortest jobs, as many as run on one processor at least, + tail.
func (f *facts) pigeonhole(a *Pigeonhole, step string) (*big.Rat, error) {
	if a.Jobs == nil {
		return nil, refute(step+".jobs", "expected a job")
	}
	jobs, err := f.set(a.Jobs, step+".jobs")
	if err != nil {
		return nil, err
	}
	together := (len(jobs) + f.in.Processors() - 1) / f.in.Processors()
	times := make([]*big.Rat, len(jobs))
	for k, j := range jobs {
		times[k] = f.least[j]
	}
	slices.SortFunc(times, (*big.Rat).Cmp)
	sum := f.around(jobs)
	for _, t := range times[:together] {
		sum.Add(sum, t)
	}
	return sum, nil
}

// energetic is the makespan, if it is refuted.
func (f *facts) energetic(a *Energetic, step string) (*big.Rat, error) {
	makespan, from, to := number(a.Makespan), number(a.From), number(a.To)
	length := new(big.Rat).Sub(to, from)
	if length.Sign() <= 0 {
		return nil, refute(step, "expected an interval, found one from %v to %v", a.From, a.To)
	}
	capacity := new(big.Rat)
	var ways func(j int) []way
	if a.Licence != "" {
		if a.Prices != nil || a.Memory != nil {
			return nil, refute(step, "expected a licence or prices, found both")
		}
		l, copies, err := f.licence(a.Licence, step+".licence")
		if err != nil {
			return nil, err
		}
		capacity.SetInt64(copies)
		ways = func(j int) []way { return []way{{big.NewRat(f.needs(j, l), 1), f.least[j]}} }
	} else {
		prices, err := f.prices(a.Prices, a.Memory, step)
		if err != nil {
			return nil, err
		}
		if !f.areRectangles() {
			return nil, doubt(step, "instances with jobs that may release processors early or choose their number are not covered")
		}
		_, processors, _ := f.weights(nil, step)
		capacity = prices.capacity(f.in, processors)
		ways = func(j int) []way { return f.ways(j, prices) }
	}
	need := new(big.Rat)
	for _, j := range f.must {
		least := leastEnergy(ways(j), f.head[j], f.within(j, new(big.Rat).Sub(makespan, f.tail[j])), from, to)
		if least == nil {
			return makespan, nil // the job does not end in time however it runs
		}
		need.Add(need, least)
	}
	if capacity.Mul(capacity, length); need.Cmp(capacity) <= 0 {
		return nil, refute(step, "the jobs need %s of %s in the interval: the makespan is not refuted", decimal(need), decimal(capacity))
	}
	return makespan, nil
}

// way is what a job may hold of a resource, and for how long at least.
type way struct{ part, time *big.Rat }

// ways are what the job holds on each cluster where it can run, at the prices of processors.
func (f *facts) ways(j int, prices rates) []way {
	var list []way
	for c := range prices.processor {
		if f.alone[j][c] {
			size, _ := f.in.Width(j, c)
			list = append(list, way{new(big.Rat).Mul(prices.of(c, f.in.Jobs()[j].Memory), big.NewRat(int64(size), 1)), number(f.in.DurationOn(j, c, size))})
		}
	}
	return list
}

// leastEnergy is what a job that runs between head and end holds at least in the interval; nil: it cannot run in between.
func leastEnergy(ways []way, head, end, from, to *big.Rat) *big.Rat {
	var least *big.Rat
	for _, w := range ways {
		early, late := new(big.Rat).Add(head, w.time), new(big.Rat).Sub(end, w.time) // its end if it starts at once; its start if it ends last
		if early.Cmp(end) > 0 {
			continue
		}
		held := new(big.Rat).Sub(to, from)
		for _, x := range []*big.Rat{w.time, early.Sub(early, from), late.Sub(to, late)} {
			if x.Cmp(held) < 0 {
				held = x
			}
		}
		if held.Sign() < 0 {
			held = new(big.Rat)
		}
		energy := new(big.Rat).Mul(held, w.part)
		if least == nil || energy.Cmp(least) < 0 {
			least = energy
		}
	}
	return least
}
