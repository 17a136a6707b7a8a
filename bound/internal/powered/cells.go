package powered

import (
	"math"
	"math/big"
	"slices"

	"github.com/allot-opt/allot/bound/internal/gate"
)

// cells are equal parts of the horizon. A machine changes its states at their limits; ways take whole numbers of cells.
//
// That is no limitation: within each cell let a rate be its least there. Then what a machine costs by the begins and ends of its ways, in their order, is linear as
// long as each stays within its cell. If all ways take whole cells, some cheapest choice has all times at limits of cells. A way that does not may take the number
// of cells rounded down or up, each of which is a possibility more.
type cells struct {
	count  int
	length float64
	begin  []int // by cell: the bucket of prices in which it begins
	end    []int // and ends

	rates []cellRates // by cluster
	ways  map[float64][2]int

	on, earned []float64 // by cell: cost of a machine that is on; price of a processor
	bucket     []int     // by cell: the bucket of that price
	values     [][]float64
	back       [][]int32
}

// cellRates are the rates of a cluster by cell.
type cellRates struct {
	least []float64 // by cell: the integral of the least rate in it
	sums  []float64 // by limit of a cell: its sum
}

// Limits of cells.
const (
	mostCells = 1 << 17
	fewCells  = 1 << 14
)

// newCells finds the number of cells: so that all ways and steps of tariffs are at limits of cells, if that takes few enough. What decides is exact.
func newCells(in *Input, limits []float64) cells {
	length := new(big.Rat).Sub(rational(in.To), rational(in.From))
	coarse := new(big.Rat).Set(length) // the largest time of which all steps are multiples
	var times []float64                // of ways
	var steps [][]*big.Rat
	for c := range in.Clusters {
		var own []*big.Rat
		for k := range in.Clusters[c].Steps {
			own = append(own, in.Clusters[c].Steps[k].Rational())
			coarse = divisor(coarse, own[k])
		}
		steps = append(steps, own)
		for _, g := range in.Clusters[c].Groups {
			if g.Power.Sleeps() {
				for _, off := range g.Power.Off {
					times = append(times, off.Down.Time, off.Up.Time)
				}
			}
		}
	}
	x := cells{count: fewCells, ways: map[float64][2]int{}}
	if times == nil {
		return cells{}
	}
	exact := coarse
	for _, t := range times {
		exact = divisor(exact, rational(t))
	}
	if n := quotient(length, exact); n <= mostCells {
		x.count = int(n)
	} else if n := quotient(length, coarse); n <= mostCells {
		x.count = int(n) * max(1, fewCells/int(n))
	}
	for _, t := range times { // no way may be off by more than a cell
		if off := in.rounded(t); off*float64(x.count) > in.length() {
			x.count = max(1, int(in.length()/off))
		}
	}
	x.length = in.length() / float64(x.count)
	one := new(big.Rat).Quo(length, new(big.Rat).SetInt64(int64(x.count)))
	for _, t := range times {
		off := in.rounded(t)
		least, most := new(big.Rat).Quo(rational(max(0, t-off)), one), new(big.Rat).Quo(rational(t+off), one)
		x.ways[t] = [2]int{floor(least, x.count+1), -floor(most.Neg(most), x.count+1)}
	}
	x.begin, x.end, x.bucket = make([]int, x.count), make([]int, x.count), make([]int, x.count)
	var exactly []*big.Rat
	for _, t := range limits[:len(limits)-1] {
		exactly = append(exactly, rational(t))
	}
	eachCell(exactly, one, x.count, func(cell, first, last int) { x.begin[cell], x.end[cell] = first, last })
	for c := range in.Clusters {
		r := cellRates{make([]float64, x.count), make([]float64, x.count+1)}
		eachCell(steps[c], one, x.count, func(cell, first, last int) {
			r.least[cell] = slices.Min(in.Clusters[c].Rates[first:last+1]) * x.length
			r.sums[cell+1] = r.sums[cell] + r.least[cell]
		})
		x.rates = append(x.rates, r)
	}
	x.on, x.earned = make([]float64, x.count), make([]float64, x.count)
	return x
}

// rounded is by how much a way that is to take so long may be off in a schedule, whose times are float64 numbers within the horizon and may be two units in the last place off their rules: at ends that are large
// beside the way that is more than bounds tolerate. 0: it is not, or all ends of ways are numbers, and the rest is less than 1e-8 of the way.
func (in *Input) rounded(way float64) float64 {
	grainOf := func(t float64) float64 {
		_, exponent := math.Frexp(t)
		if t == 0 {
			return 0
		}
		return math.Ldexp(1, exponent-53)
	}
	from, to := grainOf(in.From), grainOf(in.To)
	grain := max(from, to)
	switch most := 4 * grain; {
	case way == 0, most <= 2e-10*way, most <= 1e-8*way && from == to && math.Mod(way, grain) == 0:
		return 0
	default:
		return most
	}
}

