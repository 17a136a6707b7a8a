package spread

import (
	"math"
	"math/big"
	"math/bits"
)

// group is a number of processors of one machine in a partition. Each runs the given number of tasks; the first ones, as many as more says,
// run one task more.
type group struct {
	machine    int32
	processors int
	tasks      int
	more       int
}

// ratios are the speeds of machines as whole numbers in a common unit.
type ratios struct {
	small []uint64 // nil where one of them does not fit
	large []*big.Int
}

// newRatios are the ratios of the speeds.
func newRatios(speeds []float64) *ratios {
	whole, unit := make([]*big.Int, len(speeds)), new(big.Int)
	lowest := math.MaxInt
	for _, speed := range speeds {
		_, exponent := math.Frexp(speed)
		lowest = min(lowest, exponent)
	}
	widest := 0
	for k, speed := range speeds {
		fraction, exponent := math.Frexp(speed) // fraction·2⁵³ is whole
		whole[k] = new(big.Int).Lsh(big.NewInt(int64(fraction*(1<<53))), uint(exponent-lowest))
		unit.GCD(nil, nil, unit, whole[k])
	}
	for k := range whole {
		whole[k].Quo(whole[k], unit)
		widest = max(widest, whole[k].BitLen())
	}
	r := &ratios{large: whole}
	if widest <= 64 {
		r.small = make([]uint64, len(whole))
		for k := range whole {
			r.small[k] = whole[k].Uint64()
		}
	}
	return r
}

// equal says whether two machines have the same speed.
func (r *ratios) equal(a, b int32) bool {
	if r.small != nil {
		return r.small[a] == r.small[b]
	}
	return r.large[a].Cmp(r.large[b]) == 0
}

// sooner says whether a processor of machine k is done with a tasks before one of machine l is done with b: a/speed_k < b/speed_l.
func (r *ratios) sooner(a int, k int32, b int, l int32) bool {
	if r.small == nil {
		left := new(big.Int).Mul(big.NewInt(int64(a)), r.large[l])
		return left.Cmp(new(big.Int).Mul(big.NewInt(int64(b)), r.large[k])) < 0
	}
	highA, lowA := bits.Mul64(uint64(a), r.small[l])
	highB, lowB := bits.Mul64(uint64(b), r.small[k])
	return highA < highB || highA == highB && lowA < lowB
}

// share gives the tasks to the groups by the rule of the tasks, see the package; the order of the groups is that of the index. Where first is 1, each processor gets
// one task and the rule shares the others; there must be enough. With even all processors count as equally fast.
//
// Complexity for g groups: O(g) where all speeds are the same, else O(g²).
func (r *ratios) share(tasks int, groups []group, first int, even bool) {
	processors, same := r.measure(groups)
	same = same || even
	tasks -= first * processors
	left := tasks
	if same {
		for k := range groups {
			groups[k].tasks, groups[k].more = first+tasks/processors, 0
		}
		left = tasks % processors
	} else {
		r.roundDown(tasks, groups)
		for k := range groups {
			left -= groups[k].tasks * groups[k].processors
			groups[k].tasks += first
		}
	}
	r.giveRest(left, groups, same)
}

// shareAll gives the tasks to the groups by the time rule of the model: each processor gets one while there are enough, and each further task
// goes to the processor with the least (b+1)/speed, where b is what it has by then; ties go to the lowest index. With even all processors
// count as equally fast.
//
// Complexity: see share.
func (r *ratios) shareAll(tasks int, groups []group, even bool) {
	processors, same := r.measure(groups)
	if same || even || tasks < processors {
		r.share(tasks, groups, 0, even)
		return
	}
	r.roundDown(tasks-processors, groups) // none ends with less than this
	for k := range groups {
		groups[k].tasks = max(1, groups[k].tasks)
		tasks -= groups[k].tasks * groups[k].processors
	}
	r.giveRest(tasks, groups, false)
}

// measure is the number of processors of the groups, and whether they have the same speed.
func (r *ratios) measure(groups []group) (processors int, same bool) {
	same = true
	for k := range groups {
		processors += groups[k].processors
		same = same && r.equal(groups[k].machine, groups[0].machine)
	}
	return processors, same
}

// giveRest gives the tasks that are left to the processors that are done with them first.
func (r *ratios) giveRest(left int, groups []group, same bool) {
	for left > 0 {
		next := &groups[0]
		for k := 1; k < len(groups) && !same; k++ {
			if g := &groups[k]; r.sooner(g.tasks+1, g.machine, next.tasks+1, next.machine) {
				next = g
			}
		}
		if same { // the first group that is not full
			for k := range groups {
				if next = &groups[k]; next.more < next.processors {
					break
				}
			}
		}
		given := min(left, next.processors-next.more)
		next.more += given
		left -= given
		if next.more == next.processors && !same {
			next.tasks, next.more = next.tasks+1, 0
		}
	}
}

// roundDown gives each processor of the groups its share of the tasks, rounded down.
func (r *ratios) roundDown(tasks int, groups []group) {
	sum, fits := r.sum(groups)
	if !fits {
		r.roundDownLarge(tasks, groups)
		return
	}
	for k := range groups {
		high, low := bits.Mul64(uint64(tasks), r.small[groups[k].machine])
		share, _ := bits.Div64(high, low, sum)
		groups[k].tasks, groups[k].more = int(share), 0
	}
}

// sum is the sum of the speeds of the processors in the common unit; false: it does not fit.
func (r *ratios) sum(groups []group) (sum uint64, fits bool) {
	if r.small == nil {
		return 0, false
	}
	for k := range groups {
		high, low := bits.Mul64(r.small[groups[k].machine], uint64(groups[k].processors))
		total, carry := bits.Add64(sum, low, 0)
		if sum = total; high > 0 || carry > 0 {
			return 0, false
		}
	}
	return sum, true
}

// roundDownLarge is roundDown in numbers of any size.
func (r *ratios) roundDownLarge(tasks int, groups []group) {
	sum, share := new(big.Int), new(big.Int)
	for k := range groups {
		sum.Add(sum, share.Mul(r.large[groups[k].machine], big.NewInt(int64(groups[k].processors))))
	}
	for k := range groups {
		share.Mul(r.large[groups[k].machine], big.NewInt(int64(tasks)))
		groups[k].tasks, groups[k].more = int(share.Quo(share, sum).Int64()), 0
	}
}
