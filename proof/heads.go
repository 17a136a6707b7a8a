package proof

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/model"
)

// This file raises heads: what the jobs that a job waits for hold of a resource from the least of their heads on is held before the job starts.

// mostWaiting is the most jobs of an instance whose heads are raised so.
const mostWaiting = 4096

// waiting is what is known of the jobs that others wait for. A job joins it when its head is known.
type waiting struct {
	before []*big.Int // by job: the set of the jobs it waits for, perhaps by way of others
	pools  []*pool
	joined []int     // for which others wait, the latest head first
	head   []float64 // by job: rounded down
}

// pool is a resource that jobs share.
type pool struct {
	capacity *big.Rat
	size     float64    // the capacity, about
	held     []float64  // by job: for how long, times how much, it holds the resource at least, rounded down
	whole    []*big.Int // the same, in units
	unit     *big.Rat
}

// waiting returns nil where no head can be raised, or where there are too many jobs.
func (f *facts) waiting() *waiting {
	n := len(f.in.Jobs())
	if f.in.Features()&model.Precedence == 0 || n > mostWaiting {
		return nil
	}
	w := &waiting{before: make([]*big.Int, n), head: make([]float64, n)}
	clusters := f.in.Clusters()
	one, fast := make([]*big.Rat, len(clusters)), make([]*big.Rat, len(clusters))
	differ := false
	for c := range clusters {
		speed, _ := fastest(&clusters[c])
		one[c], fast[c] = big.NewRat(1, 1), number(speed)
		differ = differ || fast[c].Cmp(fast[0]) != 0
	}
	w.pools = append(w.pools, f.processorPool(one))
	if differ {
		w.pools = append(w.pools, f.processorPool(fast))
	}
	for l := range f.in.Licences() {
		if _, copies, err := f.licence(f.in.Licences()[l].ID, ""); err == nil && copies > 0 {
			w.pools = append(w.pools, f.newPool(new(big.Rat).SetInt64(copies), func(j int) *big.Rat {
				return new(big.Rat).Mul(big.NewRat(f.needs(j, l), 1), f.least[j])
			}))
		}
	}
	return w
}

// processorPool is the processors of all clusters at the prices.
func (f *facts) processorPool(prices []*big.Rat) *pool {
	capacity := new(big.Rat)
	for c := range f.in.Clusters() {
		capacity.Add(capacity, new(big.Rat).Mul(prices[c], big.NewRat(int64(f.in.Clusters()[c].Processors), 1)))
	}
	return f.newPool(capacity, func(j int) (least *big.Rat) {
		for c := range f.in.Clusters() {
			if area, runs := f.held(j, c); runs {
				if area.Mul(area, prices[c]); least == nil || area.Cmp(least) < 0 {
					least = area
				}
			}
		}
		return least
	})
}

// newPool asks what each job holds for which others wait. The unit is the greatest power of two of which all that is held is a multiple.
func (f *facts) newPool(capacity *big.Rat, holds func(j int) *big.Rat) *pool {
	n := len(f.in.Jobs())
	p := &pool{capacity: capacity, held: make([]float64, n), whole: make([]*big.Int, n), unit: big.NewRat(1, 1)}
	p.size, _ = capacity.Float64()
	for j := range n {
		if f.least[j] != nil && len(f.in.Successors(j)) > 0 {
			p.held[j] = down(holds(j))
			if x := number(p.held[j]); x.Denom().Cmp(p.unit.Denom()) > 0 {
				p.unit.SetFrac(big.NewInt(1), x.Denom())
			}
		}
	}
	for j := range n {
		p.whole[j] = new(big.Rat).Quo(number(p.held[j]), p.unit).Num()
	}
	return p
}

// steps is about how many steps [waiting.follow] makes for job j.
func (w *waiting) steps(f *facts, j int) int {
	after := len(f.in.Jobs()[j].After)
	if w == nil || after < 2 {
		return after
	}
	return after + len(w.pools)*len(w.joined)
}

// follow says which jobs job j waits for. If it waits for several itself, raised is the larger of the head and the time at which they may all have ended, and
// count their number if that is later than the head, else 0.
func (w *waiting) follow(f *facts, j int, head *big.Rat) (raised *big.Rat, count int) {
	after := f.in.Jobs()[j].After
	if w == nil || len(after) == 0 {
		return head, 0
	}
	set := new(big.Int)
	for _, b := range after {
		set.SetBit(set, b, 1)
		if w.before[b] != nil {
			set.Or(set, w.before[b])
		}
	}
	w.before[j] = set
	if head == nil || len(after) == 1 {
		return head, 0
	}
	best := down(head)
	for _, p := range w.pools {
		best = p.latest(w, set, best)
	}
	if raised = number(best); raised.Cmp(head) <= 0 {
		return head, 0
	}
	for _, b := range w.joined {
		count += int(set.Bit(b))
	}
	return raised, count
}

// latest is the largest, over the jobs b of the set, of the head of b + what the jobs of the set with no smaller head hold, over the capacity; rounded down,
// and best if that is larger.
func (p *pool) latest(w *waiting, set *big.Int, best float64) float64 {
	sum, about := new(big.Int), 0.0
	for _, b := range w.joined {
		if set.Bit(b) == 0 {
			continue
		}
		sum.Add(sum, p.whole[b])
		about += p.held[b]
		if (w.head[b]+about/p.size)*(1+0x1p-30) <= best { // which covers the rounding of as many sums
			continue
		}
		at := new(big.Rat).SetInt(sum)
		at.Mul(at, p.unit).Quo(at, p.capacity)
		best = max(best, down(at.Add(at, number(w.head[b]))))
	}
	return best
}

// join takes a job whose head is known.
func (w *waiting) join(f *facts, j int) {
	if w == nil || f.head[j] == nil || f.least[j] == nil || len(f.in.Successors(j)) == 0 {
		return
	}
	w.head[j] = down(f.head[j])
	at, _ := slices.BinarySearchFunc(w.joined, w.head[j], func(b int, head float64) int { return cmp.Or(cmp.Compare(head, w.head[b]), 1) })
	w.joined = slices.Insert(w.joined, at, j)
}
