package counts

import (
	"context"
	"math"

	"github.com/allot-opt/allot/bound/internal/bundle"
	"github.com/allot-opt/allot/bound/internal/gate"
)

// few knows the least cost of sets of few jobs on a cluster. In such a set it matters how the jobs fit beside each other, which
// prices of time do not see.
type few interface {
	// Most is the largest number of jobs of a set.
	Most() int
	// Size limits the sum of the magnitudes of all numbers in the cost of a set, without its prices.
	Size() float64
	// Least is the least of q(n)·(cost of the set) − Σ u over the sets of n jobs, if that is below the limit; otherwise the limit.
	// The set is nil if it found none. The result is of no use if ok is false, because the steps, about 40 ns each, were too few, or
	// if it is at most have.
	Least(ctx context.Context, n int, u []float64, have, limit float64, steps int64) (value float64, set []int, used int64, ok bool)
}

// fewCosts are the least costs of sets of few jobs at the prices set last. Their first index is the cluster, the second the number of jobs.
type fewCosts struct {
	of    []few
	least [][]float64 // proved; −Inf: nothing
	set   [][][]int   // with that cost; nil: none, it is only a bound
	done  [][]bool    // no more can be proved
	steps int64       // used and not accounted for yet
}

// Limits of the search for sets: the steps for one of them, the part of the prices, or of the bound, by which it raises a cost before it looks at other numbers of jobs, and
// the time of a step in ns.
const (
	fewSteps = 2_000_000
	fewRaise = 3e-3
	fewTime  = 30
)

func newFew(of []few, jobs int) *fewCosts {
	f := &fewCosts{of: of}
	for range of {
		f.least, f.set, f.done = append(f.least, make([]float64, jobs+1)), append(f.set, make([][]int, jobs+1)), append(f.done, make([]bool, jobs+1))
	}
	f.forget()
	return f
}

// forget prepares for new prices.
func (f *fewCosts) forget() {
	for i := range f.least {
		for n := range f.least[i] {
			f.least[i][n], f.set[i][n], f.done[i][n] = math.Inf(-1), nil, i >= len(f.of) || n == 0 || n > f.of[i].Most()
		}
	}
}

// margin is what rounding may change of a least cost of cluster i.
func (f *fewCosts) margin(i int, u []float64) float64 {
	s := gate.Sum{Terms: 16 * mostFew, Size: f.of[i].Size()}
	for _, v := range u {
		s.Size += math.Abs(v)
	}
	return s.Margin()
}

// mostFew is the largest number of jobs of a set.
const mostFew = 8

// value is what n jobs cost at least on cluster i.
func (c *Relaxation) value(i, n int) float64 {
	if c.few == nil {
		return c.g[i][n]
	}
	return max(c.g[i][n], c.few.least[i][n])
}

// hopeOf is what n jobs cost at least on cluster i at the level.
func (c *Relaxation) hopeOf(i int, level int32, n int) float64 {
	if c.few == nil {
		return c.hope[i][level][n]
	}
	return max(c.hope[i][level][n], c.few.least[i][n])
}

// raise raises what the numbers of jobs chosen cost, by their sets, unless they cost more than the limit together. It returns false if that is not possible.
func (c *Relaxation) raise(ctx context.Context, n []int32, x []float64, total float64) (raised bool) {
	f := c.few
	if f == nil || !c.useFew {
		return false
	}
	u := x[:c.Jobs]
	room := 0.0
	for _, v := range u {
		room += math.Abs(v)
		total += v
	}
	if room = fewRaise * max(room, math.Abs(total)); !(total <= c.most) || room == 0 { // prices may be small beside the costs
		return false
	}
	for i, n := range n {
		if f.done[i][n] {
			continue
		}
		have, margin := c.value(i, int(n)), f.margin(i, u)
		v, set, used, ok := f.of[i].Least(ctx, int(n), u, have+margin, have+margin+room, fewSteps)
		f.steps += used + 20
		v -= margin
		if f.done[i][n] = !ok || set != nil || v <= have; ok && v > have {
			f.least[i][n], f.set[i][n], raised = v, set, true
		}
	}
	return raised
}

// byFew says whether the n jobs of cluster i cost most by their sets.
func (c *Relaxation) byFew(i, n int) bool { return c.few != nil && c.few.least[i][n] > c.g[i][n] }

// cutOfFew is the cut of a cluster whose jobs cost most by their sets.
func (c *Relaxation) cutOfFew(at *bundle.Cut, i, n int, x []float64) {
	for _, j := range c.few.set[i][n] {
		at.Slope[j]--
	}
	at.Slope[c.Size-1] = -float64(n)
	at.At0 = c.few.least[i][n] - bundle.Dot(at.Slope[:c.Size-1], x)
}
