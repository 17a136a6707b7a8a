package queueing_test

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/allot-opt/allot/queueing"
)

// interval is an estimate of a mean with a confidence interval.
type interval struct{ Mean, Low, High float64 }

// contains says whether the value lies in the interval.
func (i interval) contains(x float64) bool { return i.Low <= x && x <= i.High }

// simulation is a run of a single-server queue, first come first served.
type simulation struct {
	Interarrival func() float64 // draws a time between arrivals
	Service      func() float64 // draws a service time
	Jobs         int            // number of jobs whose waits count
	WarmUp       int            // number of jobs before them whose waits do not count
	Batches      int            // number of batches of the jobs; 0: 30
	Confidence   float64        // probability with which the interval contains the mean, in (0, 1); 0: 0.99
}

// simulateQueue estimates the mean wait in the queue by Lindley's recursion, W' = max(0, W + S − A), with a confidence interval by
// batch means: the means of consecutive batches are nearly independent and normal, so that Student's t with batches − 1
// degrees of freedom gives the interval.
//
// D. V. Lindley (1952), The theory of queues with a single server, Math. Proc. Cambridge Phil. Soc. 48(2),
// doi:10.1017/S0305004100027638; for batch means A. M. Law, W. D. Kelton (2000), Simulation Modelling and Analysis, 3rd ed., §9.5.3.
// Complexity: O(jobs) draws.
func simulateQueue(s simulation) (interval, error) {
	if s.Batches == 0 {
		s.Batches = 30
	}
	if s.Confidence == 0 {
		s.Confidence = 0.99
	}
	if s.Interarrival == nil || s.Service == nil || s.Batches < 2 || s.Jobs < s.Batches || s.WarmUp < 0 || !(s.Confidence > 0 && s.Confidence < 1) {
		return interval{}, fmt.Errorf("%w: expected two distributions, at least 2 batches and as many jobs, a warm-up of at least 0 and a confidence between 0 and 1", queueing.ErrDomain)
	}
	wait := 0.0
	for range s.WarmUp {
		wait = max(0, wait+s.Service()-s.Interarrival())
	}
	size := s.Jobs / s.Batches
	means := make([]float64, s.Batches)
	for b := range means {
		for range size {
			means[b] += wait / float64(size)
			wait = max(0, wait+s.Service()-s.Interarrival())
		}
	}
	mean, deviation := stat.MeanStdDev(means, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(s.Batches - 1)}.Quantile(0.5 + s.Confidence/2)
	half := t * deviation / math.Sqrt(float64(s.Batches))
	if math.IsNaN(mean) || math.IsInf(mean, 0) {
		return interval{}, fmt.Errorf("%w: a draw was not a finite number", queueing.ErrDomain)
	}
	return interval{mean, mean - half, mean + half}, nil
}
