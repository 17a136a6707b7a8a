package queueing_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// interval is an estimate of a mean with a confidence interval.
type interval struct{ mean, low, high float64 }

// contains says whether the value lies in the interval.
func (i interval) contains(x float64) bool { return i.low <= x && x <= i.high }

// lindley estimates the mean wait of a number of jobs in the queue of a single server, first come first served, by Lindley's recursion,
// W' = max(0, W + S − A), after a number of jobs that do not count. The interval is by batch means: the means of consecutive batches are nearly
// independent and normal, so that Student's t with batches − 1 degrees of freedom gives it; it holds with probability 0.999.
//
// D. V. Lindley (1952), The theory of queues with a single server, Math. Proc. Cambridge Phil. Soc. 48(2),
// doi:10.1017/S0305004100027638; for batch means A. M. Law, W. D. Kelton (2000), Simulation Modelling and Analysis, 3rd ed., §9.5.3.
func lindley(gap, service func() float64, jobs, warmUp, batches int) interval {
	wait := 0.0
	for range warmUp {
		wait = max(0, wait+service()-gap())
	}
	size := jobs / batches
	means := make([]float64, batches)
	for b := range means {
		for range size {
			means[b] += wait / float64(size)
			wait = max(0, wait+service()-gap())
		}
	}
	mean, deviation := stat.MeanStdDev(means, nil)
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(batches - 1)}.Quantile(0.5 + 0.999/2)
	half := t * deviation / math.Sqrt(float64(batches))
	return interval{mean, mean - half, mean + half}
}

// simulate runs a queue of gamma distributions with the given means and squared coefficients of variation.
func simulate(lambda, mu, ca2, cs2 float64, seed uint64) interval {
	src := rand.NewPCG(seed, 11)
	gamma := func(mean, cv2 float64) func() float64 {
		if cv2 == 0 {
			return func() float64 { return mean }
		}
		d := distuv.Gamma{Alpha: 1 / cv2, Beta: 1 / (cv2 * mean), Src: src}
		return d.Rand
	}
	jobs := 400_000
	if testing.Short() {
		jobs = 100_000
	}
	return lindley(gamma(1/lambda, ca2), gamma(1/mu, cs2), jobs, 20_000, 30)
}

// The recursion itself: services 2, 2, 0, 1 at gaps 1, 1, 3, 1 wait 0, 1, 2, 0.
func TestLindleyByHand(t *testing.T) {
	services, gaps, k := []float64{2, 2, 0, 1}, []float64{1, 1, 3, 1}, 0
	found := lindley(func() float64 { k++; return gaps[(k-1)%4] }, func() float64 { return services[k%4] }, 4, 0, 2)
	if found.mean != 0.75 {
		t.Errorf("mean wait %v, expected (0 + 1 + 2 + 0)/4", found.mean)
	}
}
