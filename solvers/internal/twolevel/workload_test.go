package twolevel

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/allot-opt/allot/model"
)

// grid is the workload of the paper: clusters of the given numbers of machines, each of 4 to 32 processors and of benchmark 100 to 500,
// and jobs of 4 to 32 processors of one machine that take 8,000 to 10,000 on a machine of benchmark 100 to 500. 30 % of them ask for one
// of four licences and 70 % have a deadline. The gaps between arrivals are exponential. long makes the estimates of very different
// lengths.
func grid(tb testing.TB, seed uint64, clusters []int, jobs int, gap float64, long bool) *model.Instance {
	tb.Helper()
	in, err := paper(seed, clusters, jobs, gap, long).Build()
	if err != nil {
		tb.Fatal(err)
	}
	return in
}

// paper is what grid builds.
func paper(seed uint64, clusters []int, jobs int, gap float64, long bool) *model.Builder {
	rng := rand.New(rand.NewPCG(seed, 5))
	uniform := func(a, b float64) float64 { return a + (b-a)*rng.Float64() }
	b := model.NewBuilder("grid")
	b.Spec().Licences = map[string]int{"l0": 1, "l1": 1, "l2": 1, "l3": 1}
	b.Spec().UserClasses = map[string]float64{"gold": 10, "silver": 5, "regular": 0}
	for c, machines := range clusters {
		spec := model.ClusterSpec{ID: fmt.Sprint("c", c), Licences: map[string]int{}}
		for m := range machines {
			spec.Machines = append(spec.Machines, model.MachineSpec{ID: fmt.Sprint("m", m), Processors: 4 + rng.IntN(29), Speed: uniform(100, 500)})
		}
		spec.Machines = append(spec.Machines, model.MachineSpec{ID: "wide", Processors: 32, Speed: 300})
		for l := range 4 {
			spec.Licences[fmt.Sprint("l", l)] = int(uniform(0.5, 0.7)*float64(machines) + 0.5)
		}
		b.Cluster(spec)
	}
	now := 0.0
	for k := range jobs {
		now += gap * rng.ExpFloat64()
		estimate := uniform(8000, 10000)
		if long {
			estimate = 10 * float64(uint64(1)<<rng.IntN(14)) * uniform(1, 2)
		}
		reference := uniform(100, 500)
		work := estimate * reference
		spec := model.JobSpec{ID: fmt.Sprint(k), Arrival: now, Processors: model.Rigid(4 + rng.IntN(29)), Work: &work, Estimate: &estimate,
			ReferenceSpeed: reference, Span: "machine", UserClass: []string{"gold", "silver", "silver", "silver", "regular", "regular", "regular", "regular", "regular", "regular"}[rng.IntN(10)]}
		if rng.Float64() < 0.3 {
			spec.Licences = map[string]int{fmt.Sprint("l", rng.IntN(4)): 1}
		}
		if rng.Float64() < 0.7 {
			spec.Deadline = new(now + estimate + uniform(1500, 5500))
		}
		b.Job(spec)
	}
	return b
}
