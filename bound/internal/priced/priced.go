package priced

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
)

// priced is the jobs of an instance on its clusters as seen through prices of processor time that change with time: time is cut
// into buckets, and while a job of size s runs on cluster i in bucket t it pays y_it(s) = max(0, s·ρ_it + θ_i(s)). Whatever runs at
// an instant pays no more than κ_it, the most that jobs that fit into the cluster can pay.
//
// Time stays continuous: what a job costs by its start is linear but where its start, end or deadline meets a limit of a
// bucket, so that those starts are all that need be looked at.
type Problem struct {
	Jobs     int
	Limits   []float64 // of the buckets: 0 … horizon
	Clusters []Cluster
	Size     int // number of coordinates: prices ρ and θ, after one for each job
}

// Cluster is a cluster with its jobs.
type Cluster struct {
	Processors int
	past       float64 // ρ after the last bucket, where θ is 0
	magnitude  float64 // Σ over its jobs of the largest numbers that what one costs by a start is made of, without prices
	count      []int   // by size, by index: jobs of it
	Sizes      []int   // that occur
	Items      []int   // sizes, by index, as often as jobs of it may run at once: the knapsack's
	Jobs       []Job
	Rho, Theta int // where its prices begin among the coordinates

	y, sum [][]float64 // by size: price in each bucket, and paid from 0 to each limit
	kappa  []float64   // by bucket
	packed [][]int     // by bucket: jobs of each size that pay κ
	Paid   []float64   // ∫κ up to each limit
}

// Job is a job on a cluster.
type Job struct {
	Kind   int // index of its size; −1: cannot run here
	Starts []Start
}

// Start is a start that may be the cheapest, with what it costs without prices. They are sorted by end.
type Start struct {
	start, end  float64
	first, last int32 // buckets; as many as there are: after the last
	unpriced    float64
	Within      int32 // the first limit that is not before the end
}

// Input is what prices need to know of an instance and its jobs.
type Input struct {
	In       *model.Instance
	Must     []int               // the jobs that every schedule has to place
	Start    []float64           // by job: its earliest start
	Deadline func(j int) float64 // of a job, from the earliest arrival of all
	Solid    bool                // every job holds a fixed number of processors of one cluster from its start to its end
}

// Weights are what a cluster's jobs cost by time, for a time unit: of a job over its deadline, of its end, of processor time
// held.
type Weights struct{ Over, End, Busy float64 }

// maxStarts limits the starts that are kept.
const maxStarts = 400_000

// New prepares the starts of the jobs that have to be placed; nil where they are not rigid jobs on clusters of equal
// processors, or too many. A job that background load makes longer ends later and pays more, but it also holds more
// processor time: where that makes a schedule cheaper, there is nothing.
func New(r *Input, limits []float64, weights []Weights, past []float64) *Problem {
	longer := r.In.Features()&model.BackgroundLoad != 0 && slices.ContainsFunc(weights, func(w Weights) bool { return w.Busy > 0 })
	if !r.Solid || longer || len(r.Must)*len(r.In.Clusters())*2*len(limits) > maxStarts {
		return nil
	}
	p := &Problem{Jobs: len(r.Must), Limits: limits, Size: len(r.Must)}
	for c := range r.In.Clusters() {
		p.Clusters = append(p.Clusters, newCluster(r, c, limits, weights[c], past[c]))
		i := &p.Clusters[c]
		i.Rho = p.Size
		i.Theta = i.Rho + len(limits) - 1
		p.Size = i.Theta + len(i.Sizes)
	}
	return p
}

