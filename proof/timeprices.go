package proof

import (
	"fmt"
	"math"
	"math/big"
)

// This file prices processor time by buckets of time. While a job of s processors runs on a cluster, it pays a price y(s) ≥ 0 for each unit of time.
// All jobs that run at an instant pay together at most κ, the most that jobs that fit into the cluster can pay. So for any prices
//
//	Σ cost of the jobs ≥ Σ over jobs of the least (cost + what it pays) over clusters and starts − Σ over clusters of ∫κ.
//
// Everything is counted in whole numbers. Heads and execution times are rounded down and deadlines up, which can only lower the least cost of a job.
// Limits of buckets and prices are free, so they may be rounded in any direction; κ is found for the rounded prices.

const (
	timeDigits  = 50      // of a time on its grid
	priceDigits = 58      // of all prices that can be paid at an instant, together
	mostJobs    = 1 << 15 // so that sums over jobs fit: 50 + 58 + 15 digits and 4 to spare
	mostLimits  = 1 << 12
	mostWork    = 1 << 31 // steps of one evaluation
	largest     = 1e150   // of a price
)

// timetable is the instance on a grid of times.
type timetable struct {
	*facts
	times  grid
	limits []int64
	head   []int64  // by job
	due    []int64  // by job; forever: none that matters
	length [][]span // by job and cluster
	work   int64    // steps of one evaluation
}

// forever is after every time on the grid.
const forever = math.MaxInt64

// span is an execution time in units, rounded down and up; size 0: the job cannot run there.
type span struct {
	size     int
	low, top int64
}

// timetable puts the instance on a grid. It needs rigid jobs on clusters of equal processors, all of which have to be placed.
func (f *facts) timetable(stated []float64, until *big.Rat, step string) (*timetable, error) {
	jobs, clusters := f.in.Jobs(), f.in.Clusters()
	if err := f.needRectangles(step); err != nil {
		return nil, err
	}
	switch {
	case len(jobs) > mostJobs || len(stated) > mostLimits:
		return nil, doubt(step, "more than %d jobs or %d buckets are not covered", mostJobs, mostLimits)
	case len(stated) < 2 || stated[0] != 0:
		return nil, refute(step+".limits", "expected limits from 0 on")
	}
	most := until
	for k, limit := range stated {
		if !(limit >= 0) {
			return nil, refute(fmt.Sprintf("%s.limits[%d]", step, k), "expected a time of at least 0")
		}
		most = larger(most, number(limit))
	}
	t := f.onGrid(most)
	if t == nil {
		return nil, refute(step+".limits", "expected a time above 0")
	}
	for k, limit := range stated {
		t.limits = append(t.limits, t.times.near(limit))
		switch {
		case k > 0 && limit <= stated[k-1]:
			return nil, refute(fmt.Sprintf("%s.limits[%d]", step, k), "expected ascending limits")
		case k > 0 && t.limits[k] <= t.limits[k-1]: // a late clock or a deadline long ago
			return nil, doubt(fmt.Sprintf("%s.limits[%d]", step, k), "limits that rounding does not tell apart are not covered")
		}
	}
	for c := range clusters {
		t.work += int64(len(stated)) * int64(t.items(c)) * int64(clusters[c].Processors)
	}
	if t.work += int64(len(jobs)*len(clusters)) * int64(len(stated)) * 64; t.work > mostWork {
		return nil, doubt(step, "the instance is too large for prices over time")
	}
	return t, nil
}

// needRectangles says what the methods of this file do not cover.
func (f *facts) needRectangles(step string) error {
	switch {
	case !f.all || len(f.must) == 0:
		return doubt(step, "instances with jobs that may be left out are not covered")
	case !f.areRectangles():
		return doubt(step, "instances with jobs that may release processors early or choose their number are not covered")
	}
	return nil
}

