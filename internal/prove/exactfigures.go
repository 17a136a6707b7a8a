package prove

import (
	"math/big"
	"slices"
)

// highIsBetter lists the metrics of this file that an objective takes negated.
var highIsBetter = []string{"finished", "work_done", "utilisation"}

// figure is the value of a metric of a timetable in exact numbers, by the definition in docs/reference/metrics.md.
func (s *small) figure(metric string, t *timetable) *big.Rat {
	switch metric {
	case "finished":
		return count(s.finished(t))
	case "unfinished":
		return count(len(s.jobs) - s.finished(t))
	case "missed":
		return count(s.missed(t))
	case "miss_rate":
		due := 0
		for j := range s.jobs {
			if s.jobs[j].deadline != nil {
				due++
			}
		}
		return ratio(count(100*s.missed(t)), count(due))
	case "makespan":
		return s.lasting(t, s.everywhere)
	case "mcp":
		return s.performance(t)
	case "utilisation":
		busy, processors := new(big.Rat), 0
		for c := range s.clusters {
			busy.Add(busy, s.busy(t, c))
			processors += s.clusters[c].processors
		}
		whole := s.lasting(t, s.everywhere)
		return ratio(busy.Mul(busy, count(100)), whole.Mul(whole, count(processors)))
	}
	sum, n := new(big.Rat), 0
	for c := range s.clusters {
		switch metric {
		case "idle_time":
			sum.Add(sum, s.idle(t, c))
		case "over_deadline":
			sum.Add(sum, s.over(t, c))
		case "cost":
			busy := s.busy(t, c)
			sum.Add(sum, busy.Mul(busy, new(big.Rat).SetInt64(s.clusters[c].cost)))
		}
	}
	for j := range s.jobs {
		if t.end[j] == nil {
			continue
		}
		response, length := new(big.Rat).Sub(t.end[j], s.at(s.jobs[j].arrival)), new(big.Rat).Sub(t.end[j], t.start[j])
		switch n++; metric {
		case "mean_response":
			sum.Add(sum, response)
		case "mean_wait":
			sum.Add(sum, response.Sub(response, length))
		case "work_done":
			work := count(s.jobs[j].width * s.jobs[j].length) // a rigid job has a task on each processor
			sum.Add(sum, work.Mul(work, s.unit))
		case "mean_slowdown":
			if length.Sign() == 0 {
				n--
			}
			sum.Add(sum, ratio(response, length))
		case "bounded_slowdown":
			if ten := count(10); length.Cmp(ten) < 0 {
				length = ten
			}
			if slow := ratio(response, length); slow.Cmp(count(1)) > 0 {
				sum.Add(sum, slow)
			} else {
				sum.Add(sum, count(1))
			}
		}
	}
	switch metric {
	case "mean_response", "mean_wait", "mean_slowdown", "bounded_slowdown":
		return ratio(sum, count(n))
	}
	return sum
}

// count is a whole number.
func count(n int) *big.Rat { return new(big.Rat).SetInt64(int64(n)) }

// ratio is a/b; 0 where b is 0.
func ratio(a, b *big.Rat) *big.Rat {
	if b.Sign() == 0 {
		return new(big.Rat)
	}
	return new(big.Rat).Quo(a, b)
}

// everywhere stands for all clusters.
func (s *small) everywhere(int) bool { return true }

// only stands for one cluster.
func only(c int) func(int) bool { return func(other int) bool { return other == c } }

// lasting is the latest end in the clusters, counted from the earliest arrival; 0 without jobs there.
func (s *small) lasting(t *timetable, in func(cluster int) bool) *big.Rat {
	last := s.first()
	for j := range s.jobs {
		if t.end[j] != nil && in(t.cluster[j]) && t.end[j].Cmp(last) > 0 {
			last = t.end[j]
		}
	}
	return new(big.Rat).Sub(last, s.first())
}

// first is the earliest arrival.
func (s *small) first() *big.Rat {
	step := s.jobs[0].arrival
	for j := range s.jobs {
		step = min(step, s.jobs[j].arrival)
	}
	return s.at(step)
}

// busy is the processor time that the jobs hold in a cluster.
func (s *small) busy(t *timetable, c int) *big.Rat {
	sum := new(big.Rat)
	for j := range s.jobs {
		if t.end[j] != nil && t.cluster[j] == c {
			held := new(big.Rat).Sub(t.end[j], t.start[j])
			sum.Add(sum, held.Mul(held, count(s.jobs[j].width)))
		}
	}
	return sum
}

// idle is the idle time of a cluster.
func (s *small) idle(t *timetable, c int) *big.Rat {
	whole := s.lasting(t, only(c))
	return whole.Sub(whole.Mul(whole, count(s.clusters[c].processors)), s.busy(t, c))
}

// over is the time over deadlines of the jobs of a cluster.
func (s *small) over(t *timetable, c int) *big.Rat {
	sum := new(big.Rat)
	for j := range s.jobs {
		if due := s.jobs[j].deadline; due != nil && t.end[j] != nil && t.cluster[j] == c && t.end[j].Cmp(due) > 0 {
			sum.Add(sum, new(big.Rat).Sub(t.end[j], due))
		}
	}
	return sum
}

// performance is mcp with the weights that a cluster has by default, 1 each.
func (s *small) performance(t *timetable) *big.Rat {
	sum, placed := new(big.Rat), 0
	for c := range s.clusters {
		jobs := 0
		for j := range s.jobs {
			if t.end[j] != nil && t.cluster[j] == c {
				jobs++
			}
		}
		placed += jobs
		one := s.idle(t, c)
		one.Add(one, s.over(t, c))
		one.Add(one, s.lasting(t, only(c)))
		sum.Add(sum, one.Mul(one, count(jobs)))
	}
	return ratio(sum, count(3*placed))
}

// finished counts the jobs that are placed and meet their deadline if it is hard.
func (s *small) finished(t *timetable) int {
	n := 0
	for j := range s.jobs {
		if t.end[j] != nil && !(s.jobs[j].hard && isLate(t.end[j], s.jobs[j].deadline)) {
			n++
		}
	}
	return n
}

// missed counts the jobs with a deadline that are late or left out.
func (s *small) missed(t *timetable) int {
	n := 0
	for j := range s.jobs {
		if due := s.jobs[j].deadline; due != nil && (t.end[j] == nil || isLate(t.end[j], due)) {
			n++
		}
	}
	return n
}

// weighted is the objective of a timetable: the sum of its metrics times their weights, negated where high is better.
func (s *small) weighted(objective map[string]float64, t *timetable) *big.Rat {
	sum := new(big.Rat)
	for metric, weight := range objective {
		x := s.figure(metric, t)
		x.Mul(x, new(big.Rat).SetFloat64(weight))
		if slices.Contains(highIsBetter, metric) {
			x.Neg(x)
		}
		sum.Add(sum, x)
	}
	return sum
}
