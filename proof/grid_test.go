package proof

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// whole is a number of 128 bits as math/big has it.
func whole(x int128) *big.Int {
	value := new(big.Int).Lsh(big.NewInt(x.high), 64)
	return value.Add(value, new(big.Int).SetUint64(x.low))
}

// Numbers of 128 bits compute as those of math/big do.
func TestNumbersOf128Bits(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	draw := func() int64 {
		x := rng.Int64() >> rng.IntN(64)
		switch rng.IntN(8) {
		case 0:
			return []int64{0, 1, -1, math.MaxInt64, math.MinInt64, math.MinInt64 + 1, 1 << 32, -1 << 32}[rng.IntN(8)]
		case 1, 2, 3:
			return -x
		}
		return x
	}
	limit := new(big.Int).Lsh(big.NewInt(1), 126)
	for range 20_000 {
		a, b := draw(), draw()
		x := product(a, b)
		if want := new(big.Int).Mul(big.NewInt(a), big.NewInt(b)); whole(x).Cmp(want) != 0 {
			t.Fatalf("%d · %d = %v, expected %v", a, b, whole(x), want)
		}
		y := product(draw(), draw())
		if whole(x).CmpAbs(limit) >= 0 || whole(y).CmpAbs(limit) >= 0 {
			continue
		}
		if want := new(big.Int).Add(whole(x), whole(y)); whole(x.plus(y)).Cmp(want) != 0 {
			t.Fatalf("%v + %v = %v", whole(x), whole(y), whole(x.plus(y)))
		}
		if want := new(big.Int).Sub(whole(x), whole(y)); whole(x.minus(y)).Cmp(want) != 0 {
			t.Fatalf("%v − %v = %v", whole(x), whole(y), whole(x.minus(y)))
		}
		if x.below(y) != (whole(x).Cmp(whole(y)) < 0) || x.below(x) {
			t.Fatalf("%v < %v: %v", whole(x), whole(y), x.below(y))
		}
		n := uint(rng.IntN(140))
		if want := new(big.Int).Rsh(whole(x), n); want.IsInt64() && x.down(n) != want.Int64() {
			t.Fatalf("⌊%v/2^%d⌋ = %d, expected %v", whole(x), n, x.down(n), want)
		}
		if x.big().Cmp(new(big.Rat).SetInt(whole(x))) != 0 {
			t.Fatalf("%v as a fraction is %v", whole(x), x.big())
		}
		size, _ := new(big.Float).SetInt(new(big.Int).Abs(whole(x))).Float64()
		if math.Abs(x.magnitude()-size) > 1e-9*size+0x1p12 {
			t.Fatalf("|%v| is about %v", whole(x), x.magnitude())
		}
	}
}

// A grid has the digits asked for, and rounds as it says.
func TestGrids(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 2))
	for range 5000 {
		most := number(math.Ldexp(1+rng.Float64(), rng.IntN(80)-40))
		digits := 20 + rng.IntN(40)
		g := gridFor(most, digits)
		unit := new(big.Rat).Inv(g.inverse())
		if steps := new(big.Rat).Quo(most, unit); steps.Cmp(new(big.Rat).SetFloat64(math.Ldexp(1, digits))) > 0 || steps.Cmp(new(big.Rat).SetFloat64(math.Ldexp(1, digits-1))) < 0 {
			t.Fatalf("%v in units of %v: %v, expected %d digits", most, unit, steps, digits)
		}
		f, _ := most.Float64()
		x := f * (2*rng.Float64() - 1)
		if rng.IntN(4) == 0 { // on the grid
			x = math.Ldexp(float64(rng.IntN(1<<16)), g.exponent)
		}
		down, up, near := whole64(g.down(number(x)), unit), whole64(g.up(number(x)), unit), whole64(g.near(x), unit)
		gap := new(big.Rat).Sub(up, down)
		if down.Cmp(number(x)) > 0 || up.Cmp(number(x)) < 0 || gap.Cmp(unit) > 0 || near.Cmp(down) < 0 || near.Cmp(up) > 0 {
			t.Fatalf("%v in units of %v: from %v to %v, near %v", x, unit, down, up, near)
		}
		if exact := new(big.Rat).Mul(g.scaled(number(x)), unit); exact.Cmp(number(x)) != 0 {
			t.Fatalf("%v is %v", x, exact)
		}
		if gap.Sign() == 0 != g.scaled(number(x)).IsInt() {
			t.Fatalf("%v in units of %v: %v and %v", x, unit, down, up)
		}
	}
}

