package prove

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/allot-opt/allot/milp"
	"github.com/allot-opt/allot/model"
)

// timeIndexed states a batch of rigid jobs as a MILP over the starts: x_jct is 1 if job j starts at time t on cluster c. All times are whole
// multiples of the unit, so every metric that grows with the ends has an optimum with whole starts.
type timeIndexed struct {
	*draft
	processors []int   // by cluster
	width      []int   // by job
	length     [][]int // by job and cluster; −1: the job cannot run there
	arrival    []int
	deadline   []int // −1: none
	copies     []int // copies of the licence that each job needs
	pool       int   // all copies of the licence; 0: there is no licence
	after      [][]int
	horizon    int // in some optimum every job has ended by this time
}

// clustersByMILP draws a batch of 8 to 14 jobs on up to three clusters, with arrivals, precedence and a licence, and a metric to minimise.
func clustersByMILP(d *draft) {
	t := &timeIndexed{draft: d}
	t.drawJobs()
	if d.instance() == nil {
		return
	}
	metric := pick(d.Rand, "makespan", "mean_response", "over_deadline", "mean_wait", "missed")
	m, starts := t.state(metric)
	result, ok := d.solved(m)
	if !ok {
		return
	}
	total := math.Round(result.Objective) // a sum of whole numbers
	if math.Abs(total-result.Objective) > 1e-3 || math.Ceil(result.Bound.Or(math.Inf(-1))-1e-3) < total {
		d.fail(errRedraw)
		return
	}
	d.plan(t.schedule(starts, result.Values))
	switch metric {
	case "mean_response", "mean_wait":
		total *= d.unit / float64(len(t.width))
	case "makespan", "over_deadline":
		total *= d.unit
	}
	d.optimum(metric, total)
	d.ask("mcp")
	d.weights()
}

// drawJobs draws the batch and writes it into the draft.
func (t *timeIndexed) drawJobs() {
	clusters, n := t.between(1, 3), t.between(8, 14)
	speeds, runtimes := make([]int, clusters), t.chance(3)
	for c := range clusters {
		t.processors = append(t.processors, t.between(3-2*min(c, 1), 5))
		speeds[c] = 1 + t.IntN(2)*t.IntN(2)
		t.cluster(t.processors[c], float64(speeds[c]))
	}
	if t.chance(4) {
		t.pool = t.between(1, 3)
		t.spec.Licences = map[string]int{"l": t.pool}
	}
	arrivals, chains, latest := t.chance(2), t.chance(2), 0
	for j := range n {
		t.width = append(t.width, t.between(1, 3))
		steps := 2 * pick(t.Rand, 0, t.between(1, 2), t.between(1, 2), t.between(1, 2), 3)
		job := t.at(t.job(t.width[j], float64(steps)*t.unit))
		if runtimes {
			job.Work, job.Runtime = nil, map[string]float64{}
		}
		t.length = append(t.length, nil)
		for c := range clusters {
			length := steps / speeds[c]
			if runtimes {
				length = t.between(0, 5)
				job.Runtime[t.spec.Clusters[c].ID] = float64(length) * t.unit
			}
			if t.width[j] > t.processors[c] {
				length = -1
			}
			t.length[j] = append(t.length[j], length)
		}
		t.arrival, t.deadline, t.copies, t.after = append(t.arrival, 0), append(t.deadline, -1), append(t.copies, 0), append(t.after, nil)
		if arrivals && j > 0 {
			t.arrival[j] = t.between(0, 8)
			job.Arrival = t.origin + float64(t.arrival[j])*t.unit
		}
		if !t.chance(4) {
			t.deadline[j] = t.between(0, 14)
			job.Deadline = new(t.origin + float64(t.deadline[j])*t.unit)
		}
		if t.pool > 0 && t.chance(2) {
			t.copies[j] = t.between(1, t.pool)
			job.Licences = map[string]int{"l": t.copies[j]}
		}
		if chains && j > 0 && t.chance(2) {
			t.after[j] = []int{t.IntN(j)}
			job.After = []string{t.spec.Jobs[t.after[j][0]].ID}
		}
		latest = max(latest, t.arrival[j])
		t.horizon += max(0, slices.Max(t.length[j]))
	}
	t.horizon += latest // in some optimum a job runs at every instant after the last arrival
}

// start is a variable: the job starts at the time on the cluster.
type start struct {
	job, cluster, time int
	x                  milp.Var
}

