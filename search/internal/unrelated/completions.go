package unrelated

import "math"

// completions estimates how many ways there are to place the jobs that are left on the machines that are left, within the limits of the loads.
// Let w be the weighted times and l the limits. The number is the inverse Laplace transform of Π_j Σ_i exp(−μ_i·w_ij) / Π_i μ_i at l; its saddle
// point in μ gives an estimate, which proves nothing. The logarithm of the estimate at fixed μ is a sum over the jobs, so partial schedules
// are compared quickly at the μ of their mean; the curvature there corrects it for each.
type completions struct {
	p        *problem
	machines []int32   // those that are left
	limit    []float64 // by machine of the problem
	share    []float64 // by job: how much of it is left, 0 to 1; a mean over partial schedules
	mu       []float64 // by machine of the problem
	count    float64   // logarithm of the estimate for the mean
	inverse  []float64 // of the curvature in μ, by row and column over machines
	spread   float64   // ½·log det(2π·curvature)
	value    []float64 // by job: −log Σ_i exp(−μ_i·w_ij), what it costs the count to be left
	load     []float64 // by job, and index in machines: expected weighted load
	gradient []float64
}

// faint is the exponent below which a machine is left out for a job.
const faint = 30

// weights fills load of job k with its probabilities at μ, and sets its value.
func (e *completions) weights(k int) []float64 {
	q := e.load[k*len(e.mu):][:len(e.machines)]
	least := math.Inf(1)
	for u, i := range e.machines {
		q[u] = e.mu[i] * e.p.weighted(k, int(e.p.clusterOf[i]))
		least = min(least, q[u])
	}
	sum := 0.0
	for u, x := range q {
		q[u] = 0
		if x-least < faint {
			q[u] = math.Exp(least - x)
			sum += q[u]
		}
	}
	for u := range q {
		q[u] /= sum
	}
	e.value[k] = least - math.Log(sum)
	return q
}

// newton makes one step towards the saddle point. It returns by about how much the step lowers the count: the square of its length, measured by
// the curvature. Without a number that makes sense it returns NaN.
func (e *completions) newton() float64 {
	n := len(e.machines)
	curve := make([]float64, n*n)
	e.gradient = e.gradient[:0]
	e.count = 0
	for u, i := range e.machines {
		e.gradient = append(e.gradient, e.limit[i]-1/e.mu[i])
		curve[u*n+u] = 1 / (e.mu[i] * e.mu[i])
		e.count += e.mu[i]*e.limit[i] - math.Log(e.mu[i])
	}
	near := make([]int, 0, n)
	for k, share := range e.share {
		if share == 0 {
			continue
		}
		q := e.weights(k)
		e.count -= share * e.value[k]
		near = near[:0]
		for u, x := range q {
			if x == 0 {
				continue
			}
			w := e.p.weighted(k, int(e.p.clusterOf[e.machines[u]]))
			q[u] = x * w
			e.gradient[u] -= share * q[u]
			curve[u*n+u] += share * q[u] * w
			near = append(near, u)
		}
		for _, u := range near {
			for _, l := range near {
				curve[u*n+l] -= share * q[u] * q[l]
			}
		}
	}
	logDet := 0.0
	e.inverse, logDet = invert(curve, n, e.inverse)
	e.spread = 0.5 * (float64(n)*math.Log(2*math.Pi) + logDet)
	e.count -= e.spread
	length, scale := 0.0, 1.0
	step := curve[:n] // its numbers are not needed any more
	for u, i := range e.machines {
		step[u] = 0
		for l, g := range e.gradient {
			step[u] -= e.inverse[u*n+l] * g
		}
		length -= step[u] * e.gradient[u]
		scale = min(scale, 0.5*e.mu[i]/math.Abs(step[u]))
	}
	if length < fitted {
		return length // load, value and curvature belong to this μ
	}
	for u, i := range e.machines {
		e.mu[i] += scale * step[u]
	}
	if !(length < math.Inf(1)) {
		return math.NaN()
	}
	return length
}

// termsEach is the number of terms, each of a job on a machine, that count as one evaluation: they take about as long as a proposed move.
const termsEach = 8

// fitted is the length of a step of newton below which μ stays.
const fitted = 1e-4

// fit finds the saddle point. It raises the limits of the machines until the count is at least floor. It returns the evaluations made, and false
// where it found nothing or stop returned true.
func (e *completions) fit(floor float64, stop func() bool) (evaluations int64, ok bool) {
	for range 400 {
		evaluations += int64(len(e.share) * len(e.machines) / termsEach)
		length := e.newton()
		if length != length || stop() {
			return evaluations, false
		}
		far := e.mu[e.machines[0]] > 1e12 // no fractions of the jobs keep the limits
		if length >= fitted && !far {
			continue
		}
		if e.count >= floor && !far {
			return evaluations, true
		}
		slope := 0.0
		for _, i := range e.machines {
			slope += e.mu[i] * e.limit[i]
		}
		rise := 1 + min(5e-4, max(1e-5, (floor-e.count)/slope))
		for _, i := range e.machines {
			e.limit[i] *= rise
			if far {
				e.mu[i] = firstMu(e.p)
			}
		}
	}
	return evaluations, false
}

// firstMu is where the search for the saddle point begins.
func firstMu(p *problem) float64 { return 20 * float64(len(p.jobs)) }

// base is the part of −count that does not depend on the jobs.
func (e *completions) base() float64 {
	base := e.spread
	for _, i := range e.machines {
		base -= e.mu[i]*e.limit[i] - math.Log(e.mu[i])
	}
	return base
}

// bend is by how much −count rises if μ follows the expected loads, by index in machines.
func (e *completions) bend(loads []float64) float64 {
	n := len(e.machines)
	g := e.gradient[:n]
	for u, i := range e.machines {
		g[u] = e.limit[i] - 1/e.mu[i] - loads[u]
	}
	sum := 0.0
	for u := range g {
		x := 0.0
		for l, y := range e.inverse[u*n:][:n] {
			x += y * g[l]
		}
		sum += x * g[u]
	}
	return sum / 2
}

// invert returns the inverse of a positive definite n×n matrix, and the logarithm of its determinant. It overwrites the matrix, and result where
// that is long enough.
func invert(matrix []float64, n int, result []float64) ([]float64, float64) {
	if len(result) < n*n {
		result = make([]float64, n*n)
	}
	result = result[:n*n]
	clear(result)
	logDet := 0.0
	for u := range n {
		result[u*n+u] = 1
	}
	for c := range n {
		pivot := matrix[c*n+c]
		logDet += math.Log(pivot)
		for l := range n {
			matrix[c*n+l] /= pivot
			result[c*n+l] /= pivot
		}
		for u := range n {
			if f := matrix[u*n+c]; u != c && f != 0 {
				for l := range n {
					matrix[u*n+l] -= f * matrix[c*n+l]
					result[u*n+l] -= f * result[c*n+l]
				}
			}
		}
	}
	return result, logDet
}