// whole64 is a number of units.
func whole64(n int64, unit *big.Rat) *big.Rat {
	return new(big.Rat).Mul(new(big.Rat).SetInt64(n), unit)
}

// The least whole number that is not below, also below 0.
func TestCeiling(t *testing.T) {
	for want, x := range map[int64]*big.Rat{3: big.NewRat(5, 2), 2: big.NewRat(2, 1), -2: big.NewRat(-5, 2), -3: big.NewRat(-3, 1), 0: big.NewRat(-1, 3), 1: big.NewRat(1, 3)} {
		if got := ceiling(x); got.Cmp(big.NewInt(want)) != 0 {
			t.Errorf("⌈%v⌉ = %v", x, got)
		}
	}
}

// Times come onto the grid so that less is proved: heads and the times that jobs pay for are rounded down, deadlines and the times that are gained up, each by less
// than a unit.
func TestTimesOnTheGrid(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 7))
	off := 0
	for range 200 {
		b := model.NewBuilder("grid").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 1, Speed: 1 + rng.Float64()}}})
		for k := range 3 {
			work, deadline := rng.Float64(), 2*rng.Float64()
			b.Job(model.JobSpec{ID: string(rune('a' + k)), Arrival: rng.Float64(), Processors: model.Rigid(1), Work: &work, Deadline: &deadline})
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		f := newFacts(t.Context(), in)
		table, err := f.timetable([]float64{0, 1000 * rng.Float64()}, new(big.Rat), "")
		if err != nil {
			t.Fatal(err)
		}
		unit := number(math.Ldexp(1, table.times.exponent))
		for j := range in.Jobs() {
			run := in.DurationOn(j, 0, 1)
			for what, x := range map[string]struct {
				exact   *big.Rat
				rounded int64
				up      bool
			}{
				"head":     {f.head[j], table.head[j], false},
				"deadline": {f.due(j), table.due[j], true},
				"paid":     {number(run), table.length[j][0].low, false},
				"gained":   {number(run), table.length[j][0].top, true},
			} {
				less := new(big.Rat).Sub(x.exact, new(big.Rat).Mul(unit, big.NewRat(x.rounded, 1)))
				if x.up {
					less.Neg(less)
				}
				if less.Sign() < 0 || less.Cmp(unit) >= 0 {
					t.Errorf("%s of %s: %d units of %s, rounded up: %v", what, x.exact.FloatString(20), x.rounded, unit, x.up)
				}
				if less.Sign() > 0 {
					off++
				}
			}
		}
	}
	if off < 1000 {
		t.Errorf("%d times are not on the grid: the test says little", off)
	}
}

// The bound of a tree of loads is rounded up to a unit and penalties are rounded down, each by less than a unit.
func TestLoadsOnTheGrid(t *testing.T) {
	b := model.NewBuilder("loads").Minimise("qos_penalty", 1)
	work, deadline := math.Pi, 1.0
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Queue: &model.QueueSpec{ServiceRate: 1}}}})
	b.Job(model.JobSpec{ID: "a", Work: &work, Deadline: &deadline})
	b.Spec().Queueing = &model.QueueingSpec{Rate: 0.5, Period: 2}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for _, goal := range []float64{1, 1 + 0x1p-52, math.Pi, 1e-9} {
		tree, _, err := newFacts(t.Context(), in).levelTree(&Levels{Prices: [][]float64{{1 << 20}}}, number(goal), "")
		if err != nil {
			t.Fatal(err)
		}
		unit := number(math.Ldexp(1, tree.units.exponent))
		more := new(big.Rat).Mul(unit, big.NewRat(tree.target, 1))
		if more.Sub(more, number(goal)); more.Sign() < 0 || more.Cmp(unit) >= 0 {
			t.Errorf("a bound of %v is %d units of %s", goal, tree.target, unit)
		}
		class := &tree.classes[0]
		penalty, cost := number(class.penalty(&in.Jobs()[0], 0, class.wait[1], model.ChargeResponse)), tree.levels[0][1].cost[0]
		if penalty.Sub(penalty, new(big.Rat).Mul(unit, big.NewRat(cost, 1))); penalty.Sign() < 0 || penalty.Cmp(unit) >= 0 {
			t.Errorf("a penalty of %s more than %d units of %s", penalty.FloatString(20), cost, unit)
		}
	}
}
