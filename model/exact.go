package model

import (
	"math"
	"math/big"
)

// exactPrecision is the number of binary digits in which every sum of float64 numbers is exact, and every product of three of them.
const exactPrecision = 8192

// exactExcess is by how much the objective exceeds the value, in exact numbers from the times that the schedule states; nil: the objective is not
// finite. A metric that has no exact form here counts as its value plus its rounding error.
func (e *evaluation) exactExcess(value float64) *big.Rat {
	sum := new(big.Rat)
	for _, t := range e.in.objective {
		if t.Weight == 0 {
			continue
		}
		x := e.exactMetric(t.Metric)
		if x == nil {
			m, _ := MetricNamed(t.Metric)
			v, _ := m.value(e) // finite, as the objective is
			doubt := e.sumError()*math.Abs(v.Total) + e.metricRounding(t.Metric)
			if t.Weight < 0 {
				doubt = -doubt
			}
			x = rational(v.Total + doubt)
		}
		sum.Add(sum, x.Mul(x, rational(t.Weight)))
	}
	return sum.Sub(sum, rational(value))
}

// rational is the exact value of a finite number.
func rational(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }

// exactMetric is the exact value of a metric, or nil if this package computes it in double precision only.
func (e *evaluation) exactMetric(name string) *big.Rat {
	if counts(name) && name != "miss_rate" { // whole numbers
		m, _ := MetricNamed(name)
		v, _ := m.value(e)
		return rational(v.Total)
	}
	var sum exactSum
	switch name {
	case "makespan":
		sum.add(e.lastEnd)
		sum.add(-e.in.firstArrival)
		return sum.over(1)
	case "over_deadline":
		e.eachPlaced(func(k int, j *Job) {
			if e.end[k] > j.Deadline {
				sum.add(e.end[k])
				sum.add(-j.Deadline)
			}
		})
		return sum.over(1)
	case "mean_response", "mean_wait":
		e.eachPlaced(func(k int, j *Job) {
			if !e.isFinished(k) {
				return
			}
			if sum.add(-j.Arrival); name == "mean_wait" {
				sum.add(e.start[k])
			} else {
				sum.add(e.end[k])
			}
		})
		return sum.over(max(1, e.finished))
	case "miss_rate":
		sum.add(100 * float64(e.missed))
		return sum.over(max(1, e.withDeadline))
	case "idle_time":
		for c := range e.in.clusters {
			e.exactIdle(c, 1, &sum)
		}
		return sum.over(1)
	case "mcp":
		return e.exactPerformance()
	case "utilisation":
		return e.exactUtilisation()
	case "cost":
		for k := range e.parts {
			p := &e.parts[k]
			e.in.clusters[p.cluster].eachGroup(p.set, func(m *Machine, processors int) {
				sum.addProduct(m.Cost, float64(processors), p.end)
				sum.addProduct(-m.Cost, float64(processors), p.start)
			})
		}
		return sum.over(1)
	case "energy", "energy_cost", "carbon":
		return e.exactPower(name)
	case "data_moved", "work_done":
		e.eachPlaced(func(k int, j *Job) {
			switch {
			case !e.isFinished(k):
			case name == "work_done":
				sum.add(j.TotalWork())
			default:
				sum.add(j.Input + j.Output)
			}
		})
		return sum.over(1)
	}
	return nil
}

// exactUtilisation is utilisation, in %.
func (e *evaluation) exactUtilisation() *big.Rat {
	var busy, whole exactSum
	for k := range e.parts {
		p := &e.parts[k]
		busy.addProduct(100, float64(p.set.Len()), p.end)
		busy.addProduct(-100, float64(p.set.Len()), p.start)
	}
	processors := float64(e.in.processors)
	whole.addProduct(processors, e.lastEnd)
	whole.addProduct(-processors, e.in.firstArrival)
	share, all := busy.over(1), whole.over(1)
	if all.Sign() == 0 {
		return all
	}
	return share.Quo(share, all)
}

// exactPerformance is mcp.
func (e *evaluation) exactPerformance() *big.Rat {
	mean := new(big.Rat)
	for c := range e.in.clusters {
		w := e.in.clusters[c].Weights
		var weights, sum exactSum
		for _, x := range []float64{w.IdleTime, w.Makespan, w.OverDeadline} {
			weights.add(x)
		}
		whole := weights.over(1)
		if jobs := e.clusters[c].jobs; jobs == 0 || whole.Sign() == 0 {
			continue
		}
		e.exactIdle(c, w.IdleTime, &sum)
		sum.addProduct(w.Makespan, e.lastEndOf(c))
		sum.addProduct(-w.Makespan, e.in.firstArrival)
		e.eachPlaced(func(k int, j *Job) {
			if e.partsOf(k)[0].cluster == c && e.end[k] > j.Deadline {
				sum.addProduct(w.OverDeadline, e.end[k])
				sum.addProduct(-w.OverDeadline, j.Deadline)
			}
		})
		share := sum.over(e.placed)
		share.Mul(share, new(big.Rat).SetInt64(int64(e.clusters[c].jobs)))
		mean.Add(mean, share.Quo(share, whole))
	}
	return mean
}

// exactIdle adds the idle time of a cluster, times a weight.
func (e *evaluation) exactIdle(c int, weight float64, sum *exactSum) {
	processors := float64(e.in.clusters[c].Processors)
	sum.addProduct(weight, processors, e.lastEndOf(c))
	sum.addProduct(-weight, processors, e.in.firstArrival)
	for k := range e.parts {
		if p := &e.parts[k]; p.cluster == c {
			sum.addProduct(-weight, float64(p.set.Len()), p.end)
			sum.addProduct(weight, float64(p.set.Len()), p.start)
		}
	}
}

// lastEndOf is the latest end of a piece on a cluster, not before the earliest arrival.
func (e *evaluation) lastEndOf(c int) float64 {
	last := e.in.firstArrival
	for k := range e.parts {
		if p := &e.parts[k]; p.cluster == c {
			last = max(last, p.end)
		}
	}
	return last
}

// eachPlaced calls yield for each placed job.
func (e *evaluation) eachPlaced(yield func(k int, j *Job)) {
	for k := range e.in.jobs {
		if e.isPlaced(k) {
			yield(k, &e.in.jobs[k])
		}
	}
}

// exactSum adds up float64 numbers and products of them without rounding.
type exactSum struct{ sum, term, factor big.Float }

// add adds a number.
func (s *exactSum) add(x float64) { s.addProduct(x) }

// addProduct adds a product of at most three numbers.
func (s *exactSum) addProduct(x ...float64) {
	s.term.SetPrec(exactPrecision).SetInt64(1)
	for _, factor := range x {
		s.term.Mul(&s.term, s.factor.SetPrec(53).SetFloat64(factor))
	}
	s.sum.Add(&s.sum, &s.term) // the first one sets the precision
}

// over is the sum divided by n.
func (s *exactSum) over(n int) *big.Rat {
	x, _ := s.sum.Rat(nil)
	return x.Quo(x, new(big.Rat).SetInt64(int64(n)))
}
