package lists

import (
	"math"
	"math/rand/v2"

	"github.com/allot-opt/allot/search/internal/engine"
)

// ladder holds the temperatures of walks that run side by side, coldest first. It exchanges the walks of neighbouring
// temperatures (parallel tempering: R. H. Swendsen, J.-S. Wang, 1986, Replica Monte Carlo simulation of spin-glasses, Physical
// Review Letters 57(21), doi:10.1103/PhysRevLett.57.2607; C. J. Geyer, 1991). Unlike annealing it need not know how long it
// will run.
//
// Each temperature adapts until its walk accepts the intended share of moves, so nothing need be known about the objective. A
// low share refines a good schedule, a high share looks for a new one.
type ladder struct {
	temperature []float64
	share       []float64 // by rung: intended share of accepted moves
	rng         *rand.Rand
	odd         bool
}

// newLadder makes a ladder with the given number of rungs for walks over the given number of jobs. The highest rung begins at
// the temperature about. A hot walk over many jobs leads nowhere in a reasonable time.
func newLadder(walks engine.Walks, rungs, jobs int, about float64, rng *rand.Rand) *ladder {
	l := &ladder{temperature: make([]float64, rungs), share: make([]float64, rungs), rng: rng}
	hot := heated(walks.Hot, walks.Cold, jobs)
	for k := range l.share {
		step := float64(k) / float64(max(1, rungs-1))
		l.share[k] = walks.Cold * math.Pow(hot/walks.Cold, step)
		l.temperature[k] = max(about, math.SmallestNonzeroFloat64) * math.Pow(0.1, 1-step)
	}
	return l
}

// heated is the share of moves to accept when hottest, from that for 40 jobs: a hot walk over many jobs leads nowhere.
func heated(hot, cold float64, jobs int) float64 {
	return max(3*cold, min(hot, hot*math.Pow(40/float64(jobs), 0.7)))
}

// observe adapts the temperature of rung k to the moves that its walk tried and accepted.
func (l *ladder) observe(k int, tried, accepted int64) {
	l.temperature[k] = adapted(l.temperature[k], l.share[k], tried, accepted)
}

// adapted is a temperature after a round in which a walk accepted some of the moves that it tried, so that it comes to accept the intended share.
func adapted(temperature, intended float64, tried, accepted int64) float64 {
	if tried == 0 {
		return temperature
	}
	const gain = 0.3
	share := (float64(accepted) + 0.5) / (float64(tried) + 1)
	return temperature * min(1.5, max(0.7, math.Pow(intended/share, gain)))
}

// exchange lets the walks of neighbouring rungs change places.
func (l *ladder) exchange(energy func(k int) float64, swap func(i, j int)) {
	l.odd = !l.odd
	k := 0
	if l.odd {
		k = 1
	}
	for ; k+1 < len(l.temperature); k += 2 {
		cold, hot := l.temperature[k], l.temperature[k+1]
		if hot <= cold {
			continue
		}
		x := (energy(k) - energy(k+1)) * (1/cold - 1/hot)
		if x >= 0 || l.rng.Float64() < math.Exp(x) {
			swap(k, k+1)
		}
	}
}
