package proof

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// The wait of n tasks is κ·n·μ/(μ·T − n) rounded down, where the capacity μ·T counts by 2⁻⁵¹ more, or the wait by 2⁻⁴⁹ less where less than 2⁻¹¹ of
// the capacity is left.
func TestWaitsAreLowerBounds(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 7))
	nearly := 0
	power := func(exponent int) *big.Rat { return number(math.Ldexp(1, exponent)) }
	for k := range 2000 {
		tasks := 1 + rng.IntN(6)
		period, rate, kappa := math.Ldexp(1+rng.Float64(), rng.IntN(20)-5), 0.0, 3*rng.Float64()
		if rate = float64(tasks) / period * (1 + rng.Float64()); rng.IntN(2) == 0 {
			rate = float64(tasks) / period * (1 + math.Ldexp(1+rng.Float64(), -rng.IntN(52)))
		}
		if k == 0 { // just 2⁻¹¹ is left in the end
			tasks, period, rate = 1<<11-1, 1<<11, 1
		}
		var c queueClass
		c.stable(period, rate, number(kappa), tasks)
		for n, wait := range c.wait {
			want := 0.0
			if n > 0 {
				capacity := new(big.Rat).Mul(number(period), number(rate))
				spare := new(big.Rat).Sub(capacity, number(float64(n)))
				w := new(big.Rat).Mul(number(kappa), new(big.Rat).Mul(number(rate), number(float64(n))))
				if spare.Cmp(new(big.Rat).Mul(capacity, power(-11))) < 0 {
					w.Sub(w, new(big.Rat).Mul(w, power(-49)))
					nearly++
				} else {
					spare.Add(spare, new(big.Rat).Mul(capacity, power(-51)))
				}
				if want, _ = w.Quo(w, spare).Float64(); number(want).Cmp(w) > 0 {
					want = math.Nextafter(want, -1)
				}
			}
			if wait != want {
				t.Fatalf("%d tasks in %v, rate %v, κ %v: %v, expected %v", n, period, rate, kappa, wait, want)
			}
		}
		most := 0
		for most < tasks && float64(most+1)/period < rate {
			most++
		}
		if c.most != most || len(c.wait) != most+1 {
			t.Errorf("%d tasks in %v, rate %v: stable with %d, expected %d", tasks, period, rate, c.most, most)
		}
	}
	if nearly < 200 {
		t.Errorf("%d machines are nearly full: the test says little", nearly)
	}
}

func TestExcess(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ x, limit, most, least float64 }{
		{1, 2, 0, 0}, {2, 2, 0, 0}, {inf, inf, 0, 0}, {5, inf, 0, 0}, {3, 2, 0.5, 0.5}, {1, 0, inf, inf}, {1, -1, inf, inf}, {0, 0, 0, 0}, {-2, -1, 0, 0},
		{math.Nextafter(2, 3), 2, 0x1p-52, 0x1p-52}, {2, 1, 1, 1}, {1, 0.5, 1, 1}, {4, 3, 1.0 / 3, 1.0 / 3}, {8, 3, math.Nextafter(5.0/3, 0), math.Nextafter(5.0/3, 0)}, {0, -inf, inf, inf}, {-1, 0, 0, 0},
	} {
		if found := excess(c.x, c.limit); found > c.most || found < c.least {
			t.Errorf("%v over %v: %v, expected %v to %v", c.x, c.limit, found, c.least, c.most)
		}
	}
}
