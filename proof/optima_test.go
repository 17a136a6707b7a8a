package proof_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// tiny is a random instance of up to four jobs, whose optimum is found by trying every order of them on all clusters.
func tiny(t testing.TB, rng *rand.Rand) *model.Instance {
	b := model.NewBuilder("tiny")
	for c := range 1 + rng.IntN(2) {
		b.Cluster(cluster(string(rune('x'+c)), 1+rng.IntN(4), float64(1+rng.IntN(2))))
	}
	if rng.IntN(3) == 0 {
		b.Spec().Licences = map[string]int{"l": 2}
	}
	unit := []float64{1, 0.1, 0.3125}[rng.IntN(3)]
	for k := range 2 + rng.IntN(3) {
		j := job(string(rune('a'+k)), 1+rng.IntN(2), float64(1+rng.IntN(6))*unit)
		if rng.IntN(2) == 0 {
			j.Arrival = float64(rng.IntN(4)) * unit
		}
		if rng.IntN(2) == 0 {
			j.Deadline = new(float64(rng.IntN(8)) * unit)
		}
		if k > 0 && rng.IntN(3) == 0 {
			j.After = []string{string(rune('a' + rng.IntN(k)))}
		}
		if b.Spec().Licences != nil && rng.IntN(2) == 0 {
			j.Licences = map[string]int{"l": 1 + rng.IntN(2)}
		}
		b.Job(j)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for j := range in.Jobs() {
		if !slices.ContainsFunc(in.Clusters(), func(c model.Cluster) bool { at, _ := in.ClusterIndex(c.ID); return in.CanRun(j, at) }) {
			return tiny(t, rng)
		}
	}
	return in
}

// run is a job in a schedule.
type run struct {
	job, cluster, size int
	start, end         float64
}

// optima are the least values of the metrics over all schedules in which no job can start earlier: every order of the starts, on all clusters.
func optima(in *model.Instance) map[string]float64 {
	least := map[string]float64{}
	var extend func(plan []run, left int)
	extend = func(plan []run, left int) {
		if left == 0 {
			for metric, value := range costs(in, plan) {
				if old, known := least[metric]; !known || value < old {
					least[metric] = value
				}
			}
			return
		}
		for j := range in.Jobs() {
			if left&(1<<j) == 0 {
				continue
			}
			for c := range in.Clusters() {
				if next, ok := early(in, plan, j, c); ok {
					extend(append(plan[:len(plan):len(plan)], next), left&^(1<<j))
				}
			}
		}
	}
	extend(nil, 1<<len(in.Jobs())-1)
	return least
}

// early places a job on a cluster as early as it can start, but not before the last start; false: it waits for a job without a place, or cannot run.
func early(in *model.Instance, plan []run, j, c int) (run, bool) {
	if !in.CanRun(j, c) {
		return run{}, false
	}
	size, _ := in.Width(j, c)
	from := in.Jobs()[j].Arrival
	for _, before := range in.Jobs()[j].After {
		k := slices.IndexFunc(plan, func(r run) bool { return r.job == before })
		if k < 0 {
			return run{}, false
		}
		from = max(from, plan[k].end)
	}
	if len(plan) > 0 {
		from = max(from, plan[len(plan)-1].start)
	}
	copies := func(k int) (n int) {
		for _, need := range in.Jobs()[k].Licences {
			n += need.Copies
		}
		return n
	}
	room, pool := math.MaxInt, func(int) int { return -1 } // by cluster: the pool of the licence, if there is one
	if len(in.Licences()) > 0 {
		room, _ = in.Pool(c, 0)
		pool = func(c int) int {
			if _, own := in.Pool(c, 0); own {
				return c
			}
			return -1
		}
	}
	for {
		held, licences, next := size, copies(j), math.Inf(1)
		for _, r := range plan {
			if r.end <= from {
				continue
			}
			next = min(next, r.end)
			if pool(r.cluster) == pool(c) {
				licences += copies(r.job)
			}
			if r.cluster == c {
				held += r.size
			}
		}
		if held <= in.Clusters()[c].Processors && licences <= room {
			return run{j, c, size, from, from + in.DurationOn(j, c, size)}, true
		}
		from = next
	}
}

// costs are the metrics of a schedule of all jobs.
func costs(in *model.Instance, plan []run) map[string]float64 {
	found := map[string]float64{}
	n := float64(len(plan))
	type sums struct{ jobs, last, busy, over float64 }
	clusters := make([]sums, len(in.Clusters()))
	for _, r := range plan {
		job, c := &in.Jobs()[r.job], &clusters[r.cluster]
		over := max(0, r.end-job.Deadline)
		found["makespan"] = max(found["makespan"], r.end-in.FirstArrival())
		found["mean_response"] += (r.end - job.Arrival) / n
		found["mean_wait"] += (r.start - job.Arrival) / n
		found["over_deadline"] += over
		if over > 1e-6 {
			found["missed"]++
		}
		c.jobs++
		c.last, c.busy, c.over = max(c.last, r.end-in.FirstArrival()), c.busy+float64(r.size)*(r.end-r.start), c.over+over
	}
	found["missed"] += 0
	for c := range clusters {
		s, w := &clusters[c], in.Clusters()[c].Weights
		idle := float64(in.Clusters()[c].Processors)*s.last - s.busy
		found["mcp"] += model.ComprehensivePerformance(w, idle, s.last, s.over) * s.jobs / n
	}
	return found
}

// queues are a few tasks on machines that are queues, and the least penalty of all assignments.
func queues(t testing.TB, rng *rand.Rand) (*model.Instance, map[string]float64) {
	b := model.NewBuilder("queues").Minimise("qos_penalty", 1)
	machines := []model.MachineSpec{
		{ID: "m", Count: 1 + rng.IntN(2), Speed: 2, Cost: 0.2, Queue: &model.QueueSpec{ServiceRate: 0.5, ArrivalVariance: new(3.0), ServiceVariance: new(1.0)}},
		{ID: "n", Speed: 1, Cost: 0.1, Queue: &model.QueueSpec{ServiceRate: 0.3, ArrivalVariance: new(4.0), ServiceVariance: new(2.0)}},
	}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: machines})
	n := 3 + rng.IntN(2)
	for k := range n {
		j := job(string(rune('a'+k)), 1, float64(1+rng.IntN(8)))
		j.Deadline, j.Budget = new(float64(1+rng.IntN(9))), new(0.2+rng.Float64())
		b.Job(j)
	}
	b.Spec().Queueing = &model.QueueingSpec{Rate: float64(n) / 10, Period: 10}
	in := built(t, b)
	least, places := math.Inf(1), make([]int, n)
	var try func(k int)
	try = func(k int) {
		if k < n {
			for places[k] = range in.Clusters()[0].Processors {
				try(k + 1)
			}
			return
		}
		sol, free := &model.Solution{}, make([]float64, in.Clusters()[0].Processors)
		for j, p := range places {
			set := model.Processors(p)
			end := free[p] + in.Duration(j, 0, set)
			sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[j].ID, Cluster: "c", Processors: set, Start: free[p], End: end})
			free[p] = end
		}
		if value, err := model.EvaluateObjective(in, sol); err == nil {
			least = min(least, value)
		}
	}
	try(0)
	return in, map[string]float64{"qos_penalty": least}
}