// newCluster prepares one cluster.
func newCluster(r *Input, c int, limits []float64, w Weights, past float64) Cluster {
	i := Cluster{Processors: r.In.Clusters()[c].Processors, past: past, Jobs: make([]Job, len(r.Must))}
	count := map[int]int{}
	for k, j := range r.Must {
		i.Jobs[k].Kind = -1
		if r.In.CanRun(j, c) {
			size, _ := r.In.Width(j, c)
			count[size]++
			i.Sizes = append(i.Sizes, size)
			i.Jobs[k] = Job{size, i.startsOf(r, j, c, size, limits, w)}
			i.magnitude += i.magnitudeOf(r, j, c, size, limits, w)
		}
	}
	slices.Sort(i.Sizes)
	i.Sizes = slices.Compact(i.Sizes)
	for k := range i.Jobs {
		if i.Jobs[k].Kind >= 0 {
			i.Jobs[k].Kind, _ = slices.BinarySearch(i.Sizes, i.Jobs[k].Kind)
		}
	}
	for kind, size := range i.Sizes {
		for range min(count[size], i.Processors/size) {
			i.Items = append(i.Items, kind)
		}
	}
	for _, size := range i.Sizes {
		i.count = append(i.count, count[size])
	}
	buckets := len(limits) - 1
	for range i.Sizes {
		i.y, i.sum = append(i.y, make([]float64, buckets+1)), append(i.sum, make([]float64, buckets+1))
	}
	i.kappa, i.Paid, i.packed = make([]float64, buckets), make([]float64, buckets+1), make([][]int, buckets)
	for t := range i.packed {
		i.packed[t] = make([]int, len(i.Sizes))
	}
	return i
}

// magnitudeOf is the sum of the largest numbers that go into what the job costs by a start.
func (i *Cluster) magnitudeOf(r *Input, j, c, size int, limits []float64, w Weights) float64 {
	duration := r.In.DurationOn(j, c, size)
	due, end := math.Abs(r.Deadline(j)), max(r.Start[j], limits[len(limits)-1])+duration
	if math.IsInf(due, 1) {
		due = 0
	}
	end += due // the job may start so that it ends when it is due
	return (w.End+w.Over)*end + w.Over*due + (w.Busy+2*i.past)*float64(size)*end
}

// rounding is the sum of the magnitudes of the numbers that what the cluster's jobs cost at the prices is made of.
func (i *Cluster) Rounding() float64 {
	sum := i.magnitude
	for kind, n := range i.count {
		paid := i.sum[kind]
		sum += 2 * float64(n) * paid[len(paid)-1]
	}
	return sum
}

// terms is the number of numbers that are added up one after another in a value at the prices. An end that is moved to a limit is
// wrong by 8 epsilon, which is worth as much as 8 of the buckets each.
func (p *Problem) Terms() int { return 2*(p.Jobs+len(p.Clusters)) + 8*len(p.Limits) + 32 }

