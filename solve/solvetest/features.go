package solvetest

import (
	"fmt"
	"math/rand/v2"

	"github.com/allot-opt/allot/internal/solvecases"
	"github.com/allot-opt/allot/model"
)

// featureCases has a case for each feature that a file can ask for. A solver that ignores the feature makes a wrong schedule of the case. So a solver
// that honours only a few features is tested on each of them.
func featureCases() []recipe {
	var recipes []recipe
	for _, f := range features {
		for seed := range uint64(2) {
			rng := rand.New(rand.NewPCG(seed, 7))
			b := model.NewBuilder("feature").Minimise([]string{"makespan", "mean_response"}[seed], 1)
			var clusters []model.ClusterSpec
			for c := range 3 {
				clusters = append(clusters, solvecases.Machines(fmt.Sprint("c", c), 4, float64(1+c)))
			}
			var jobs []model.JobSpec
			for j := range 14 {
				jobs = append(jobs, model.JobSpec{ID: fmt.Sprint("j", j), Work: new(float64(1 + rng.IntN(12)))})
			}
			if f.clusters != nil {
				f.clusters(clusters, b.Spec())
			}
			for j := range jobs {
				f.job(&jobs[j], j, rng)
			}
			recipes = append(recipes, recipe{fmt.Sprintf("feature/%s/%d", f.feature, seed), b.Cluster(clusters...).Job(jobs...), nil})
		}
	}
	return recipes
}

// feature changes an instance so that it asks for a feature.
type feature struct {
	feature  model.Features
	clusters func(clusters []model.ClusterSpec, spec *model.InstanceSpec) // nil: plain ones
	job      func(job *model.JobSpec, j int, rng *rand.Rand)
}

var features = []feature{
	{model.Arrivals, nil, func(job *model.JobSpec, _ int, rng *rand.Rand) { job.Arrival = float64(rng.IntN(20)) }},
	{model.HardDeadlines, nil, func(job *model.JobSpec, _ int, rng *rand.Rand) {
		job.Deadline, job.DeadlineHard = new(float64(1+rng.IntN(12))), true
	}},
	{model.Precedence, nil, func(job *model.JobSpec, j int, rng *rand.Rand) {
		if j > 0 {
			job.After = []string{fmt.Sprint("j", rng.IntN(j))}
		}
	}},
	{model.MemoryLimits, func(clusters []model.ClusterSpec, _ *model.InstanceSpec) {
		for c := range clusters {
			clusters[c].Machines[0].Memory = new(float64(4 - c)) // the fastest has the least
		}
	}, func(job *model.JobSpec, _ int, rng *rand.Rand) { job.Memory = float64(1 + rng.IntN(4)) }},
	{model.LicencePools, func(_ []model.ClusterSpec, spec *model.InstanceSpec) { spec.Licences = map[string]int{"solver": 2} },
		func(job *model.JobSpec, j int, _ *rand.Rand) { job.Licences = map[string]int{"solver": 1 + j%2} }},
	{model.BandwidthNeeds, func(clusters []model.ClusterSpec, _ *model.InstanceSpec) {
		for c := range clusters {
			clusters[c].Machines[0].Bandwidth = float64(10 - 3*c)
		}
	}, func(job *model.JobSpec, j int, rng *rand.Rand) { job.MinBandwidth = float64(rng.IntN(9)) }},
	{model.ParallelJobs, nil, func(job *model.JobSpec, _ int, rng *rand.Rand) { job.Processors = model.Rigid(1 + rng.IntN(4)) }},
	{model.MoldableJobs, nil, func(job *model.JobSpec, _ int, rng *rand.Rand) {
		job.Processors = model.Moldable(1+rng.IntN(2), 3+rng.IntN(2))
	}},
	{model.UnrelatedTimes, nil, func(job *model.JobSpec, _ int, rng *rand.Rand) {
		job.Work, job.Runtime = nil, map[string]float64{"c0": float64(1 + rng.IntN(9)), "c1": float64(1 + rng.IntN(9)), "c2": float64(1 + rng.IntN(9))}
	}},
	{model.RestrictedTimes, nil, func(job *model.JobSpec, j int, rng *rand.Rand) {
		job.Work, job.Runtime = nil, map[string]float64{fmt.Sprint("c", j%2): float64(1 + rng.IntN(9))}
	}},
	{model.MixedMachines, func(clusters []model.ClusterSpec, _ *model.InstanceSpec) {
		clusters[0].Machines = append(clusters[0].Machines, model.MachineSpec{ID: "slow", Count: 2, Speed: 0.5})
	}, func(*model.JobSpec, int, *rand.Rand) {}},
	{model.MachineSpan, func(clusters []model.ClusterSpec, _ *model.InstanceSpec) {
		for c := range clusters {
			clusters[c].Machines[0].Processors = 2 + c
		}
	}, func(job *model.JobSpec, _ int, rng *rand.Rand) {
		job.Processors, job.Span = model.Rigid(1+rng.IntN(4)), "machine"
	}},
	{model.GridSpan, nil, func(job *model.JobSpec, j int, _ *rand.Rand) { job.Processors, job.Span = model.Rigid(3+j%4), "grid" }},
	{model.BackgroundLoad, func(clusters []model.ClusterSpec, _ *model.InstanceSpec) {
		clusters[2].Machines[0].Background = &model.Background{Load: 0.4, Mean: 2}
	}, func(*model.JobSpec, int, *rand.Rand) {}},
}

// large makes an instance with enough jobs to keep a solver busy until its context ends.
func large() *model.Builder {
	b := model.NewBuilder("large")
	for c := range 8 {
		b.Cluster(solvecases.Machines(fmt.Sprint("c", c), 64, 1+float64(c)/8))
	}
	for j := range 20_000 {
		b.Job(model.JobSpec{ID: fmt.Sprint("j", j), Processors: model.Rigid(1 + j%48), Work: new(float64(1 + j*j%997))})
	}
	return b
}
