package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/model"
)

// priced is the jobs of an instance on its clusters as seen through prices of processor time that change with time: time is cut
// into buckets, and while a job of size s runs on cluster i in bucket t it pays y_it(s) = max(0, s·ρ_it + θ_i(s)). Whatever runs at
// an instant pays no more than κ_it, the most that jobs that fit into the cluster can pay.
//
// Time stays continuous: what a job costs by its start is linear but where its start, end or deadline meets a limit of a
// bucket, so that those starts are all that need be looked at.
type priced struct {
	jobs     int
	limits   []float64 // of the buckets: 0 … horizon
	clusters []pricedCluster
	size     int // number of coordinates: prices ρ and θ, after one for each job
}

// pricedCluster is a cluster with its jobs.
type pricedCluster struct {
	processors int
	past       float64 // ρ after the last bucket, where θ is 0
	magnitude  float64 // Σ over its jobs of the largest numbers that what one costs by a start is made of, without prices
	count      []int   // by size, by index: jobs of it
	sizes      []int   // that occur
	items      []int   // sizes, by index, as often as jobs of it may run at once: the knapsack's
	jobs       []pricedJob
	rho, theta int // where its prices begin among the coordinates

	y, sum [][]float64 // by size: price in each bucket, and paid from 0 to each limit
	kappa  []float64   // by bucket
	packed [][]int     // by bucket: jobs of each size that pay κ
	paid   []float64   // ∫κ up to each limit
}

// pricedJob is a job on a cluster.
type pricedJob struct {
	kind   int // index of its size; −1: cannot run here
	starts []pricedStart
}

// pricedStart is a start that may be the cheapest, with what it costs without prices. They are sorted by end.
type pricedStart struct {
	start, end  float64
	first, last int32 // buckets; as many as there are: after the last
	unpriced    float64
	within      int32 // the first limit that is not before the end
}

// pricedWeights are what a cluster's jobs cost by time, for a time unit: of a job over its deadline, of its end, of processor time
// held.
type pricedWeights struct{ over, end, busy float64 }

// pricedStarts limits the starts that are kept.
const pricedStarts = 400_000

// newPriced prepares the starts of the jobs that have to be placed; nil where they are not rigid jobs on clusters of equal
// processors, or too many. A job that background load makes longer ends later and pays more, but it also holds more
// processor time: where that makes a schedule cheaper, there is nothing.
func newPriced(r *Relaxation, limits []float64, weights []pricedWeights, past []float64) *priced {
	longer := r.in.Features()&model.BackgroundLoad != 0 && slices.ContainsFunc(weights, func(w pricedWeights) bool { return w.busy > 0 })
	if !r.solid || longer || len(r.must)*len(r.in.Clusters())*2*len(limits) > pricedStarts {
		return nil
	}
	p := &priced{jobs: len(r.must), limits: limits, size: len(r.must)}
	for c := range r.in.Clusters() {
		p.clusters = append(p.clusters, newPricedCluster(r, c, limits, weights[c], past[c]))
		i := &p.clusters[c]
		i.rho = p.size
		i.theta = i.rho + len(limits) - 1
		p.size = i.theta + len(i.sizes)
	}
	return p
}

