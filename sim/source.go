package sim

import (
	"math"
	"math/rand/v2"
)

// Trace is a source of jobs that all lie in memory, in order of arrival.
type Trace struct {
	Jobs []Spec
	at   int
}

// Next implements Source.
func (t *Trace) Next(s *Spec) (bool, error) {
	if t.at == len(t.Jobs) {
		return false, nil
	}
	*s = t.Jobs[t.at]
	t.at++
	return true, nil
}

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

// Next implements Source.
func (s *Synthetic) Next(spec *Spec) (bool, error) {
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
		var spec Spec
		s.draw(sample, &spec)
		work += float64(spec.Processors) * spec.Runtime
	}
	s.gap = work / draws / (s.Load * float64(s.Processors))
	s.rng = rand.New(rand.NewPCG(s.Seed, 3))
}

// draw makes up size, run time and estimate.
func (s *Synthetic) draw(rng *rand.Rand, spec *Spec) {
	const day = 86400
	log := rng.Float64() * math.Log2(float64(s.Widest))
	if rng.IntN(2) == 0 {
		log = math.Round(log)
	}
	spec.Processors = int32(min(max(math.Round(math.Exp2(log)), 1), float64(s.Widest)))
	spec.Runtime = min(math.Ceil(600*math.Exp(1.5*rng.NormFloat64())), day)
	spec.Estimate = 60 * math.Ceil(spec.Runtime*(1+4*rng.Float64())/60)
}
