package bound

import (
	"cmp"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// slowOnOneProcessor adds up every sum afresh, in exact numbers.
func slowOnOneProcessor(lengths []float64, p int) (best *big.Rat, longest int) {
	for m := 1; p*(m-1)+1 <= len(lengths); m++ {
		last, sum := p*(m-1)+1, new(big.Rat)
		for _, l := range lengths[last-m : last] {
			sum.Add(sum, exact(l))
		}
		if best == nil || sum.Cmp(best) > 0 {
			best, longest = sum, last
		}
	}
	return best, longest
}

// TestOnOneProcessor compares with the slow way: whole lengths, where many sums are equal, fractions, and numbers so unequal that they swallow each other.
func TestOnOneProcessor(t *testing.T) {
	rng := rand.New(rand.NewPCG(57, 4))
	draws := []func() float64{
		func() float64 { return float64(rng.IntN(5)) },
		func() float64 { return float64(1+rng.IntN(9)) / 10 },
		func() float64 { return math.Exp2(float64(rng.IntN(90) - 45)) },
		func() float64 { return 1 / float64(1+rng.IntN(30)) },
	}
	later := 0
	for k := range 2000 {
		lengths := make([]float64, 1+rng.IntN(40))
		for i := range lengths {
			lengths[i] = draws[k%len(draws)]()
		}
		slices.SortFunc(lengths, func(a, b float64) int { return cmp.Compare(b, a) })
		p := 1 + rng.IntN(6)
		want, position := slowOnOneProcessor(lengths, p)
		got, longest := onOneProcessor(lengths, p)
		least, _ := want.Float64()
		if longest != position || math.Abs(got-least) > 1e-14*least {
			t.Fatalf("%v on %d processors: %v with the %d longest; expected %v with %d", lengths, p, got, longest, least, position)
		}
		if longest > p+1 {
			later++
		}
	}
	if later < 200 {
		t.Errorf("only %d cases in which three jobs or more meet", later)
	}
}

// TestOnOneProcessorOverflows: what is larger than any number proves nothing; what comes before it does.
func TestOnOneProcessorOverflows(t *testing.T) {
	if got, longest := onOneProcessor([]float64{1e308, 1e308, 1e308}, 1); got != 1e308 || longest != 1 {
		t.Errorf("%v with the %d longest; expected 1e308 with 1", got, longest)
	}
}
