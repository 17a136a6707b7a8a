// Package priced charges jobs for processor time, at prices that change with time. Lower bounds by Lagrangian relaxation build on
// it.
package priced

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// Problem is the jobs of an instance on its clusters, with prices. Time is cut into buckets. While a job of size s runs on cluster
// i in bucket t, it pays y_it(s) = max(0, s·ρ_it + θ_i(s)) for each unit of time. Let κ_it be the most that jobs which fit into the
// cluster together can pay. All jobs that run at an instant pay together at most κ_it.
//
// Time stays continuous. As a function of its start, the cost of a job is linear except where its start, its end or its
// deadline meets the limit of a bucket. So only these starts have to be looked at.
type Problem struct {
	Jobs     int
	Limits   []float64 // limits of the buckets: 0 … horizon
	Clusters []Cluster
	Size     int // number of coordinates: one price for each job, then the prices ρ and θ
}

// Cluster is a cluster with its jobs.
type Cluster struct {
	Processors int
	past       float64 // ρ after the last bucket, where θ is 0
	magnitude  float64 // for rounding: sum over its jobs of the largest numbers in a cost by start, without prices
	count      []int   // by index of size: number of jobs
	Sizes      []int   // sizes that occur
	Items      []int   // items of the knapsack: each index of a size as often as jobs of that size may run at once
	Jobs       []job
	Rho, Theta int // where the prices of the cluster begin among the coordinates

	y, sum [][]float64 // by size: price in each bucket; price paid from 0 to each limit
	kappa  []float64   // by bucket
	packed [][]int     // by bucket: jobs of each size that together pay κ
	Paid   []float64   // ∫κ up to each limit
}

// job is a job on a cluster.
type job struct {
	Kind   int // index of its size; −1: it cannot run here
	Starts []start
}

// start is a start of a job that may be the cheapest, with its cost apart from prices. Starts are sorted by end.
type start struct {
	start, end  float64
	first, last int32 // buckets of start and end; the number of buckets: after the last
	unpriced    float64
	Within      int32 // index of the first limit that is not before the end
}

// Input holds the facts of an instance and its jobs that prices need.
type Input struct {
	In       *model.Instance
	Must     []int               // the jobs that every schedule has to place
	Start    []float64           // by job: its earliest start
	Deadline func(j int) float64 // of a job, from the earliest arrival of all
	Solid    bool                // every job holds a fixed number of processors of one cluster from its start to its end
}

// Weights are the costs of one time unit: of a job over its deadline, of a job's end, and of processor time held.
type Weights struct{ Over, End, Busy float64 }

// maxStarts limits the starts that are kept.
const maxStarts = 400_000