// eachCell calls yield for each cell with the steps that hold in it, from the one at its begin to the last before its end. The first step is at 0.
func eachCell(steps []*big.Rat, length *big.Rat, count int, yield func(cell, first, last int)) {
	at, inside := make([]int, len(steps)), make([]bool, len(steps)) // the cell of each step; it is not at the begin of the cell
	for k, t := range steps {
		n := new(big.Rat).Quo(t, length)
		at[k], inside[k] = floor(n, count), !n.IsInt()
	}
	first := 0
	for cell := range count {
		for first+1 < len(steps) && (at[first+1] < cell || at[first+1] == cell && !inside[first+1]) {
			first++
		}
		last := first
		for last+1 < len(steps) && at[last+1] == cell {
			last++
		}
		yield(cell, first, last)
	}
}

// rational is the exact value of a number.
func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// floor is x rounded down, or most or −most where it lies beyond these.
func floor(x *big.Rat, most int) int {
	n := new(big.Int).Div(x.Num(), x.Denom())
	if !n.IsInt64() || n.Int64() > int64(most) || n.Int64() < -int64(most) {
		return n.Sign() * most
	}
	return int(n.Int64())
}

// quotient is how many units a time has.
func quotient(x, unit *big.Rat) float64 {
	y, _ := new(big.Rat).Quo(x, unit).Float64()
	return y
}

// divisor is the greatest common divisor of two numbers; 0 is a multiple of all.
func divisor(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return a
	}
	x, y := new(big.Int).Mul(a.Num(), b.Denom()), new(big.Int).Mul(b.Num(), a.Denom())
	return new(big.Rat).SetFrac(new(big.Int).GCD(nil, nil, x, y), new(big.Int).Mul(a.Denom(), b.Denom()))
}

// Cells is the number of cells of a certificate.
func (p *Problem) Cells() int { return p.cells.count }

// prepare finds what a machine earns in each cell at the prices of the cluster.
func (x *cells) prepare(c *cluster) {
	for k := range x.count {
		at := x.begin[k]
		for n := at + 1; n <= x.end[k]; n++ {
			if c.price[n] > c.price[at] {
				at = n
			}
		}
		x.earned[k], x.bucket[k] = c.price[at]*x.length, at
	}
}

// passage is a way between on and a state, as it may take a number of cells.
type passage struct {
	state, cells int
	up           bool
	power        float64
}

// stay is the code of a machine that stays in its state; a passage has its position.
const stay = int32(-1)

// add adds what the machines of a group take and earn on their cheapest ways through their states. It returns false if there is none.
func (x *cells) add(c *cluster, r *cellRates, g *Group, slope []float64, sum *gate.Sum) bool {
	x.prepare(c)
	states := len(g.Power.Off) + 1
	var list []passage // those that take no time last: up, then down
	for _, time := range []bool{true, false} {
		for _, up := range []bool{true, false} {
			for s, off := range g.Power.Off {
				way := off.Down
				if up {
					way = off.Up
				}
				for n := x.ways[way.Time][0]; n <= x.ways[way.Time][1]; n++ {
					if n > 0 == time {
						list = append(list, passage{s + 1, n, up, way.Power})
					}
				}
			}
		}
	}
	for len(x.values) < states {
		x.values, x.back = append(x.values, make([]float64, x.count+1)), append(x.back, make([]int32, x.count+1))
	}
	size := 0.0
	for k := range x.count {
		x.on[k] = g.Power.Idle*r.least[k] - g.Units*x.earned[k]
		size += g.Units * x.earned[k]
	}
	largest := g.Power.Idle
	for _, off := range g.Power.Off {
		largest = max(largest, off.Power, off.Down.Power, off.Up.Power)
	}
	sum.Size += g.Count * (size + largest*c.size)
	for t := 0; t <= x.count; t++ {
		for s := range states {
			x.values[s][t], x.back[s][t] = math.Inf(1), stay
			switch {
			case t == 0:
			case s == 0:
				x.values[s][t] = x.values[s][t-1] + x.on[t-1]
			default:
				x.values[s][t] = x.values[s][t-1] + g.Power.Off[s-1].Power*r.least[t-1]
			}
		}
		if t == 0 {
			x.values[g.Power.Begin+1][0] = 0
		}
		for k := range list {
			w := &list[k]
			if w.cells > t {
				continue
			}
			from, to := 0, w.state
			if w.up {
				from, to = w.state, 0
			}
			before := t - w.cells
			if v := x.values[from][before] + w.power*(r.sums[t]-r.sums[before]); v < x.values[to][t] {
				x.values[to][t], x.back[to][t] = v, int32(k)
			}
		}
	}
	end := x.values[g.Power.End+1][x.count]
	if !gate.Finite(end) {
		return false
	}
	sum.Value += g.Count * end
	for t, s := x.count, g.Power.End+1; t > 0 || s != g.Power.Begin+1; {
		if k := x.back[s][t]; k != stay {
			w := &list[k]
			if t -= w.cells; w.up {
				s = w.state
			} else {
				s = 0
			}
			continue
		}
		t--
		if s == 0 {
			slope[x.bucket[t]] -= g.Count * g.Units * x.length
		}
	}
	return true
}