// state states the batch with the metric as a sum of whole numbers.
func (t *timeIndexed) state(metric string) (*milp.Model, []start) {
	m, latest := &milp.Model{Name: "time-indexed"}, milp.Variable{Upper: float64(t.horizon)}
	if metric == "makespan" {
		latest.Cost = 1
	}
	last := m.Add(latest)
	var starts []start
	for j := range t.width {
		var one []milp.Term
		end := []milp.Term{{Var: last, Coefficient: -1}}
		for c, length := range t.length[j] {
			for at := t.arrival[j]; length >= 0 && at+length <= t.horizon; at++ {
				x := m.Add(milp.Variable{Upper: 1, Integer: true, Cost: t.cost(metric, j, at, at+length)})
				starts = append(starts, start{j, c, at, x})
				one = append(one, milp.Term{Var: x, Coefficient: 1})
				if at+length > 0 {
					end = append(end, milp.Term{Var: x, Coefficient: float64(at + length)})
				}
			}
		}
		m.AddRow(fmt.Sprint("one", j), 1, 1, one...)
		if metric == "makespan" {
			m.AddRow(fmt.Sprint("end", j), math.Inf(-1), 0, end...)
		}
	}
	t.capacities(m, starts)
	t.precedence(m, starts)
	return m, starts
}

// cost returns the part of the metric that a start causes.
func (t *timeIndexed) cost(metric string, job, at, end int) float64 {
	switch {
	case metric == "mean_response":
		return float64(end - t.arrival[job])
	case metric == "mean_wait":
		return float64(at - t.arrival[job])
	case metric == "over_deadline" && t.deadline[job] >= 0:
		return float64(max(0, end-t.deadline[job]))
	case metric == "missed" && t.deadline[job] >= 0 && end > t.deadline[job]:
		return 1
	}
	return 0
}

// capacities limits the processors in use in each step on each cluster, and the copies of the licence.
func (t *timeIndexed) capacities(m *milp.Model, starts []start) {
	for step := range t.horizon {
		rows, licence := make([][]milp.Term, len(t.processors)), []milp.Term(nil)
		for _, s := range starts {
			if step < s.time || step >= s.time+t.length[s.job][s.cluster] {
				continue
			}
			rows[s.cluster] = append(rows[s.cluster], milp.Term{Var: s.x, Coefficient: float64(t.width[s.job])})
			if t.copies[s.job] > 0 {
				licence = append(licence, milp.Term{Var: s.x, Coefficient: float64(t.copies[s.job])})
			}
		}
		for c := range rows {
			m.AddRow("", math.Inf(-1), float64(t.processors[c]), rows[c]...)
		}
		if t.pool > 0 {
			m.AddRow("", math.Inf(-1), float64(t.pool), licence...)
		}
	}
}

// precedence lets a job start at a time only if the jobs that it waits for have ended by then.
func (t *timeIndexed) precedence(m *milp.Model, starts []start) {
	for j := range t.after {
		for _, before := range t.after[j] {
			for step := range t.horizon + 1 {
				var terms []milp.Term
				for _, s := range starts {
					switch {
					case s.job == j && s.time <= step:
						terms = append(terms, milp.Term{Var: s.x, Coefficient: 1})
					case s.job == before && s.time+t.length[before][s.cluster] <= step:
						terms = append(terms, milp.Term{Var: s.x, Coefficient: -1})
					}
				}
				m.AddRow("", math.Inf(-1), 0, terms...)
			}
		}
	}
}

// schedule turns the starts into a plan and chooses free processors.
func (t *timeIndexed) schedule(starts []start, values []float64) []slot {
	var chosen []start
	for _, s := range starts {
		if values[s.x] > 0.5 {
			chosen = append(chosen, s)
		}
	}
	slices.SortStableFunc(chosen, func(a, b start) int { // jobs of length 0 first, and before the jobs that wait for them
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(min(1, t.length[a.job][a.cluster]), min(1, t.length[b.job][b.cluster])), cmp.Compare(a.job, b.job))
	})
	free := make([][]int, len(t.processors))
	for c := range free {
		free[c] = make([]int, t.processors[c])
	}
	var plan []slot
	for _, s := range chosen {
		var ids []int
		length := t.length[s.job][s.cluster]
		for p := range free[s.cluster] {
			if len(ids) < t.width[s.job] && (length == 0 || free[s.cluster][p] <= s.time) {
				ids = append(ids, p)
				free[s.cluster][p] = max(free[s.cluster][p], s.time+length)
			}
		}
		plan = append(plan, slot{job: s.job, cluster: s.cluster, set: model.Processors(ids...), notBefore: t.origin + float64(s.time)*t.unit})
	}
	return plan
}
