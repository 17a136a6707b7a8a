// Package simtest makes up traces for tests and benchmarks of the simulation.
package simtest

import (
	"math"
	"math/rand/v2"

	"github.com/allot-opt/allot/sim"
)

// Synthetic is a source of random rigid jobs in constant memory: Poisson arrivals; sizes log-uniform from 1 to Widest,
// every other one rounded to a power of two; run times log-normal with a median of 600 s and a mean of about 31 min, at
// most a day, in whole seconds; estimates 1 to 5 times the run time, rounded up to whole minutes. The shapes are those of
// the traces of the Parallel Workloads Archive (U. Lublin, D. G. Feitelson (2003), The workload on parallel supercomputers,
// J. Parallel Distrib. Comput. 63(11), doi:10.1016/S0743-7315(03)00108-4), not its fits.
type Synthetic struct {
	Jobs       int64   // how many
	Processors int     // of the system
	Widest     int     // most processors of a job; 0: those of the system
	Load       float64 // offered load: processor time that the jobs ask for over the processor time there is
	Seed       uint64

	rng  *rand.Rand
	gap  float64 // mean time between arrivals
	now  float64
	made int64
}

// Next implements [sim.Source].
func (s *Synthetic) Next(spec *sim.Spec) (bool, error) {
	if s.made == s.Jobs {
		return false, nil
	}
	if s.rng == nil {
		s.begin()
	}
	s.made++
	s.now += s.gap * s.rng.ExpFloat64()
	s.draw(s.rng, spec)
	spec.Arrival = math.Floor(s.now)
	return true, nil
}

// begin finds the mean work of a job in a sample of its own, and with it the rate of arrivals.
func (s *Synthetic) begin() {
	if s.Widest == 0 {
		s.Widest = s.Processors
	}
	sample, work := rand.New(rand.NewPCG(1, 2)), 0.0
	const draws = 200_000
	for range draws {
		var spec sim.Spec
		s.draw(sample, &spec)
		work += float64(spec.Processors) * spec.Runtime
	}
	s.gap = work / draws / (s.Load * float64(s.Processors))
	s.rng = rand.New(rand.NewPCG(s.Seed, 3))
}

// draw makes up size, run time and estimate.
func (s *Synthetic) draw(rng *rand.Rand, spec *sim.Spec) {
	const day = 86400
	log := rng.Float64() * math.Log2(float64(s.Widest))
	if rng.IntN(2) == 0 {
		log = math.Round(log)
	}
	spec.Processors = int32(min(max(math.Round(math.Exp2(log)), 1), float64(s.Widest)))
	spec.Runtime = min(math.Ceil(600*math.Exp(1.5*rng.NormFloat64())), day)
	spec.Estimate = 60 * math.Ceil(spec.Runtime*(1+4*rng.Float64())/60)
}
