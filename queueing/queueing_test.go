package queueing_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/queueing"
)

// bound is the bound at rates and squared coefficients of variation.
func bound(t rapid.TB, lambda, mu, ca2, cs2 float64) float64 {
	t.Helper()
	wait, err := queueing.KingmanMarshall((ca2/(lambda*lambda)+cs2/(mu*mu))/2, lambda, mu)
	if err != nil {
		t.Fatal(err)
	}
	return wait
}

// mg1 is the mean wait in M/G/1, by Pollaczek and Khinchine: λ·(σS² + 1/μ²)/(2·(1 − ρ)). L. Kleinrock (1975), Queueing Systems I, Wiley, eq. 5.72.
func mg1(lambda, mu, cs2 float64) float64 {
	return lambda * (1 + cs2) / (mu * mu) / (2 * (1 - lambda/mu))
}

// The bound of the textbook M/M/1, λ(1/λ² + 1/μ²)/(2(1−ρ)) = 0.8·2.5625/0.4, and the worked instance of the allocation.
func TestKingmanMarshallTable(t *testing.T) {
	if got := bound(t, 0.8, 1, 1, 1); math.Abs(got-5.125) > 1e-12 {
		t.Errorf("M/M/1: %v, expected 5.125", got)
	}
	for _, c := range []struct {
		kappa, mu float64
		waits     []float64
	}{{4, 0.5, []float64{0, 0.5, 4.0 / 3, 3, 8}}, {8, 0.25, []float64{0, 4.0 / 3, 8}}} {
		for n, want := range c.waits {
			if got, err := queueing.KingmanMarshall(c.kappa, float64(n)/10, c.mu); err != nil || math.Abs(got-want) > 1e-12 {
				t.Errorf("κ = %v, μ = %v: W(%d) = %v, %v, expected %v", c.kappa, c.mu, n, got, err, want)
			}
		}
	}
}

// The bound is not below the exact wait of Poisson arrivals, and it is that of the evaluator.
func TestKingmanMarshallBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := rapid.Float64Range(0.01, 100).Draw(t, "mu")
		lambda := mu * rapid.Float64Range(0.01, 0.99).Draw(t, "rho")
		cs2 := rapid.Float64Range(0, 9).Draw(t, "cs2")
		if found, exact := bound(t, lambda, mu, 1, cs2), mg1(lambda, mu, cs2); found < exact*(1-1e-12) {
			t.Fatalf("the bound %v is below the wait %v", found, exact)
		}
		kappa := rapid.Float64Range(0, 50).Draw(t, "kappa")
		if got, err := queueing.KingmanMarshall(kappa, lambda, mu); err != nil || got != model.Wait(kappa, lambda, mu) {
			t.Fatalf("the evaluator's wait is %v, not %v, %v", model.Wait(kappa, lambda, mu), got, err)
		}
	})
}

// Outside the domain the bound is an error, never Inf or NaN.
func TestDomain(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for name, c := range map[string][3]float64{ // κ, λ, μ
		"λ = μ": {1, 1, 1}, "λ > μ": {1, 2, 1}, "λ < 0": {1, -1, 1}, "λ NaN": {1, nan, 1}, "μ NaN": {1, 1, nan}, "μ = 0": {1, 0, 0}, "μ Inf": {1, 1, inf},
		"κ < 0": {-1, 1, 2}, "κ NaN": {nan, 1, 2}, "κ Inf": {inf, 1, 2}, "too large": {1e300, 1e100, 2e100},
	} {
		if x, err := queueing.KingmanMarshall(c[0], c[1], c[2]); err == nil || x != 0 {
			t.Errorf("%s: %v, error %v", name, x, err)
		}
	}
	if w, err := queueing.KingmanMarshall(3, 0, 2); w != 0 || err != nil {
		t.Errorf("no arrivals wait %v, %v", w, err)
	}
}

// The exact wait of Poisson arrivals lies in the simulation's confidence interval, and the bound above it.
func TestAgainstLindley(t *testing.T) {
	for seed, c := range []struct{ rho, ca2, cs2 float64 }{{0.5, 1, 1}, {0.8, 1, 1}, {0.7, 1, 0}, {0.7, 1, 4}, {0.8, 0.25, 1}, {0.6, 2, 0.5}, {0.8, 0.25, 0.25}, {0.9, 0.5, 2}} {
		lambda, mu := 2*c.rho, 2.0
		found := simulate(lambda, mu, c.ca2, c.cs2, uint64(seed))
		if !testing.Short() && found.high-found.low > 0.5*found.mean {
			t.Errorf("%+v: interval %v is too wide to say anything", c, found)
		}
		if want := mg1(lambda, mu, c.cs2); c.ca2 == 1 && !found.contains(want) {
			t.Errorf("%+v: M/G/1 waits %v, simulated %v", c, want, found)
		}
		if most := bound(t, lambda, mu, c.ca2, c.cs2); most < found.low {
			t.Errorf("%+v: the bound %v is below the simulated %v", c, most, found)
		}
	}
}
