package tables

import (
	"math"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// Result is the mean over a solver's runs on an instance.
type Result struct {
	Left      float64 // mean number of jobs owed, see [model.Instance.Owed]
	Objective float64 // mean objective; NaN: a run has no schedule
}

// ResultOf computes the result of the runs of one solver on one instance. Without runs the result is a failure.
func ResultOf(rows []*bench.Row) Result {
	left, objectives := make([]float64, len(rows)), make([]float64, len(rows))
	for k, row := range rows {
		left[k], objectives[k] = float64(row.Owed()), math.NaN()
		if row.Objective != nil && row.Fault == "" {
			objectives[k] = *row.Objective
		}
	}
	n := float64(len(rows))
	return Result{statistics.Sum(left) / n, statistics.Sum(objectives) / n}
}

// Better reports whether r is better than s by more than rounding. A success is better than a failure; then fewer jobs owed are better; then
// a lower objective.
func (r Result) Better(s Result) bool {
	if math.IsNaN(r.Objective) || math.IsNaN(s.Objective) {
		return math.IsNaN(s.Objective) && !math.IsNaN(r.Objective)
	}
	if math.Abs(r.Left-s.Left) > model.Tolerance {
		return r.Left < s.Left
	}
	return model.NewRank(0, r.Objective).Better(model.NewRank(0, s.Objective))
}
