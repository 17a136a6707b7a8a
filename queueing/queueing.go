// Package queueing bounds how long jobs wait in a queue. Machines of a cluster can be seen as G/G/1 queues: one server each, with any distribution of the
// times between arrivals and of the service times. Package queueing/ggone allocates tasks to such machines by this bound.
package queueing

import (
	"fmt"
	"math"
)

// KingmanMarshall is an upper bound of the mean wait in G/G/1, κ·λ/(1 − λ/μ), for the arrival rate λ and the service rate μ, both in 1/time, and
// κ = (σA² + σS²)/2 in time², half of the sum of the variances of the times between arrivals and of the service times. The wait is the time in the
// queue, without the service. The bound is exact in the limit of heavy traffic.
//
// The error says which number is outside the domain: κ ≥ 0, 0 ≤ λ < μ, all finite, and a wait that a float64 can hold. Complexity: O(1).
//
// Source: J. F. C. Kingman (1962), Some inequalities for the queue GI/G/1, Biometrika 49(3–4), doi:10.1093/biomet/49.3-4.315; K. T. Marshall (1968),
// Some inequalities in queuing, Operations Research 16(3), doi:10.1287/opre.16.3.651.
func KingmanMarshall(kappa, lambda, mu float64) (float64, error) {
	switch {
	case !(mu > 0) || math.IsInf(mu, 1):
		return 0, fmt.Errorf("expected a finite service rate > 0, found %v", mu)
	case !(lambda >= 0) || lambda >= mu:
		return 0, fmt.Errorf("expected an arrival rate of at least 0 and below that of the service, %v; found %v", mu, lambda)
	case !(kappa >= 0) || math.IsInf(kappa, 1):
		return 0, fmt.Errorf("expected a finite kappa of at least 0, found %v", kappa)
	}
	wait := kappa * lambda / (1 - lambda/mu)
	if math.IsInf(wait, 0) || math.IsNaN(wait) {
		return 0, fmt.Errorf("the wait at an arrival rate of %v and a service rate of %v is too large for a float64", lambda, mu)
	}
	return wait, nil
}