// newPricedCluster prepares one cluster.
func newPricedCluster(r *Relaxation, c int, limits []float64, w pricedWeights, past float64) pricedCluster {
	i := pricedCluster{processors: r.in.Clusters()[c].Processors, past: past, jobs: make([]pricedJob, len(r.must))}
	count := map[int]int{}
	for k, j := range r.must {
		i.jobs[k].kind = -1
		if r.in.CanRun(j, c) {
			size, _ := r.in.Width(j, c)
			count[size]++
			i.sizes = append(i.sizes, size)
			i.jobs[k] = pricedJob{size, i.startsOf(r, j, c, size, limits, w)}
			i.magnitude += i.magnitudeOf(r, j, c, size, limits, w)
		}
	}
	slices.Sort(i.sizes)
	i.sizes = slices.Compact(i.sizes)
	for k := range i.jobs {
		if i.jobs[k].kind >= 0 {
			i.jobs[k].kind, _ = slices.BinarySearch(i.sizes, i.jobs[k].kind)
		}
	}
	for kind, size := range i.sizes {
		for range min(count[size], i.processors/size) {
			i.items = append(i.items, kind)
		}
	}
	for _, size := range i.sizes {
		i.count = append(i.count, count[size])
	}
	buckets := len(limits) - 1
	for range i.sizes {
		i.y, i.sum = append(i.y, make([]float64, buckets+1)), append(i.sum, make([]float64, buckets+1))
	}
	i.kappa, i.paid, i.packed = make([]float64, buckets), make([]float64, buckets+1), make([][]int, buckets)
	for t := range i.packed {
		i.packed[t] = make([]int, len(i.sizes))
	}
	return i
}

// magnitudeOf is the sum of the largest numbers that go into what the job costs by a start.
func (i *pricedCluster) magnitudeOf(r *Relaxation, j, c, size int, limits []float64, w pricedWeights) float64 {
	duration := r.in.DurationOn(j, c, size)
	due, end := math.Abs(r.Deadline(j)), max(r.start[j], limits[len(limits)-1])+duration
	if math.IsInf(due, 1) {
		due = 0
	}
	end += due // the job may start so that it ends when it is due
	return (w.end+w.over)*end + w.over*due + (w.busy+2*i.past)*float64(size)*end
}

// rounding is the sum of the magnitudes of the numbers that what the cluster's jobs cost at the prices is made of.
func (i *pricedCluster) rounding() float64 {
	sum := i.magnitude
	for kind, n := range i.count {
		paid := i.sum[kind]
		sum += 2 * float64(n) * paid[len(paid)-1]
	}
	return sum
}

// terms is the number of numbers that are added up one after another in a value at the prices. An end that is moved to a limit is
// wrong by 8 epsilon, which is worth as much as 8 of the buckets each.
func (p *priced) terms() int { return 2*(p.jobs+len(p.clusters)) + 8*len(p.limits) + 32 }

// startsOf lists the starts of a job that may be the cheapest, by end.
func (i *pricedCluster) startsOf(r *Relaxation, j, c, size int, limits []float64, w pricedWeights) []pricedStart {
	duration, release, due := r.in.DurationOn(j, c, size), r.start[j], r.Deadline(j)
	times := []float64{release, due - duration}
	for _, t := range limits {
		times = append(times, t, t-duration)
	}
	slices.Sort(times)
	starts := make([]pricedStart, 0, len(times))
	for _, t := range slices.Compact(times) {
		if t < release || math.IsInf(t, 1) {
			continue
		}
		s := pricedStart{start: t, end: t + duration}
		// What ends at a limit, but for rounding, does: that start is the cheapest of many.
		k, _ := slices.BinarySearch(limits, s.end*(1-8*epsilon))
		if k < len(limits) && limits[k] <= s.end*(1+8*epsilon) {
			s.end = limits[k]
		}
		s.within = int32(k)
		s.first, s.last = bucketOf(limits, s.start), bucketOf(limits, s.end)
		s.unpriced = w.end*s.end + w.over*max(0, s.end-due) - w.busy*float64(size)*duration
		starts = append(starts, s)
	}
	slices.SortStableFunc(starts, func(a, b pricedStart) int { return cmp.Compare(a.end, b.end) })
	return starts
}

// bucketOf is the bucket of the time; as many as there are: after the last.
func bucketOf(limits []float64, t float64) int32 {
	k, found := slices.BinarySearch(limits, t)
	if !found {
		k--
	}
	return int32(min(k, len(limits)-1))
}

// set takes the prices of a point and finds what the jobs and the clusters pay. False: ctx ended, or the prices are so high that what
// is paid is no number.
//
// Complexity: O(buckets · items · processors) for the knapsacks.
func (p *priced) set(ctx context.Context, x []float64) bool {
	if !finiteAll(x) {
		return false
	}
	for c := range p.clusters {
		if ctx.Err() != nil {
			return false
		}
		i := &p.clusters[c]
		i.set(x, p.limits)
		if !finite(i.paid[len(i.paid)-1]) || !finite(i.rounding()) {
			return false
		}
	}
	return true
}

