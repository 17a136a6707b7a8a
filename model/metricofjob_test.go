package model_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// A metric that is a mean over jobs is the mean of what it is of each of them.
func TestOfJob(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Instance(t, model.Arrivals|model.HardDeadlines|model.ParallelJobs)
		sol := drawSolution(t, in)
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

// A job that misses its hard deadline by rounding alone counts, as it does in the means of a schedule.
func TestOfJobAllowsForRoundingOfDeadlines(t *testing.T) {
	m, _ := model.MetricNamed("mean_response")
	j := &model.Job{Deadline: 0.3, Demand: &model.Demand{Requirements: model.Requirements{DeadlineHard: true}}}
	for end, want := range map[float64]bool{0.3: true, math.Nextafter(0.3, 1): true, 0.3 + 1e-12: false} {
		value, counts := m.OfJob(j, 0, end)
		if counts != want || !want && value != 0 || want && value != end {
			t.Errorf("end %v: %v, counts %v", end, value, counts)
		}
	}
}
