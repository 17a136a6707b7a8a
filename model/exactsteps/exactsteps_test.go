package exactsteps

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// times are numbers that are often decimals.
func times(rng *rand.Rand) float64 {
	unit := []float64{0.1, 0.3, 1.1, 60.1, 8e-9, 1, 1.7e9}[rng.IntN(7)]
	return unit * float64(rng.IntN(40))
}

// A time is what its exact sum is, and the numbers around it are next to it.
func TestAt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rounded := 0
	for range 20_000 {
		a, b, from, n := times(rng), times(rng), times(rng), int64(rng.IntN(60)-20)
		want := new(big.Rat).Mul(rational(b), new(big.Rat).SetInt64(n))
		want.Add(want, rational(a)).Sub(want, rational(from))
		s := At(a, n, b, from)
		if s.Rational().Cmp(want) != 0 {
			t.Fatalf("%v + %d·%v − %v: %v, expected %v", a, n, b, from, s.Rational(), want)
		}
		if s.Exact != nil {
			rounded++
		}
		below, above := s.Below(), s.Above()
		if rational(below).Cmp(want) > 0 || rational(above).Cmp(want) < 0 || s.Exact == nil && below != above || below != above && math.Nextafter(below, math.Inf(1)) != above {
			t.Fatalf("%v lies between %v and %v", want, below, above)
		}
	}
	if rounded < 5_000 || rounded > 19_000 {
		t.Errorf("%d of 20000 are rounded: the test says little", rounded)
	}
}

// valueAt is the value of a list at a time, looked up in exact numbers.
func valueAt(list []model.Step, period float64, time *big.Rat) float64 {
	if period > 0 { // into the round of the first step
		rounds := new(big.Rat).Sub(time, rational(list[0].Time))
		rounds.Quo(rounds, rational(period))
		whole := new(big.Rat).SetInt(new(big.Int).Div(rounds.Num(), rounds.Denom()))
		time = new(big.Rat).Sub(time, whole.Mul(whole, rational(period)))
	}
	value := list[0].Value
	for _, s := range list {
		if rational(s.Time).Cmp(time) <= 0 {
			value = s.Value
		}
	}
	return value
}

// The steps within a horizon have the values of the list at all times, also right before and at each step.
func TestWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	steps := 0
	for range 3_000 {
		from, unit := times(rng), []float64{0.1, 0.3, 1.1, 8e-9, 1}[rng.IntN(5)]
		to := from + unit*float64(1+rng.IntN(12))
		list := []model.Step{{Time: max(0, from-unit*float64(rng.IntN(5)))}}
		for k := range 1 + rng.IntN(4) {
			next := list[k].Time + unit*float64(1+rng.IntN(3))
			if next > list[k].Time {
				list = append(list, model.Step{Time: next, Value: float64(k + 1)})
			} else {
				break
			}
		}
		period := 0.0
		if last := list[len(list)-1].Time - list[0].Time; rng.IntN(2) == 0 {
			period = last + unit*float64(1+rng.IntN(3))
		}
		if !(to > from) {
			continue
		}
		at, values, few := Within(list, period, from, to, 1000)
		if !few || len(at) != len(values) || at[0].Rational().Sign() != 0 {
			t.Fatalf("%v, period %v, [%v, %v): %v %v %v", list, period, from, to, at, values, few)
		}
		length := new(big.Rat).Sub(rational(to), rational(from))
		for k := range at {
			begin, end := at[k].Rational(), length
			if k+1 < len(at) {
				end = at[k+1].Rational()
			}
			if begin.Cmp(end) >= 0 {
				t.Fatalf("%v, period %v, [%v, %v): step %d at %v, the next at %v", list, period, from, to, k, begin, end)
			}
			middle := new(big.Rat).Add(begin, end)
			middle.Mul(middle, big.NewRat(1, 2))
			for _, time := range []*big.Rat{begin, middle} {
				if want := valueAt(list, period, new(big.Rat).Add(time, rational(from))); values[k] != want {
					t.Fatalf("%v, period %v, [%v, %v): %v at %v, expected %v", list, period, from, to, values[k], time, want)
				}
			}
			steps++
		}
		if _, _, few := Within(list, period, from, to, len(at)-1); few && period == 0 {
			t.Fatal("too many steps are few")
		}
	}
	if steps < 5_000 {
		t.Errorf("%d steps: the test says little", steps)
	}
}

// Two lists are joined to one with the values of both.
func TestJoin(t *testing.T) {
	a, b := []Step{{}, {Near: 2}, {Near: 5}}, []Step{{}, {Near: 2}, {Near: 3}}
	at, both := Join(a, []float64{1, 2, 3}, b, []float64{10, 20, 30})
	want := [][2]float64{{1, 10}, {2, 20}, {2, 30}, {3, 30}}
	if len(at) != 4 || at[1].Near != 2 || at[2].Near != 3 || at[3].Near != 5 {
		t.Fatal(at)
	}
	for k := range want {
		if both[k] != want[k] {
			t.Errorf("%v, expected %v", both, want)
		}
	}
	if at, both = Join(nil, nil, b, []float64{1, 2, 3}); len(at) != 3 || both[2] != [2]float64{0, 3} {
		t.Error(at, both)
	}
	if at, both = Join(nil, nil, nil, nil); len(at) != 1 || both[0] != [2]float64{} {
		t.Error(at, both)
	}
}