// onGrid puts the jobs on a grid of times that reaches to the time most and beyond the least ends of all jobs. It is nil if all
// these times are 0, and no deadline lies before the earliest arrival.
func (f *facts) onGrid(most *big.Rat) *timetable {
	longest := new(big.Rat)
	for j := range f.in.Jobs() {
		most, longest = larger(most, f.head[j]), larger(longest, f.longest(j))
	}
	most = new(big.Rat).Add(most, longest) // no job starts later for a reason
	last := new(big.Rat).Add(most, longest)
	unit := larger(last, f.earliestDue()) // a deadline may lie long before the earliest arrival
	if unit.Sign() <= 0 {
		return nil
	}
	t := &timetable{facts: f, times: gridFor(unit, timeDigits)}
	for j := range f.in.Jobs() {
		t.add(j, last)
	}
	return t
}

// longest is how long a job takes where it takes longest.
func (f *facts) longest(j int) *big.Rat {
	longest := new(big.Rat)
	for c := range f.in.Clusters() {
		if f.alone[j][c] {
			size, _ := f.in.Width(j, c)
			longest = larger(longest, number(f.in.DurationOn(j, c, size)))
		}
	}
	return longest
}

// earliestDue is by how much the earliest deadline lies before the earliest arrival; 0: it does not.
func (f *facts) earliestDue() *big.Rat {
	most := new(big.Rat)
	for j := range f.in.Jobs() {
		if f.in.Jobs()[j].HasDeadline() {
			most = larger(most, new(big.Rat).Neg(f.due(j)))
		}
	}
	return most
}

// add puts a job on the grid. A deadline after the time last is left out, which is to round it up.
func (t *timetable) add(j int, last *big.Rat) {
	t.head = append(t.head, t.times.down(t.facts.head[j]))
	t.due = append(t.due, forever)
	if t.in.Jobs()[j].HasDeadline() {
		if due := t.facts.due(j); due.Cmp(last) <= 0 {
			t.due[j] = t.times.up(due)
		}
	}
	row := make([]span, len(t.in.Clusters()))
	for c := range row {
		if t.alone[j][c] {
			size, _ := t.in.Width(j, c)
			d := number(t.in.DurationOn(j, c, size))
			row[c] = span{size, t.times.down(d), t.times.up(d)}
		}
	}
	t.length = append(t.length, row)
}

// fits is how many jobs of each size may run on the cluster at once.
func (t *timetable) fits(c int) map[int]int {
	fits := map[int]int{}
	for j := range t.length {
		if s := t.length[j][c].size; s > 0 && (fits[s]+1)*s <= t.in.Clusters()[c].Processors {
			fits[s]++
		}
	}
	return fits
}

// items is how many jobs of all sizes that may be.
func (t *timetable) items(c int) int {
	sum := 0
	for _, n := range t.fits(c) {
		sum += n
	}
	return sum
}

// costs are what a cluster charges for its jobs, in units of price for each unit of time.
type costs struct {
	end, over int64 // of the end of a job, and of what it ends after its deadline
	busy      int64 // gained for each processor held
	past      int64 // price of a processor after the last limit
}

// pricedCluster is a cluster with its prices.
type pricedCluster struct {
	*timetable
	costs
	cluster int
	height  int64            // mcp: of a unit of makespan
	price   map[int][]int64  // by size and bucket, the last after the last limit
	paid    map[int][]int128 // by size and limit: what a job of the size pays up to the limit
	most    []int128         // by limit: ∫κ up to the limit
}

// fits says why the prices are not of the right form for the number of buckets; nil: they are.
func (p *ClusterPrices) fits(buckets int, step string) error {
	if len(p.Processor) != buckets {
		return refute(step+".processor", "expected %d prices, found %d", buckets, len(p.Processor))
	}
	seen := map[int]bool{}
	for k, s := range p.Sizes {
		if seen[s.Size] || s.Size < 1 {
			return refute(fmt.Sprintf("%s.sizes[%d]", step, k), "expected each size once, and sizes of at least 1")
		}
		seen[s.Size] = true
	}
	return nil
}

