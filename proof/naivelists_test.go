package proof_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// This file decides what list schedules prove in the plainest way: by every order of all jobs, on every choice of clusters.

// listedRun is a job in a list schedule.
type listedRun struct {
	job, cluster int
	start, end   float64
}

// listed is an instance of up to 4 rigid jobs that may wait for others, share licences, take no time, or run nowhere.
func listed(t testing.TB, rng *rand.Rand) *naive {
	t.Helper()
	b, n := model.NewBuilder("listed"), &naive{}
	b.Spec().Licences = map[string]int{"l": 1 + rng.IntN(2), "m": 1}
	for c := range 1 + rng.IntN(3) {
		spec := cluster(fmt.Sprint("c", c), 1+rng.IntN(4), float64(1+rng.IntN(2)))
		spec.Machines[0].Cost = float64(rng.IntN(4)) / 2
		if rng.IntN(2) == 0 {
			weight := func() *float64 { return new(float64(rng.IntN(4))) }
			spec.Weights = &model.WeightsSpec{OverDeadline: weight(), Makespan: weight(), IdleTime: weight()}
		}
		if rng.IntN(3) == 0 {
			spec.Licences = map[string]int{"l": rng.IntN(3)}
		}
		b.Cluster(spec)
	}
	for j := range 1 + rng.IntN(4) {
		spec := model.JobSpec{ID: fmt.Sprint("j", j), Arrival: 5 + float64(rng.IntN(2)*rng.IntN(4)), Processors: model.Rigid(1 + rng.IntN(3)), Work: new(float64(rng.IntN(6)) * 4)}
		if rng.IntN(2) == 0 {
			spec.Deadline = new(float64(rng.IntN(20)))
		}
		if rng.IntN(3) == 0 {
			spec.Licences = map[string]int{[]string{"l", "m"}[rng.IntN(2)]: 1 + rng.IntN(2)}
		}
		if j > 0 && rng.IntN(3) == 0 {
			spec.After = []string{fmt.Sprint("j", rng.IntN(j))}
			if other := fmt.Sprint("j", rng.IntN(j)); other != spec.After[0] && rng.IntN(2) == 0 {
				spec.After = append(spec.After, other)
			}
		}
		b.Job(spec)
		n.specs = append(n.specs, spec)
	}
	n.in = built(t, b)
	n.look()
	return n
}

// bestList is the least weighted sum of the metrics over all lists. Together they keep precedence and licences.
func (n *naive) bestList(weights map[string]float64, together bool) float64 {
	best := math.Inf(1)
	var extend func(runs []listedRun, left []int, last float64)
	extend = func(runs []listedRun, left []int, last float64) {
		if len(left) == 0 {
			best = min(best, n.costOfList(weights, runs))
		}
		for k, j := range left {
			for c := range n.in.Clusters() {
				size, time := n.on(j, c)
				if !n.in.CanRun(j, c) {
					continue
				}
				ready, waits := n.head[j], false
				for _, before := range n.in.Jobs()[j].After {
					waits = waits || together && slices.Contains(left, before)
					for _, r := range runs {
						if together && r.job == before {
							ready = max(ready, r.end)
						}
					}
				}
				if waits {
					continue
				}
				run := listedRun{j, c, ready, ready + time}
				if time > 0 {
					starts := []float64{max(ready, last)}
					for _, r := range runs {
						starts = append(starts, max(ready, last, r.end))
					}
					slices.Sort(starts)
					at := slices.IndexFunc(starts, func(start float64) bool { return n.fits(runs, j, c, size, start, together) })
					run = listedRun{j, c, starts[at], starts[at] + time}
				}
				next := last
				if time > 0 {
					next = run.start
				}
				extend(append(slices.Clone(runs), run), append(slices.Clone(left[:k]), left[k+1:]...), next)
			}
		}
	}
	extend(nil, n.must, 0)
	return best
}

// fits says that the processors, and together the licences, are free for the job from then on.
func (n *naive) fits(runs []listedRun, j, c, size int, start float64, together bool) bool {
	held, copies := size, map[[2]int]int{}
	draw := func(job, c int) {
		for _, need := range n.in.Jobs()[job].Licences {
			pool := [2]int{-1, need.Licence}
			if _, own := n.in.Pool(c, need.Licence); own {
				pool[0] = c
			}
			copies[pool] += need.Copies
		}
	}
	draw(j, c)
	for _, r := range runs {
		if r.start <= start && start < r.end {
			draw(r.job, r.cluster)
			if r.cluster == c {
				own, _ := n.on(r.job, c)
				held += own
			}
		}
	}
	for pool, drawn := range copies {
		most := n.in.Licences()[pool[1]].Copies
		if pool[0] >= 0 {
			most, _ = n.in.Pool(pool[0], pool[1])
		}
		if together && drawn > most {
			return false
		}
	}
	return held <= n.in.Clusters()[c].Processors
}

