package proof

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/internal/race"
)

// Each operation gives the largest float64 that is at most the exact result, at any magnitude.
func TestOperationsAreRoundedDown(t *testing.T) {
	race.OneGoroutine(t)
	rng, kinds := rand.New(rand.NewPCG(3, 14)), map[string]int{}
	check := func(name string, a, b, found float64, exact *big.Rat) {
		t.Helper()
		above := math.Nextafter(found, math.Inf(1))
		if number(found).Cmp(exact) > 0 || !math.IsInf(above, 1) && number(above).Cmp(exact) <= 0 {
			t.Fatalf("%s of %v and %v: %v, expected the largest float64 that is at most %s", name, a, b, found, exact.FloatString(30))
		}
		nearest, isExact := exact.Float64()
		switch {
		case isExact:
			kinds[name+" exact"]++
		case nearest > found:
			kinds[name+" lowered"]++
		default:
			kinds[name+" kept"]++
		}
		if found > 0 && found < 0x1p-1022 {
			kinds[name+" subnormal"]++
		}
	}
	operands := func(low, high int) (a, b float64) {
		draw := func() float64 {
			x := 1 + rng.Float64()
			if rng.IntN(4) == 0 {
				x = float64(1 + rng.IntN(16))
			}
			return math.Ldexp(x, low+rng.IntN(high-low))
		}
		a, b = draw(), draw()
		switch rng.IntN(8) {
		case 0:
			a = 0
		case 1: // nearly alike
			b = a * (1 + math.Ldexp(1, -rng.IntN(53)))
		}
		return a, b
	}
	for k := range 20_000 {
		low, high := -30, 30
		switch k % 5 {
		case 1:
			low, high = -1070, -400
		case 2:
			low, high = -540, -420 // products about exactFrom and at the least numbers
		case 3:
			low, high = 300, 1018
		}
		a, b := operands(low, high)
		if k%5 == 4 { // quotients about exactFrom and at the least numbers
			a, b = math.Ldexp(a, -570), math.Ldexp(b, 470)
		}
		check("sum", a, b, sumDown(a, b), new(big.Rat).Add(number(a), number(b)))
		check("sum", a, -b, sumDown(a, -b), new(big.Rat).Sub(number(a), number(b)))
		check("product", a, b, productDown(a, b), new(big.Rat).Mul(number(a), number(b)))
		check("quotient", a, b, quotientDown(a, b), new(big.Rat).Quo(number(a), number(b)))
		check("fraction", a, b, down(new(big.Rat).Quo(number(a), number(b))), new(big.Rat).Quo(number(a), number(b)))
	}
	for _, name := range []string{"sum", "product", "quotient", "fraction"} {
		for _, kind := range []string{" exact", " lowered", " kept"} {
			if kinds[name+kind] < 200 {
				t.Errorf("%s: %d cases, the test says little", name+kind, kinds[name+kind])
			}
		}
	}
	if kinds["product subnormal"] < 50 || kinds["quotient subnormal"] < 20 {
		t.Errorf("the test says little: %v", kinds)
	}
	if x := productDown(0, math.Inf(1)); x != 0 {
		t.Errorf("nothing for an endless time costs %v, expected 0", x)
	}
}
