package model_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/model/modeltest"
)

// A metric that is a mean over jobs is the mean of what it is of each of them.
func TestOfJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Instance(t, model.Arrivals|model.HardDeadlines|model.ParallelJobs)
		sol := modeltest.Solution(t, in)
		result, err := model.Evaluate(in, sol)
		if err != nil {
			t.Fatal(err)
		}
		means := 0
		for _, m := range model.MetricTable() {
			if !m.IsMean() {
				continue
			}
			means++
			sum, n := 0.0, 0
			for k := range sol.Jobs {
				job, _ := in.JobIndex(sol.Jobs[k].Job)
				if value, counts := m.OfJob(&in.Jobs()[job], sol.Jobs[k].Start, sol.Jobs[k].End); counts {
					sum += value
					n++
				}
			}
			if got, _ := result.Metrics.Get(m.Name); math.Abs(got-sum/float64(max(n, 1))) > 1e-9*math.Abs(got) {
				t.Fatalf("%s is %v, the mean over %d jobs %v", m.Name, got, n, sum/float64(max(n, 1)))
			}
		}
		if means == 0 {
			t.Fatal("no metric is a mean over jobs")
		}
	})
}
