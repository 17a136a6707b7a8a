package ga

import (
	"context"
	"math"
	"math/rand"

	"pgregory.net/rapid"
)

// drawCluster draws a cluster, with ties, jobs of no time and jobs as wide as the cluster, and a seed schedule with masks. Of some clusters earlier
// jobs hold processors.
func drawCluster(t *rapid.T, mostJobs, mostProcessors int) (Cluster, Schedule) {
	c := Cluster{
		Processors: rapid.IntRange(1, mostProcessors).Draw(t, "processors"),
		Origin:     rapid.SampledFrom([]float64{0, 3, 1.7e9}).Draw(t, "origin"),
		Cost:       Cost{Makespan: 3, Over: 4, Response: 0.5, Constant: -2},
	}
	if rapid.Bool().Draw(t, "holds") {
		for range c.Processors {
			c.Released = append(c.Released, c.Origin+float64(max(0, rapid.IntRange(-2, 7).Draw(t, "released"))))
		}
	}
	for range rapid.IntRange(1, mostJobs).Draw(t, "jobs") {
		j := Job{
			Size:     rapid.IntRange(1, c.Processors).Draw(t, "size"),
			Duration: float64(rapid.IntRange(0, 9).Draw(t, "duration")) / rapid.SampledFrom([]float64{1, 1, 3, 7}).Draw(t, "parts"),
			Arrival:  c.Origin + float64(rapid.IntRange(0, 5).Draw(t, "arrival")),
			Deadline: math.Inf(1),
		}
		if rapid.Bool().Draw(t, "has a deadline") {
			j.Deadline = c.Origin + float64(rapid.IntRange(0, 20).Draw(t, "deadline"))
		}
		c.Jobs = append(c.Jobs, j)
	}
	return c, randomSchedule(&c, rand.New(rand.NewSource(rapid.Int64().Draw(t, "schedule"))))
}

// randomCluster is a batch of jobs with times and deadlines of the sizes that the MUSCLE workload has.
func randomCluster(jobs, processors, widest int, random int64) (Cluster, Schedule) {
	rng := rand.New(rand.NewSource(random))
	c := Cluster{Processors: processors, Cost: Cost{Makespan: 3 + float64(processors), Over: 4}}
	for range jobs {
		duration := 5 + 15*rng.ExpFloat64()
		c.Jobs = append(c.Jobs, Job{Size: 1 + rng.Intn(widest), Duration: duration, Deadline: duration * (1 + 5*rng.Float64())})
	}
	return c, randomSchedule(&c, rng)
}

// randomSchedule is a random order with random masks.
func randomSchedule(c *Cluster, rng *rand.Rand) Schedule {
	words := Words(c.Processors)
	s := Schedule{Order: make([]int32, len(c.Jobs)), Masks: make([]uint64, len(c.Jobs)*words)}
	for k, id := range rng.Perm(len(c.Jobs)) {
		s.Order[k] = int32(id)
		for _, p := range rng.Perm(c.Processors)[:c.Jobs[id].Size] {
			flip(s.Masks[id*words:(id+1)*words], p)
		}
	}
	return s
}

// in is the schedule in a coding.
func (s Schedule) in(coding Coding) Schedule {
	if coding == List {
		s.Masks = nil
	}
	return s
}

// costOf is the cost of a schedule.
func costOf(c *Cluster, s Schedule) float64 {
	totals, err := newDecoder(context.Background(), c).decode(s, nil)
	if err != nil {
		panic(err)
	}
	return c.Cost.Of(totals)
}

// with are the default parameters in a coding.
func with(coding Coding) Parameters {
	p := NewParameters()
	p.Coding = coding
	return p
}

// codings are the two codings by name.
var codings = map[string]Coding{"mask": Mask, "list": List}