// startsOf lists the starts of a job that may be the cheapest, by end.
func (i *Cluster) startsOf(r *Input, j, c, size int, limits []float64, w Weights) []Start {
	duration, release, due := r.In.DurationOn(j, c, size), r.Start[j], r.Deadline(j)
	times := []float64{release, due - duration}
	for _, t := range limits {
		times = append(times, t, t-duration)
	}
	slices.Sort(times)
	starts := make([]Start, 0, len(times))
	for _, t := range slices.Compact(times) {
		if t < release || math.IsInf(t, 1) {
			continue
		}
		s := Start{start: t, end: t + duration}
		// What ends at a limit, but for rounding, does: that start is the cheapest of many.
		k, _ := slices.BinarySearch(limits, s.end*(1-8*gate.Epsilon))
		if k < len(limits) && limits[k] <= s.end*(1+8*gate.Epsilon) {
			s.end = limits[k]
		}
		s.Within = int32(k)
		s.first, s.last = bucketOf(limits, s.start), bucketOf(limits, s.end)
		s.unpriced = w.End*s.end + w.Over*max(0, s.end-due) - w.Busy*float64(size)*duration
		starts = append(starts, s)
	}
	slices.SortStableFunc(starts, func(a, b Start) int { return cmp.Compare(a.end, b.end) })
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
func (p *Problem) Set(ctx context.Context, x []float64) bool {
	if !gate.FiniteAll(x) {
		return false
	}
	for c := range p.Clusters {
		if ctx.Err() != nil {
			return false
		}
		i := &p.Clusters[c]
		i.set(x, p.Limits)
		if !gate.Finite(i.Paid[len(i.Paid)-1]) || !gate.Finite(i.Rounding()) {
			return false
		}
	}
	return true
}

// set takes the prices of one cluster.
func (i *Cluster) set(x, limits []float64) {
	buckets := len(limits) - 1
	for kind, size := range i.Sizes {
		y, sum := i.y[kind], i.sum[kind]
		for t := range buckets {
			y[t] = max(0, float64(size)*x[i.Rho+t]+x[i.Theta+kind])
			sum[t+1] = sum[t] + y[t]*(limits[t+1]-limits[t])
		}
		y[buckets] = float64(size) * i.past
	}
	most := make([]float64, i.Processors+1)
	taken := make([]bool, len(i.Items)*(i.Processors+1))
	for t := range buckets {
		i.kappa[t] = i.knapsack(t, most, taken)
		i.Paid[t+1] = i.Paid[t] + i.kappa[t]*(limits[t+1]-limits[t])
	}
}

// knapsack finds the jobs that fit and pay the most in the bucket.
func (i *Cluster) knapsack(t int, most []float64, taken []bool) float64 {
	clear(most)
	clear(taken)
	row := i.Processors + 1
	for item, kind := range i.Items {
		size, y := i.Sizes[kind], i.y[kind][t]
		if y == 0 {
			continue
		}
		for room := i.Processors; room >= size; room-- {
			if v := most[room-size] + y; v > most[room] {
				most[room], taken[item*row+room] = v, true
			}
		}
	}
	clear(i.packed[t])
	room := i.Processors
	for item := len(i.Items) - 1; item >= 0; item-- {
		if taken[item*row+room] {
			i.packed[t][i.Items[item]]++
			room -= i.Sizes[i.Items[item]]
		}
	}
	return most[i.Processors]
}

// pays is what a job of the kind pays from 0 to the time in the bucket.
func (i *Cluster) pays(kind int, t float64, bucket int32, limits []float64) float64 {
	return i.sum[kind][bucket] + i.y[kind][bucket]*(t-limits[bucket])
}

// cheapest writes what the job costs at least when it ends by each limit, and without a limit last; +Inf: it cannot. at takes the
// starts.
func (i *Cluster) Cheapest(j int, limits, cost []float64, at []int32) {
	job := &i.Jobs[j]
	least, best, from := math.Inf(1), int32(-1), 0
	for k := range job.Starts {
		s := &job.Starts[k]
		for ; from < int(s.Within); from++ {
			cost[from], at[from] = least, best
		}
		c := s.unpriced + i.pays(job.Kind, s.end, s.last, limits) - i.pays(job.Kind, s.start, s.first, limits)
		if c < least {
			least, best = c, int32(k)
		}
	}
	for ; from < len(cost); from++ {
		cost[from], at[from] = least, best
	}
}

// SlopeOfRun adds to the slope what a job that runs from the start pays by the prices, times the factor.
func (i *Cluster) SlopeOfRun(slope []float64, j int, start int32, factor float64, limits []float64) {
	job := &i.Jobs[j]
	s := &job.Starts[start]
	size, y := float64(i.Sizes[job.Kind]), i.y[job.Kind]
	for t := int(s.first); t <= int(s.last) && t+1 < len(limits); t++ {
		if y[t] > 0 {
			held := factor * (min(s.end, limits[t+1]) - max(s.start, limits[t]))
			slope[i.Rho+t] += size * held
			slope[i.Theta+job.Kind] += held
		}
	}
}

// SlopeOfCluster adds to the slope what the cluster pays up to a limit, times the factor.
func (i *Cluster) SlopeOfCluster(slope []float64, until int, factor float64, limits []float64) {
	for t := range until {
		length := factor * (limits[t+1] - limits[t])
		for kind, n := range i.packed[t] {
			slope[i.Rho+t] += length * float64(n*i.Sizes[kind])
			slope[i.Theta+kind] += length * float64(n)
		}
	}
}