// costOfList is the weighted sum of the metrics of a schedule.
func (n *naive) costOfList(weights map[string]float64, runs []listedRun) float64 {
	jobs, sum := float64(len(n.must)), 0.0
	due := func(j int) float64 { return n.in.Jobs()[j].Deadline - n.first }
	latest, dated, missed := 0.0, 0.0, 0.0
	for j := range n.specs {
		if n.specs[j].Deadline != nil {
			dated++
			if n.never[j] {
				missed++
			}
		}
	}
	for _, r := range runs {
		latest = max(latest, r.end)
		if r.end > due(r.job)+1e-6 {
			missed++
		}
	}
	for c := range n.in.Clusters() {
		over, makespan, idle := n.weights(c)
		last, busy, late, count := 0.0, 0.0, 0.0, 0.0
		for _, r := range runs {
			if size, time := n.on(r.job, r.cluster); r.cluster == c {
				last, busy, late, count = max(last, r.end), busy+float64(size)*time, late+max(0, r.end-due(r.job)), count+1
			}
		}
		free := float64(n.in.Clusters()[c].Processors)*last - busy
		if count == 0 {
			continue
		}
		sum += weights["idle_time"]*free + weights["over_deadline"]*late + weights["mcp"]*count/jobs*(over*late+makespan*last+idle*free)
		sum += weights["cost"] * busy * n.in.Clusters()[c].Machines[0].Cost
	}
	for _, r := range runs {
		since, time := n.in.Jobs()[r.job].Arrival-n.first, r.end-r.start
		sum += (weights["mean_response"]*(r.end-since) + weights["mean_wait"]*(r.start-since) + weights["bounded_slowdown"]*max(1, (r.end-since)/max(time, 10))) / jobs
		if weights["mean_slowdown"] > 0 {
			sum += weights["mean_slowdown"] * (r.end - since) / time / jobs
		}
	}
	sum += weights["makespan"]*latest + weights["missed"]*missed + weights["unfinished"]*float64(len(n.specs)-len(n.must))
	if dated > 0 {
		sum += weights["miss_rate"] * 100 * missed / dated
	}
	return sum
}

func TestListSchedulesProveWhatTheyShould(t *testing.T) {
	rng, seen := rand.New(rand.NewPCG(3, 11)), tally{}
	for range race.Fewer(6000, 200) {
		n := listed(t, rng)
		weights := map[string]float64{}
		for range 1 + rng.IntN(2)*rng.IntN(3) {
			weights[proof.Listed[rng.IntN(len(proof.Listed))]] = []float64{1, 2, 0.5, 3, 1e9}[rng.IntN(5)]
		}
		together := rng.IntN(2) == 0
		if slices.ContainsFunc(n.must, func(j int) bool { return weights["mean_slowdown"] > 0 && *n.specs[j].Work == 0 }) ||
			slices.ContainsFunc(n.must, func(j int) bool { return !n.rectangle(j) }) || len(n.must) == 0 {
			continue
		}
		for j := range n.specs {
			if n.has[j] == n.never[j] {
				t.Fatalf("job %d: %s", j, written(n.in))
			}
		}
		value := n.bestList(weights, together)
		if value < 1e-3 {
			continue
		}
		for _, x := range []struct {
			bound float64
			want  proof.Verdict
		}{{value * (1 - 1e-14), proof.Verified}, {value * (1 + 1e-13), proof.Refuted}} {
			stated := n.listClaim(weights, x.bound, together)
			stated.Owed = len(n.specs) - len(n.must) // none has a hard deadline
			if r := verdict(t.Context(), n.in, stated); r.Verdict != x.want {
				t.Fatalf("%v ≥ %v, together %v, at best %v: %v\n%s", weights, x.bound, together, value, r, written(n.in))
			}
		}
		for metric := range maps.Keys(weights) {
			seen[fmt.Sprint(metric, " ", together)]++
		}
	}
	for _, metric := range proof.Listed {
		if seen[metric+" true"] < race.Fewer(50, 1) || seen[metric+" false"] < race.Fewer(50, 1) {
			t.Errorf("%s: the test says little: %v", metric, seen)
		}
	}
}

// listClaim is a certificate of a bound of the sum by list schedules.
func (n *naive) listClaim(weights map[string]float64, bound float64, together bool) *proof.Certificate {
	metric := slices.Sorted(maps.Keys(weights))[0]
	part := proof.Part{Metric: metric, Sum: weights, Bound: bound, By: &proof.Argument{ListSchedules: &proof.ListSchedules{Together: together}}}
	return &proof.Certificate{Schema: proof.Schema, InstanceSHA256: n.in.SHA256(), Objective: weights, Bound: model.ProvedBound(bound), Parts: []proof.Part{part}}
}
