package lists

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/search/internal/engine"
)

// Walks whose share of accepted moves grows with the temperature come to the shares that their rungs ask for.
func TestLadderFindsItsTemperatures(t *testing.T) {
	l := newLadder(engine.DefaultWalks(), 4, 40, 1000, rand.New(rand.NewPCG(1, 1)))
	accepts := func(temperature float64) float64 { return temperature / (temperature + 50) }
	for range 200 {
		for k := range l.share {
			l.observe(k, 10_000, int64(10_000*accepts(l.temperature[k])))
		}
	}
	for k, want := range l.share {
		if got := accepts(l.temperature[k]); math.Abs(got-want) > 0.1*want {
			t.Errorf("rung %d accepts %.4f at temperature %v, expected %.4f", k, got, l.temperature[k], want)
		}
	}
	if l.share[0] != engine.DefaultWalks().Cold || math.Abs(l.share[3]-engine.DefaultWalks().Hot) > 1e-12 {
		t.Errorf("shares %v, expected from %v to %v", l.share, engine.DefaultWalks().Cold, engine.DefaultWalks().Hot)
	}
}

// Exchanged by Metropolis's rule, walks over a known landscape are found in each state as often as Boltzmann says.
func TestLadderExchangesLeaveBoltzmann(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	l := newLadder(engine.DefaultWalks(), 2, 40, 1, rng)
	l.temperature[0], l.temperature[1] = 0.5, 2
	energies := []float64{0, 1, 3} // of the states
	state := []int{0, 0}
	count := make([]float64, len(energies))
	const rounds = 200_000
	for range rounds {
		for k := range state {
			next := rng.IntN(len(energies))
			if rng.Float64() < math.Exp((energies[state[k]]-energies[next])/l.temperature[k]) {
				state[k] = next
			}
		}
		l.exchange(func(k int) float64 { return energies[state[k]] }, func(i, j int) { state[i], state[j] = state[j], state[i] })
		count[state[0]]++
	}
	sum := 0.0
	for _, e := range energies {
		sum += math.Exp(-e / 0.5)
	}
	for k, e := range energies {
		want := math.Exp(-e/0.5) / sum
		if got := count[k] / rounds; math.Abs(got-want) > 0.01 {
			t.Errorf("state of energy %v: share %.4f, Boltzmann's is %.4f", e, got, want)
		}
	}
}
