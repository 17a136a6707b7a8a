package advise

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// allowedNaive sums the binomial distribution term by term in exact arithmetic.
func allowedNaive(n int, risk, confidence float64) int {
	p, q := new(big.Rat).SetFloat64(risk), new(big.Rat).SetFloat64(1-risk)
	most := new(big.Rat).SetFloat64(1 - confidence)
	power := func(x *big.Rat, n int) *big.Rat {
		y := big.NewRat(1, 1)
		for range n {
			y.Mul(y, x)
		}
		return y
	}
	sum := new(big.Rat)
	for k := 0; k < n; k++ {
		term := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(k)))
		term.Mul(term, power(p, k)).Mul(term, power(q, n-k))
		if sum.Add(sum, term).Cmp(most) > 0 {
			return k - 1
		}
	}
	return n - 1
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		n          int
		risk, conf float64
		want       int
	}{{298, 0.01, 0.95, -1}, {299, 0.01, 0.95, 0}, {472, 0.01, 0.95, 0}, {473, 0.01, 0.95, 1}, {58, 0.05, 0.95, -1}, {59, 0.05, 0.95, 0}, {93, 0.05, 0.95, 1}, {0, 0.1, 0.9, -1}} { // Wilks's table
		if got := Allowed(c.n, c.risk, c.conf); got != c.want {
			t.Errorf("Allowed(%d, %v, %v) = %d, expected %d", c.n, c.risk, c.conf, got, c.want)
		}
	}
	if got := Needed(0.01, 0.95); got != 299 {
		t.Errorf("Needed(0.01, 0.95) = %d, expected 299", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		risk := float64(rapid.IntRange(1, 31).Draw(t, "risk")) / 64                        // exact, so that 1 − risk is too
		confidence := (float64(rapid.IntRange(33, 62).Draw(t, "confidence")) + 1.0/3) / 64 // no sum of the powers of two above equals it
		if got, want := Allowed(n, risk, confidence), allowedNaive(n, risk, confidence); got != want {
			t.Fatalf("Allowed(%d, %v, %v) = %d, expected %d", n, risk, confidence, got, want)
		}
	})
}

// A great n does not underflow.
func TestAllowedOfMany(t *testing.T) {
	const n, risk = 1_000_000, 0.01
	if got := Allowed(n, risk, 0.95); got < 9_800 || got > 9_900 { // 10,000 − 1.645·99.5
		t.Errorf("Allowed(%d, %v, 0.95) = %d", n, risk, got)
	}
}

func TestRound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, y := rapid.Float64Range(1, 1e7).Draw(t, "x"), rapid.Float64Range(1, 1e7).Draw(t, "y")
		a, b := round(x), round(y)
		if a < x || round(a) != a || x < y && a > b || x >= 300 && a > 2*x {
			t.Fatalf("round(%v) = %v, round(%v) = %v", x, a, y, b)
		}
	})
}
