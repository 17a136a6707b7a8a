package bench

import (
	"math"

	"github.com/allot-opt/allot/bench/statistics"
	"github.com/allot-opt/allot/model"
)

// Result is how a solver did on an instance: the means over its runs.
type Result struct {
	Left      float64 // jobs left out
	Objective float64 // NaN: a run has no schedule
}

// ResultOf is the result of runs, which are of one solver and instance; of none it is a failure.
func ResultOf(rows []*Row) Result {
	left, objectives := make([]float64, len(rows)), make([]float64, len(rows))
	for k, row := range rows {
		left[k], objectives[k] = float64(row.Left), math.NaN()
		if row.Objective != nil && row.Fault == "" {
			objectives[k] = *row.Objective
		}
	}
	n := float64(len(rows))
	return Result{statistics.Sum(left) / n, statistics.Sum(objectives) / n}
}

// Better says whether a result is better than another by more than rounding: no failure beside one, fewer jobs left out or, with as many, a
// lower objective.
func (r Result) Better(s Result) bool {
	if math.IsNaN(r.Objective) || math.IsNaN(s.Objective) {
		return math.IsNaN(s.Objective) && !math.IsNaN(r.Objective)
	}
	if math.Abs(r.Left-s.Left) > model.Tolerance {
		return r.Left < s.Left
	}
	return model.NewRank(0, r.Objective).Better(model.NewRank(0, s.Objective))
}
