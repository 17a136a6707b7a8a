package prove

import (
	"maps"
	"math"
	"math/big"
	"slices"
)

// ranking is an objective whose weights rank its metrics: a large weight for what comes first. What is known of it comes from all schedules of a
// small batch, in exact numbers.
type ranking struct {
	objective map[string]float64
	order     []string            // the metrics, the largest weight first
	weight    float64             // that of the first metric
	least     *big.Rat            // the least objective
	figures   map[string]*big.Rat // by metric: its value in the best schedules
	alone     map[string]*big.Rat // by metric: its best value in any schedule
	best      *timetable          // one of the best schedules
	second    *timetable          // the worst of those that have the best first metric; nil: they are all best
}

// priorities draws a batch of at most six jobs, and objectives with weights as priorities. Its times count from long ago or from 0, in units from
// 1e-9 to 1e12. All schedules are enumerated.
func priorities(d *draft) {
	s := &small{}
	s.clock(d)
	s.batch(d)
	if s.exact = s.state(d); !s.exact && d.origin > 1e14 {
		d.fail(errRedraw) // rounding is as large as the steps
		return
	}
	s.enumerate()
	d.planted.small = s
	for range 16 {
		if len(d.planted.rankings) < 3 {
			s.rank(d)
		}
	}
	if len(d.planted.rankings) == 0 {
		d.fail(errRedraw)
		return
	}
	for k := range d.planted.rankings {
		r := &d.planted.rankings[k]
		if d.plan(s.slots(r.best)); r.second != nil {
			d.plan(s.slots(r.second))
		}
	}
	if s.hard() {
		d.planted.MayLeave = true
	}
}

// clock draws the unit and the origin. Long ago is 2023, in seconds, milliseconds and microseconds since 1970.
func (s *small) clock(d *draft) {
	text, origin := pick(d.Rand, "1", "1", "1/4", "1/10"), pick(d.Rand, 0, 0, 1.7e9, 1.7e9, 1.7e12, 1.7e15)
	if d.chance(3) {
		text, origin = pick(d.Rand, "1/1000000000", "1/1073741824", "1/1000", "1000", "1000000000", "1000000000000"), 0
	}
	s.unit, _ = new(big.Rat).SetString(text)
	s.origin = new(big.Rat).SetFloat64(origin)
	d.unit, _ = s.unit.Float64()
	d.origin, d.mass, d.exact = origin, 1, false
}

// batch draws clusters and jobs.
func (s *small) batch(d *draft) {
	clusters := d.between(1, 2)
	fast := clusters == 2 && d.chance(2)
	for c := range clusters {
		one := smallCluster{processors: d.between(1, 4), speed: 1, cost: int64(d.IntN(4))}
		if fast && c == 0 {
			one.speed = 2
		}
		s.clusters = append(s.clusters, one)
	}
	n := d.between(3, 6-clusters+1)
	arrivals, chains, hard, due := d.chance(2), d.chance(3), d.chance(5), d.between(1, 20)
	for j := range n {
		job := smallJob{width: d.between(1, s.widest()), length: pick(d.Rand, 0, 3, d.between(1, 9), d.between(1, 9), d.between(1, 9))}
		if d.chance(3) {
			job.width = 1
		}
		if fast {
			job.length *= 2
		}
		if arrivals && j > 0 {
			job.arrival = d.between(0, 8)
		}
		if chains && j > 0 && d.chance(2) {
			job.after = []int{d.IntN(j)}
		}
		if !d.chance(4) {
			job.deadline = s.at(d.between(1, 4+due))
			job.hard = hard && d.chance(2)
		}
		s.last += job.length
		s.jobs = append(s.jobs, job)
	}
	s.last += 8
}

// widest is the number of processors of the largest cluster.
func (s *small) widest() int {
	most := 0
	for c := range s.clusters {
		most = max(most, s.clusters[c].processors)
	}
	return most
}

// hard says whether a deadline is hard.
func (s *small) hard() bool {
	return slices.ContainsFunc(s.jobs, func(j smallJob) bool { return j.hard })
}

// state writes the batch into the draft and says whether all times of all schedules are float64 numbers. If they are not, no deadline falls on an
// end, where rounding would decide.
func (s *small) state(d *draft) (exact bool) {
	exact = true
	stated := func(x *big.Rat) float64 {
		f, same := x.Float64()
		exact = exact && same
		return f
	}
	for k := range s.last + 1 {
		stated(s.at(k))
		stated(new(big.Rat).Mul(s.unit, count(k)))
	}
	if !exact {
		for j := range s.jobs {
			if due := s.jobs[j].deadline; due != nil {
				due.Add(due, new(big.Rat).Mul(s.unit, big.NewRat(3, 8)))
			}
		}
	}
	for c := range s.clusters {
		d.cluster(s.clusters[c].processors, float64(s.clusters[c].speed))
		d.spec.Clusters[c].Machines[0].Cost = float64(s.clusters[c].cost)
	}
	for j := range s.jobs {
		job := &s.jobs[j]
		work, _ := new(big.Rat).Mul(s.unit, count(job.length)).Float64()
		spec := d.at(d.job(job.width, work))
		spec.Arrival, _ = s.at(job.arrival).Float64()
		if job.deadline != nil {
			due, same := job.deadline.Float64()
			exact = exact && same
			spec.Deadline, spec.DeadlineHard = &due, job.hard
		}
		for _, before := range job.after {
			spec.After = append(spec.After, d.spec.Jobs[before].ID)
		}
	}
	return exact
}

