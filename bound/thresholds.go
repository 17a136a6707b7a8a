package bound

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/allot-opt/allot/bound/internal/windows"
	"github.com/allot-opt/allot/proof"
)

var _ = Register(Method{Name: "head-tail", Metric: "makespan", Certifies: true,
	Doc:    "for all thresholds of head and tail: the least head, the work of the jobs above both, the least tail",
	Source: "J. Carlier (1982), The one-machine sequencing problem, Eur. J. Oper. Res. 11, doi:10.1016/S0377-2217(82)80007-6, for one machine; J. Carlier (1987), Scheduling jobs with release dates and tails on identical machines, Eur. J. Oper. Res. 29, doi:10.1016/0377-2217(87)90243-8; the longest p·(m−1)+1 jobs after E. G. Coffman, R. L. Graham and others, elementary",
	New:    OnceShown(proveHeadTail)})

// headTail is a job as the bound sees it.
type headTail struct {
	head, tail   float64 // earliest start; least time from its end to the end of all jobs that wait for it
	length, work float64 // least execution time; its share of the time of all clusters, at the best prices
	job          int
}

// proveHeadTail takes, for each pair of a head a and a tail b, the jobs with no smaller head and no smaller tail. They start at
// a or later. From then on they take at least two times: the time for their work; and, because each holds at least one of p
// processors, the sum of the m shortest among their p·(m−1)+1 longest, since m of these run on the same processor. Afterwards
// at least b passes.
//
// Complexity: O(n) for each pair. There are at most 64² pairs for n jobs, fewer for thousands of jobs.
func proveHeadTail(ctx context.Context, r *Relaxation) (Sum, func() *proof.Argument, bool) {
	sets, ok := r.priceSets(ctx)
	if len(r.must) == 0 || !ok {
		return Sum{}, nil, false
	}
	byLength := make([]int, len(r.must)) // positions in must, the longest job first
	for k := range byLength {
		byLength[k] = k
	}
	slices.SortFunc(byLength, func(a, b int) int { return cmp.Or(cmp.Compare(r.least[r.must[b]], r.least[r.must[a]]), a-b) })
	best, show := Sum{}, (func() *proof.Argument)(nil)
	for _, prices := range sets {
		if ctx.Err() != nil {
			break
		}
		if found, by := r.headTailAt(ctx, prices, byLength); found.Value > best.Value {
			best, show = found, by
		}
	}
	return best, show, true
}

// headTailAt computes the bound of [proveHeadTail] with the work of the jobs at given prices.
func (r *Relaxation) headTailAt(ctx context.Context, prices Prices, byLength []int) (Sum, func() *proof.Argument) {
	jobs := r.headTails(ctx, prices, byLength)
	most := int(min(64, max(2, math.Sqrt(4_000_000/float64(len(jobs))))))
	heads := someOf(jobs, most, func(j *headTail) float64 { return j.head })
	tails := someOf(jobs, most, func(j *headTail) float64 { return j.tail })
	best, bestHead, bestTail := 0.0, 0.0, 0.0
	lengths := make([]float64, 0, len(jobs))
	for _, a := range heads {
		if ctx.Err() != nil {
			break
		}
		for _, b := range tails {
			lengths = lengths[:0]
			head, tail, work := math.Inf(1), math.Inf(1), 0.0
			for k := range jobs {
				if j := &jobs[k]; j.head >= a && j.tail >= b {
					head, tail, work = min(head, j.head), min(tail, j.tail), work+j.work
					lengths = append(lengths, j.length)
				}
			}
			if len(lengths) > 0 {
				longest, _ := onOneProcessor(lengths, r.in.Processors())
				if value := head + max(work, longest) + tail; value > best {
					best, bestHead, bestTail = value, a, b
				}
			}
		}
	}
	return r.Chained(r.pricedSum(best, prices)), func() *proof.Argument { return r.showHeadTail(jobs, prices, bestHead, bestTail) }
}

// showHeadTail shows what the jobs of at least the head and the tail prove: their work, or that some of them run on the same processor.
func (r *Relaxation) showHeadTail(jobs []headTail, prices Prices, head, tail float64) *proof.Argument {
	var list []int
	var lengths []float64
	work := 0.0
	for k := range jobs {
		if j := &jobs[k]; j.head >= head && j.tail >= tail {
			list, lengths, work = append(list, j.job), append(lengths, j.length), work+j.work
		}
	}
	if len(list) == 0 {
		return nil
	}
	met, longest := onOneProcessor(lengths, r.in.Processors())
	if met <= work {
		slices.Sort(list)
		return showArea(list, prices)
	}
	list = list[:longest]
	slices.Sort(list)
	return &proof.Argument{Pigeonhole: &proof.Pigeonhole{Jobs: list}}
}

// onOneProcessor is the largest value, over m, of the sum of the m shortest among the p·(m−1)+1 longest lengths: m of these jobs run on
// the same one of p processors. The lengths are sorted, the longest first. The result longest is p·(m−1)+1 for the best m.
//
// Complexity: O(n) for n lengths. The sum for m+1 is that for m with p more lengths and without the p−1 longest. So that nothing is lost by taking away what was
// added, the sums that are compared have twice the digits; the one that is returned is added up afresh.
func onOneProcessor(lengths []float64, p int) (best float64, longest int) {
	sum, most, longest := doubled{lengths[0], 0}, doubled{lengths[0], 0}, 1
	count := 1
	for m := 2; p*(m-1)+1 <= len(lengths); m++ {
		last := p*(m-1) + 1
		for k := last - p; k < last; k++ {
			sum.add(lengths[k])
		}
		for k := last - p - (m - 1); k < last-m; k++ {
			sum.add(-lengths[k])
		}
		if sum.above(most) {
			most, longest, count = sum, last, m
		}
	}
	for _, l := range lengths[longest-count : longest] {
		best += l
	}
	return best, longest
}

// doubled is a number of twice the digits: what its first part was rounded by is in the second.
type doubled struct{ high, low float64 }

// add adds a number.
func (d *doubled) add(x float64) {
	sum := d.high + x
	own := sum - x
	lost := (d.high - own) + (x - (sum - own))
	low := d.low + lost
	d.high = sum + low
	d.low = low - (d.high - sum)
}

// above says that the number is the larger one. After an overflow it is not.
func (d *doubled) above(other doubled) bool {
	return d.high > other.high || d.high == other.high && d.low > other.low
}

// headTails lists the jobs that have to be placed in an order of their positions, with their work at the prices.
func (r *Relaxation) headTails(ctx context.Context, prices Prices, order []int) []headTail {
	areas, _ := r.Areas(ctx) // known, as the prices are
	tails := r.Tails()
	jobs := make([]headTail, len(order))
	for at, k := range order {
		j, work := r.must[k], math.Inf(1)
		for c, area := range areas[k] {
			if !math.IsInf(area, 1) {
				work = min(work, prices.of(c, r.in.Jobs()[j].Memory)*area)
			}
		}
		jobs[at] = headTail{r.start[j], tails[j], r.least[j], work, j}
	}
	return jobs
}

// someOf returns some of the distinct values of the jobs, evenly spaced by rank. Their number is at most most.
func someOf(jobs []headTail, most int, of func(*headTail) float64) []float64 {
	values := make([]float64, len(jobs))
	for k := range jobs {
		values[k] = of(&jobs[k])
	}
	return windows.Evenly(values, most)
}