// New prepares the starts of the jobs that have to be placed. It returns nil if they are not rigid jobs on clusters of equal
// processors, or if there are too many starts. Background load makes a job end later and pay more, but also hold more processor
// time. If that can make a schedule cheaper, New returns nil, too.
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
	i := Cluster{Processors: r.In.Clusters()[c].Processors, past: past, Jobs: make([]job, len(r.Must))}
	count := map[int]int{}
	for k, j := range r.Must {
		i.Jobs[k].Kind = -1
		if r.In.CanRun(j, c) {
			size, _ := r.In.Width(j, c)
			count[size]++
			i.Sizes = append(i.Sizes, size)
			i.Jobs[k] = job{size, i.startsOf(r, j, c, size, limits, w)}
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

// magnitudeOf is the sum of the largest numbers in the cost of job j by a start.
func (i *Cluster) magnitudeOf(r *Input, j, c, size int, limits []float64, w Weights) float64 {
	duration := r.In.DurationOn(j, c, size)
	due, end := math.Abs(r.Deadline(j)), max(r.Start[j], limits[len(limits)-1])+duration
	if math.IsInf(due, 1) {
		due = 0
	}
	end += due // the job may start so that it ends at its deadline
	return (w.End+w.Over)*end + w.Over*due + (w.Busy+2*i.past)*float64(size)*end
}

// Rounding is the sum of the magnitudes of all numbers in the costs of the cluster's jobs at the prices.
func (i *Cluster) Rounding() float64 {
	sum := i.magnitude
	for kind, n := range i.count {
		paid := i.sum[kind]
		sum += 2 * float64(n) * paid[len(paid)-1]
	}
	return sum
}

// Terms is the number of numbers that are added up one after another in a value at the prices. An end that is moved to a limit
// is wrong by 8 epsilon, which counts as 8 terms for each bucket.
func (p *Problem) Terms() int { return 2*(p.Jobs+len(p.Clusters)) + 8*len(p.Limits) + 32 }

// startsOf lists the starts of job j that may be the cheapest, by end.
func (i *Cluster) startsOf(r *Input, j, c, size int, limits []float64, w Weights) []start {
	duration, release, due := r.In.DurationOn(j, c, size), r.Start[j], r.Deadline(j)
	times := []float64{release, due - duration}
	for _, t := range limits {
		times = append(times, t, t-duration)
	}
	slices.Sort(times)
	starts := make([]start, 0, len(times))
	for _, t := range slices.Compact(times) {
		if t < release || math.IsInf(t, 1) {
			continue
		}
		s := start{start: t, end: t + duration}
		// An end that is at a limit but for rounding is moved to the limit, because such a start is often the cheapest.
		k, _ := slices.BinarySearch(limits, s.end*(1-8*gate.Epsilon))
		if k < len(limits) && limits[k] <= s.end*(1+8*gate.Epsilon) {
			s.end = limits[k]
		}
		s.Within = int32(k)
		s.first, s.last = bucketOf(limits, s.start), bucketOf(limits, s.end)
		s.unpriced = w.End*s.end + w.Over*max(0, s.end-due) - w.Busy*float64(size)*duration
		starts = append(starts, s)
	}
	slices.SortStableFunc(starts, func(a, b start) int { return cmp.Compare(a.end, b.end) })
	return starts
}

// bucketOf is the bucket of time t; the number of buckets: after the last.
func bucketOf(limits []float64, t float64) int32 {
	k, found := slices.BinarySearch(limits, t)
	if !found {
		k--
	}
	return int32(min(k, len(limits)-1))
}

// Set takes the prices x and computes what the jobs and the clusters pay. It returns false if ctx ended or the prices are so high
// that the payments overflow.
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
		if !i.set(ctx, x, p.Limits) {
			return false
		}
		if !gate.Finite(i.Paid[len(i.Paid)-1]) || !gate.Finite(i.Rounding()) {
			return false
		}
	}
	return true
}

// Stated is the prices x of processor time as a certificate states them.
func (p *Problem) Stated(x []float64) []proof.ClusterPrices {
	list := make([]proof.ClusterPrices, len(p.Clusters))
	for c := range list {
		i := &p.Clusters[c]
		list[c].Processor = slices.Clone(x[i.Rho : i.Rho+len(p.Limits)-1])
		for kind, size := range i.Sizes {
			list[c].Sizes = append(list[c].Sizes, proof.SizePrice{Size: size, Price: x[i.Theta+kind]})
		}
	}
	return list
}

// set takes the prices of one cluster. It returns false if ctx ended.
func (i *Cluster) set(ctx context.Context, x, limits []float64) bool {
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
		if ctx.Err() != nil {
			return false
		}
		i.kappa[t] = i.knapsack(t, most, taken)
		i.Paid[t+1] = i.Paid[t] + i.kappa[t]*(limits[t+1]-limits[t])
	}
	return true
}

// knapsack finds the jobs that fit and pay the most in bucket t.
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

// pays is what a job of the kind pays from 0 to time t, which lies in the bucket.
func (i *Cluster) pays(kind int, t float64, bucket int32, limits []float64) float64 {
	return i.sum[kind][bucket] + i.y[kind][bucket]*(t-limits[bucket])
}

// Cheapest writes to cost the least cost of job j if it ends by each limit, and last its least cost without a limit. The cost is
// +Inf where the job cannot end by the limit. It writes the indices of the starts to at.
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

// SlopeOfRun adds to slope the derivative by the prices of what job j pays if it runs from the start, times the factor.
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

// SlopeOfCluster adds to slope the derivative by the prices of what the cluster pays up to a limit, times the factor.
func (i *Cluster) SlopeOfCluster(slope []float64, until int, factor float64, limits []float64) {
	for t := range until {
		length := factor * (limits[t+1] - limits[t])
		for kind, n := range i.packed[t] {
			slope[i.Rho+t] += length * float64(n*i.Sizes[kind])
			slope[i.Theta+kind] += length * float64(n)
		}
	}
}