// rank draws an objective and finds its optimum. It adds it to the planted ones if the best schedules by the weights are those that are best by the
// first metric, among these by the second, and so on.
func (s *small) rank(d *draft) {
	firsts := []string{"makespan", "over_deadline", "missed", "miss_rate", "mean_wait", "mean_response", "idle_time", "cost", "mcp", "utilisation", "finished",
		"unfinished", "work_done"}
	lasts := []string{"makespan", "over_deadline", "missed", "mean_wait", "mean_response", "idle_time", "cost", "mcp", "mean_slowdown", "bounded_slowdown"}
	if s.hard() {
		firsts = []string{"finished", "unfinished"}
	}
	weights := pick(d.Rand, []float64{1e3, 1}, []float64{1e6, 1}, []float64{1e9, 1}, []float64{1e16, 1}, []float64{1e12, 1e6, 1}, []float64{1e16, 1e8, 0.25})
	r := ranking{objective: map[string]float64{}, weight: weights[0]}
	for k, weight := range weights {
		list := lasts
		if k == 0 {
			list = firsts
		}
		metric := pick(d.Rand, list...)
		if r.objective[metric] != 0 {
			return
		}
		r.objective[metric], r.order = weight, append(r.order, metric)
	}
	if s.solve(&r) && !slices.ContainsFunc(d.planted.rankings, func(other ranking) bool { return maps.Equal(other.objective, r.objective) }) {
		d.planted.rankings = append(d.planted.rankings, r)
	}
}

// solve fills in what is known of an objective. It returns false if the weights do not rank the metrics of this batch.
func (s *small) solve(r *ranking) bool {
	figures := make([][]*big.Rat, len(s.tables))
	ranks := func(a, b []*big.Rat, from int) int { // by the first metric that differs
		for k := from; k < len(a); k++ {
			if by := a[k].Cmp(b[k]); by != 0 {
				return by
			}
		}
		return 0
	}
	best := 0
	r.alone = map[string]*big.Rat{}
	for k := range s.tables {
		for _, metric := range r.order {
			x := s.figure(metric, &s.tables[k])
			if slices.Contains(highIsBetter, metric) {
				x.Neg(x)
			}
			figures[k] = append(figures[k], x)
			if r.alone[metric] == nil || x.Cmp(r.alone[metric]) < 0 {
				r.alone[metric] = x
			}
		}
		if ranks(figures[k], figures[best], 0) < 0 {
			best = k
		}
	}
	r.best, r.least, r.figures = &s.tables[best], s.sum(r, figures[best]), map[string]*big.Rat{}
	for k, metric := range r.order {
		r.figures[metric] = figures[best][k]
	}
	second := best
	for k := range s.tables {
		if s.sum(r, figures[k]).Cmp(r.least) <= 0 && ranks(figures[k], figures[best], 0) != 0 {
			return false
		}
		if figures[k][0].Cmp(figures[best][0]) == 0 && ranks(figures[k], figures[second], 0) > 0 {
			second = k
		}
	}
	if second != best {
		r.second = &s.tables[second]
	}
	return !s.hard() || s.pays(r)
}

// sum is the objective of the given figures, by rank.
func (s *small) sum(r *ranking, figures []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for k, metric := range r.order {
		term := new(big.Rat).SetFloat64(r.objective[metric])
		sum.Add(sum, term.Mul(term, figures[k]))
	}
	return sum
}

// pays says whether to place one more job is always better, whatever the other metrics become. The enumeration leaves out no job that can be placed.
func (s *small) pays(r *ranking) bool {
	others := new(big.Rat)
	for _, metric := range r.order[1:] {
		term := new(big.Rat).SetFloat64(r.objective[metric])
		others.Add(others, term.Mul(term, r.figures[metric]))
	}
	return others.Cmp(new(big.Rat).SetFloat64(r.weight)) < 0
}

// slack is by how much the rounding of times that are no float64 numbers may change a metric; 0 for exact times. In a small batch no time is the sum
// of more than eight others, so that it is off by at most eight times the spacing at the latest time.
func (s *small) slack(metric string) *big.Rat {
	if s.exact {
		return new(big.Rat)
	}
	latest, _ := s.at(s.last).Float64()
	by := new(big.Rat).SetFloat64(8 * spacing(latest))
	n := count(len(s.jobs))
	switch metric {
	case "makespan", "mean_wait", "mean_response":
		return by
	case "over_deadline":
		return by.Mul(by, n)
	case "idle_time", "cost", "mcp": // at most eight processors of a cost of at most 3
		return by.Mul(by, count(8*3*(1+len(s.jobs))))
	case "mean_slowdown", "bounded_slowdown": // of a job of at least one step
		return by.Mul(ratio(by, s.unit), count(4*s.last))
	case "utilisation": // of a makespan of at least one step
		return by.Mul(ratio(by, s.unit), count(100*8*4))
	case "work_done":
		return by
	}
	return by.SetInt64(0)
}

// slackOf is by how much rounding may change an objective, see slack.
func (s *small) slackOf(objective map[string]float64) *big.Rat {
	sum := new(big.Rat)
	for metric, weight := range objective {
		by := s.slack(metric)
		sum.Add(sum, by.Mul(by, new(big.Rat).SetFloat64(math.Abs(weight))))
	}
	return sum
}

// ranked finds the ranking of an objective; nil: there is none.
func (p *Planted) ranked(objective map[string]float64) *ranking {
	if k := slices.IndexFunc(p.rankings, func(r ranking) bool { return maps.Equal(r.objective, objective) }); k >= 0 {
		return &p.rankings[k]
	}
	return nil
}
