package model_test

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/allot-opt/allot/model"
)

// listSchedule places jobs one behind the other, each on the processors of one cluster that choose gives, from the latest
// of their releases on.
func listSchedule(in *model.Instance, choose func(job int) model.ProcessorSet) *model.Solution {
	release := make([]float64, in.Clusters()[0].Processors)
	sol := &model.Solution{Schema: model.SolutionSchema, Status: model.Feasible}
	for k := range in.Jobs() {
		set, start := choose(k), in.Jobs()[k].Arrival
		for _, r := range set {
			start = max(start, slices.Max(release[r.First:r.Last+1]))
		}
		end := start + in.Duration(k, 0, set)
		for _, r := range set {
			for p := r.First; p <= r.Last; p++ {
				release[p] = end
			}
		}
		sol.Jobs = append(sol.Jobs, model.Placement{Job: in.Jobs()[k].ID, Cluster: "c", Processors: set, Start: start, End: end})
	}
	return sol
}

// scattered draws n of the processors, in runs.
func scattered(random *rand.Rand, processors, runs, length int) model.ProcessorSet {
	var list []model.Range
	slot := processors / runs
	for k := range runs {
		first := k*slot + random.IntN(slot-length+1)
		list = append(list, model.Range{First: first, Last: first + length - 1})
	}
	return model.NewProcessorSet(list...)
}

// benchmarkCheck checks a schedule of n jobs on one cluster over and over.
func benchmarkCheck(b *testing.B, n int, machines []model.MachineSpec, job func(k int) model.JobSpec, choose func(in *model.Instance, k int) model.ProcessorSet) {
	build := model.NewBuilder("bench").Cluster(model.ClusterSpec{ID: "c", Machines: machines})
	for k := range n {
		spec := job(k)
		spec.ID = strconv.Itoa(k)
		build.Job(spec)
	}
	in, err := build.Build()
	if err != nil {
		b.Fatal(err)
	}
	sol := listSchedule(in, func(k int) model.ProcessorSet { return choose(in, k) })
	b.ReportAllocs()
	for b.Loop() {
		if report := model.Check(in, sol); !report.OK() {
			b.Fatal(report.Violations[0])
		}
	}
}

// BenchmarkCheckMillionPlacements is a million jobs of one to eight processors on 1,000 processors: seconds, not minutes.
func BenchmarkCheckMillionPlacements(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	work := 100.0
	benchmarkCheck(b, 1_000_000, []model.MachineSpec{{ID: "m", Count: 125, Processors: 8}},
		func(k int) model.JobSpec {
			return model.JobSpec{Arrival: float64(k), Work: &work, Processors: model.Rigid(1 + k%8)}
		},
		func(in *model.Instance, k int) model.ProcessorSet {
			n := in.Jobs()[k].Min
			first := random.IntN(1000 - n + 1)
			return model.NewProcessorSet(model.Range{First: first, Last: first + n - 1})
		})
}

// BenchmarkCheckMillionWithEverything adds to it memory, licences, deadlines, precedence and machines of two speeds.
func BenchmarkCheckMillionWithEverything(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	work, memory := 100.0, 64.0
	machines := []model.MachineSpec{
		{ID: "slow", Count: 60, Processors: 8, Memory: &memory, Licences: []string{"l"}},
		{ID: "fast", Count: 65, Processors: 8, Memory: &memory, Speed: 2},
	}
	benchmarkCheck(b, 1_000_000, machines,
		func(k int) model.JobSpec {
			deadline := float64(k + 1000)
			spec := model.JobSpec{Arrival: float64(k), Work: &work, Processors: model.Rigid(1 + k%8), Memory: 8, Deadline: &deadline,
				Licences: map[string]int{"l": 1}}
			if k >= 100_000 && k%3 == 0 {
				spec.After = []string{strconv.Itoa(k - 100_000)}
			}
			return spec
		},
		func(in *model.Instance, k int) model.ProcessorSet {
			n := in.Jobs()[k].Min
			first := random.IntN(1000 - n + 1)
			return model.NewProcessorSet(model.Range{First: first, Last: first + n - 1})
		})
}

// BenchmarkCheckWideJobs is 20,000 jobs on some 10,000 of 49,152 processors each, in 192 runs.
func BenchmarkCheckWideJobs(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	work := 100.0
	benchmarkCheck(b, 20_000, []model.MachineSpec{{ID: "m", Count: 768, Processors: 64}},
		func(int) model.JobSpec { return model.JobSpec{Work: &work, Processors: model.Rigid(192 * 52)} },
		func(*model.Instance, int) model.ProcessorSet { return scattered(random, 49_152, 192, 52) })
}

// BenchmarkCheckWideJobsWithMemory adds a memory limit to each of 3,072 machines.
func BenchmarkCheckWideJobsWithMemory(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 2))
	work, memory := 100.0, 16.0
	benchmarkCheck(b, 20_000, []model.MachineSpec{{ID: "m", Count: 3072, Processors: 16, Memory: &memory}},
		func(int) model.JobSpec {
			return model.JobSpec{Work: &work, Processors: model.Rigid(192 * 52), Memory: 1}
		},
		func(*model.Instance, int) model.ProcessorSet { return scattered(random, 49_152, 192, 52) })
}
