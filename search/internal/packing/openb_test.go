package packing_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/allot-opt/allot/formats/openb"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
)

// workloads are the published ones, see data/openb/SOURCE.md.
var workloads = []string{"default", "multigpu20", "gpuspec33", "gpushare40", "gpuspec10", "cpu200"}

// filled is the workload worth 130 % of the GPUs, which are 6,212.
func filled(t testing.TB, workload string, seed uint64) *model.Instance {
	const folder = "../../../data/openb/"
	reader := openb.NewReader()
	reader.Nodes, reader.Fill, reader.Seed = folder+"nodes.csv.gz", 1.3, seed
	file, err := model.Open(folder + "pods_" + workload + ".csv.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	in, _, err := reader.Read(file, workload)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// allocated is the share of all GPUs that a schedule allocates, in %.
func allocated(t testing.TB, in *model.Instance, s *model.Solution) float64 {
	report := model.Check(in, s)
	if !report.OK() {
		t.Fatal(report.Violations[0])
	}
	return -report.Evaluation.Objective / 62.12
}

// On the GPU cluster openb a short search already allocates more than a greedy pass node by node, which allocates 97.9, 98.1, 97.7 and 95.3 % in the
// first four workloads.
func TestAllocatedShare(t *testing.T) {
	race.OneGoroutine(t)
	least := []float64{99.5, 99.7, 99.3, 98.7, 99.4, 99.4}
	for k, workload := range workloads[:race.Fewer(len(workloads), 1)] {
		in := filled(t, workload, 42)
		result, err := search.Minimise(context.Background(), in, nil, search.Options{Seed: 1, MaxEvals: 100_000, Workers: 2})
		if err != nil {
			t.Fatal(err)
		}
		share := allocated(t, in, result.Solution)
		if t.Logf("%s: %.3f %%", workload, share); share < least[k] {
			t.Errorf("%s: %.3f %%, expected at least %v", workload, share, least[k])
		}
	}
}

// BenchmarkAllocatedShare reports the share of all GPUs that is allocated after some seconds, of two workers, and after some evaluations.
func BenchmarkAllocatedShare(b *testing.B) {
	for _, workload := range workloads {
		in := filled(b, workload, 42)
		run := func(name string, limit time.Duration, evaluations int64) {
			b.Run(name, func(b *testing.B) {
				sum, made := 0.0, int64(0)
				for seed := range b.N {
					ctx, cancel := context.Background(), func() {}
					if limit > 0 {
						ctx, cancel = context.WithTimeout(ctx, limit)
					}
					result, err := search.Minimise(ctx, in, nil, search.Options{Seed: uint64(seed), MaxEvals: evaluations, Time: limit, Workers: 2})
					cancel()
					if err != nil {
						b.Fatal(err)
					}
					sum, made = sum+allocated(b, in, result.Solution), made+result.Evaluations
				}
				b.ReportMetric(sum/float64(b.N), "%allocated")
				b.ReportMetric(float64(made)/float64(b.N), "evaluations")
			})
		}
		for _, seconds := range []int{1, 10} {
			run(fmt.Sprintf("%s/%ds", workload, seconds), time.Duration(seconds)*time.Second, 0)
		}
		for _, evaluations := range []int64{100_000, 1_000_000} {
			run(fmt.Sprintf("%s/%d", workload, evaluations), 0, evaluations)
		}
	}
}