// highest is the highest price that a job pays, and whether the prices are of the right form.
func (t *timetable) highest(c int, p *ClusterPrices, step string) (float64, error) {
	if err := p.fits(len(t.limits)-1, step); err != nil {
		return 0, err
	}
	most := 0.0
	for size := range t.fits(c) {
		for bucket := range p.Processor {
			most = max(most, p.of(size, bucket))
		}
	}
	if !(most < largest) {
		return 0, refute(step, "expected prices below %g", largest)
	}
	return most * float64(min(t.in.Clusters()[c].Processors, len(t.length))), nil
}

// of is what a job of the size pays in the bucket.
func (p *ClusterPrices) of(size, bucket int) float64 {
	price := float64(size) * p.Processor[bucket]
	for k := range p.Sizes {
		if p.Sizes[k].Size == size {
			price += p.Sizes[k].Price
		}
	}
	return max(0, price)
}

// priced computes what jobs pay, and the most that jobs that run at once can pay. The prices are multiplied by the factor.
func (t *timetable) priced(c int, p *ClusterPrices, factor float64, prices grid, w costs) *pricedCluster {
	i := &pricedCluster{timetable: t, costs: w, cluster: c, price: map[int][]int64{}, paid: map[int][]int128{}, most: make([]int128, len(t.limits))}
	fits, buckets := t.fits(c), len(t.limits)-1
	var sizes []int
	for size := range fits {
		sizes = append(sizes, size)
	}
	for _, size := range sizes {
		price, paid := make([]int64, buckets+1), make([]int128, buckets+1)
		for k := range buckets {
			price[k] = prices.near(p.of(size, k) * factor)
			paid[k+1] = paid[k].plus(product(price[k], t.limits[k+1]-t.limits[k]))
		}
		price[buckets] = w.past * int64(size)
		i.price[size], i.paid[size] = price, paid
	}
	most := make([]int64, t.in.Clusters()[c].Processors+1)
	for k := range buckets {
		clear(most)
		for _, size := range sizes {
			for range fits[size] {
				for room := len(most) - 1; room >= size; room-- {
					most[room] = max(most[room], most[room-size]+i.price[size][k])
				}
			}
		}
		i.most[k+1] = i.most[k].plus(product(most[len(most)-1], t.limits[k+1]-t.limits[k]))
	}
	return i
}

// pays is what a job of the size pays up to a time.
func (i *pricedCluster) pays(size int, at int64) int128 {
	k := i.bucket(at)
	return i.paid[size][k].plus(product(i.price[size][k], at-i.limits[k]))
}

// bucket is the bucket that holds the time.
func (i *pricedCluster) bucket(at int64) int {
	low, high := 0, len(i.limits)
	for high-low > 1 {
		if middle := (low + high) / 2; i.limits[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// cheapest is the least cost of job j on the cluster with what it pays: by limit, if it ends by then, and in the end without a limit. ok says where it
// can end by then. As a function of its start the cost is linear but where its start, end or deadline meets a limit.
func (i *pricedCluster) cheapest(j int, least []int128, ok []bool) {
	run, due := i.length[j][i.cluster], i.due[j]
	clear(ok)
	if run.size == 0 {
		return
	}
	gained := product(i.busy*int64(run.size), run.top)
	try := func(start int64) {
		if start < i.head[j] {
			return
		}
		end := start + run.low
		cost := i.pays(run.size, end).minus(i.pays(run.size, start)).minus(gained).plus(product(i.end, end))
		if end > due {
			cost = cost.plus(product(i.over, end-due))
		}
		by := i.bucket(end)
		if i.limits[by] < end {
			by++
		}
		if !ok[by] || cost.below(least[by]) {
			ok[by], least[by] = true, cost
		}
	}
	try(i.head[j])
	if due != forever {
		try(due - run.low)
	}
	for _, limit := range i.limits {
		try(limit)
		try(limit - run.low)
	}
	for k := 1; k < len(ok); k++ {
		if ok[k-1] && (!ok[k] || least[k-1].below(least[k])) {
			ok[k], least[k] = true, least[k-1]
		}
	}
}