// set takes the prices of one cluster.
func (i *pricedCluster) set(x, limits []float64) {
	buckets := len(limits) - 1
	for kind, size := range i.sizes {
		y, sum := i.y[kind], i.sum[kind]
		for t := range buckets {
			y[t] = max(0, float64(size)*x[i.rho+t]+x[i.theta+kind])
			sum[t+1] = sum[t] + y[t]*(limits[t+1]-limits[t])
		}
		y[buckets] = float64(size) * i.past
	}
	most := make([]float64, i.processors+1)
	taken := make([]bool, len(i.items)*(i.processors+1))
	for t := range buckets {
		i.kappa[t] = i.knapsack(t, most, taken)
		i.paid[t+1] = i.paid[t] + i.kappa[t]*(limits[t+1]-limits[t])
	}
}

// knapsack finds the jobs that fit and pay the most in the bucket.
func (i *pricedCluster) knapsack(t int, most []float64, taken []bool) float64 {
	clear(most)
	clear(taken)
	row := i.processors + 1
	for item, kind := range i.items {
		size, y := i.sizes[kind], i.y[kind][t]
		if y == 0 {
			continue
		}
		for room := i.processors; room >= size; room-- {
			if v := most[room-size] + y; v > most[room] {
				most[room], taken[item*row+room] = v, true
			}
		}
	}
	clear(i.packed[t])
	room := i.processors
	for item := len(i.items) - 1; item >= 0; item-- {
		if taken[item*row+room] {
			i.packed[t][i.items[item]]++
			room -= i.sizes[i.items[item]]
		}
	}
	return most[i.processors]
}

// pays is what a job of the kind pays from 0 to the time in the bucket.
func (i *pricedCluster) pays(kind int, t float64, bucket int32, limits []float64) float64 {
	return i.sum[kind][bucket] + i.y[kind][bucket]*(t-limits[bucket])
}

// cheapest writes what the job costs at least when it ends by each limit, and without a limit last; +Inf: it cannot. at takes the
// starts.
func (i *pricedCluster) cheapest(j int, limits, cost []float64, at []int32) {
	job := &i.jobs[j]
	least, best, from := math.Inf(1), int32(-1), 0
	for k := range job.starts {
		s := &job.starts[k]
		for ; from < int(s.within); from++ {
			cost[from], at[from] = least, best
		}
		c := s.unpriced + i.pays(job.kind, s.end, s.last, limits) - i.pays(job.kind, s.start, s.first, limits)
		if c < least {
			least, best = c, int32(k)
		}
	}
	for ; from < len(cost); from++ {
		cost[from], at[from] = least, best
	}
}

// slopeOfRun adds to the slope what a job that runs from the start pays by the prices, times the factor.
func (i *pricedCluster) slopeOfRun(slope []float64, j int, start int32, factor float64, limits []float64) {
	job := &i.jobs[j]
	s := &job.starts[start]
	size, y := float64(i.sizes[job.kind]), i.y[job.kind]
	for t := int(s.first); t <= int(s.last) && t+1 < len(limits); t++ {
		if y[t] > 0 {
			held := factor * (min(s.end, limits[t+1]) - max(s.start, limits[t]))
			slope[i.rho+t] += size * held
			slope[i.theta+job.kind] += held
		}
	}
}

// slopeOfCluster adds to the slope what the cluster pays up to a limit, times the factor.
func (i *pricedCluster) slopeOfCluster(slope []float64, until int, factor float64, limits []float64) {
	for t := range until {
		length := factor * (limits[t+1] - limits[t])
		for kind, n := range i.packed[t] {
			slope[i.rho+t] += length * float64(n*i.sizes[kind])
			slope[i.theta+kind] += length * float64(n)
		}
	}
}
