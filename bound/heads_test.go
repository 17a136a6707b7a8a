package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/proof"
)

// gathering is a tiny instance in which jobs wait for several others: rigid ones on one or two clusters, some without work, with licences or times by cluster.
func gathering(t testing.TB, rng *rand.Rand) *model.Instance {
	b := model.NewBuilder("gathering")
	clusters := 1 + rng.IntN(2)
	for c := range clusters {
		b.Cluster(model.ClusterSpec{ID: fmt.Sprint("c", c), Machines: []model.MachineSpec{{ID: "m", Count: 1 + rng.IntN(3), Speed: float64(1 + rng.IntN(3))}}})
	}
	b.Spec().Licences = map[string]int{"l": 1 + rng.IntN(2)}
	jobs := 3 + rng.IntN(3)
	for j := range jobs {
		job := model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + rng.IntN(2)), Work: new(float64(min(5, rng.IntN(9))))}
		if rng.IntN(3) == 0 {
			job.Arrival = float64(rng.IntN(5))
		}
		if rng.IntN(4) == 0 {
			job.Licences = map[string]int{"l": 1}
		}
		if rng.IntN(5) == 0 {
			job.Runtime = map[string]float64{"c0": 10 * rng.Float64()}
			job.Work = nil
		}
		if rng.IntN(2) == 0 {
			job.Deadline = new(float64(rng.IntN(15)))
		}
		all := j == jobs-1 || j > 1 && rng.IntN(5) == 0
		for before := range j {
			if all || rng.IntN(6) == 0 {
				job.After = append(job.After, fmt.Sprint("j", before))
			}
		}
		b.Job(job)
	}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// eachList calls the function with the starts and ends of every list schedule: jobs placed one by one on every cluster that runs them, each as early as the
// jobs placed before leave room and licences, and not before the one before it. Some list starts no job later than a given schedule.
func eachList(in *model.Instance, then func(starts, ends []float64)) {
	n := len(in.Jobs())
	starts, ends, on, placed := make([]float64, n), make([]float64, n), make([]int, n), make([]bool, n)
	var extend func(count int, last float64)
	fits := func(j, c int, at float64) bool {
		size, _ := in.Width(j, c)
		copies := in.Licences()[0].Copies
		for k := range n {
			if placed[k] && starts[k] <= at && at < ends[k] {
				if on[k] == c {
					width, _ := in.Width(k, c)
					size += width
				}
				if len(in.Jobs()[k].Licences) > 0 && len(in.Jobs()[j].Licences) > 0 {
					copies--
				}
			}
		}
		return size <= in.Clusters()[c].Processors && (len(in.Jobs()[j].Licences) == 0 || copies > 0)
	}
	extend = func(count int, last float64) {
		if count == n {
			then(starts, ends)
			return
		}
		for j := range n {
			if placed[j] || slices.ContainsFunc(in.Jobs()[j].After, func(b int) bool { return !placed[b] }) {
				continue
			}
			for c := range in.Clusters() {
				if !in.CanRun(j, c) {
					continue
				}
				size, _ := in.Width(j, c)
				length := in.DurationOn(j, c, size)
				start := max(last, in.Jobs()[j].Arrival)
				for _, b := range in.Jobs()[j].After {
					start = max(start, ends[b])
				}
				for length > 0 && !fits(j, c, start) {
					next := math.Inf(1)
					for k := range n {
						if placed[k] && ends[k] > start {
							next = min(next, ends[k])
						}
					}
					start = next
				}
				starts[j], ends[j], on[j], placed[j] = start, start+length, c, true
				extend(count+1, start)
				placed[j] = false
			}
		}
	}
	extend(0, in.FirstArrival())
}

// No job starts earlier in any schedule than its head says, no bound is above the best schedule, and the bounds that heads raise are verified.
func TestNoJobStartsBeforeItsHead(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 3))
	metrics := []string{"makespan", "mean_wait", "mean_response", "mean_slowdown", "over_deadline", "missed"}
	raised, reached := 0, 0
	for range race.Fewer(400, 40) {
		in := gathering(t, rng)
		r := newRelaxation(t.Context(), in)
		first, best := slices.Repeat([]float64{math.Inf(1)}, len(in.Jobs())), map[string]float64{}
		eachList(in, func(starts, ends []float64) {
			values, n := map[string]float64{}, float64(len(starts))
			for j, start := range starts {
				job := &in.Jobs()[j]
				first[j] = min(first[j], start-in.FirstArrival())
				values["makespan"] = max(values["makespan"], ends[j]-in.FirstArrival())
				values["mean_wait"] += (start - job.Arrival) / n
				values["mean_response"] += (ends[j] - job.Arrival) / n
				if ends[j] > start {
					values["mean_slowdown"] += (ends[j] - job.Arrival) / (ends[j] - start) / n
				} else {
					values["mean_slowdown"] += 1 / n
				}
				values["over_deadline"] += max(0, ends[j]-job.Deadline)
				if model.Late(ends[j], job.Deadline) {
					values["missed"]++
				}
			}
			for _, metric := range metrics {
				if old, known := best[metric]; !known || values[metric] < old {
					best[metric] = values[metric]
				}
			}
		})
		if len(best) == 0 {
			continue // a job can run nowhere
		}
		for j := range in.Jobs() {
			if r.start[j] > first[j]*(1+1e-12) {
				t.Fatalf("job %d: head %v, but it may start at %v", j, r.start[j], first[j])
			}
			longest := r.Released(j)
			for _, b := range in.Jobs()[j].After {
				longest = max(longest, r.start[b]+r.least[b])
			}
			if r.start[j] > longest {
				if raised++; r.start[j] > first[j]*(1-1e-9) {
					reached++
				}
			}
		}
		for _, metric := range metrics {
			in, err := in.WithObjective(map[string]float64{metric: 1})
			if err != nil {
				t.Fatal(err)
			}
			p := NewCertified(t.Context(), in)
			for range 3 {
				p.Improve(t.Context(), 1e6)
			}
			value, _ := p.Bound().Value()
			if value > best[metric]*(1+1e-9)+1e-12 {
				t.Fatalf("%s: bound %v, best schedule %v", metric, value, best[metric])
			}
			if c := p.Certificate(); value > 0 {
				if report := proof.Check(t.Context(), in, c); report.Verdict != proof.Verified {
					t.Fatalf("%s: %v", metric, report)
				}
			}
		}
	}
	if raised < race.Fewer(50, 3) || reached < race.Fewer(20, 1) {
		t.Errorf("heads raised %d times, to the first start %d times: the test says little", raised, reached)
	}
}
