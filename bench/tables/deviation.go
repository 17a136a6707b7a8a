package tables

import (
	"math"
	"strconv"

	"github.com/allot-opt/allot/bench"
	"github.com/allot-opt/allot/model"
)

// RPD is the relative percentage deviation of a run's objective f from the best b that was found on the instance, 100·(f − b)/|b|: 0 where the two differ by rounding only, +Inf for f above
// b = 0. It is NaN if one of the runs has no schedule or owes more jobs than the other, as then the objectives are of different jobs. The gap, in contrast, refers to what is proved and is a share
// of the objective itself.
func RPD(row, best *bench.Row) float64 {
	if row == nil || best == nil || row.Objective == nil || best.Objective == nil || row.Fault != "" || row.Owed() != best.Owed() {
		return math.NaN()
	}
	f, b := *row.Objective, *best.Objective
	switch {
	case f <= b || f-b <= model.Tolerance*math.Abs(b):
		return 0
	case b == 0:
		return math.Inf(1)
	}
	return 100 * (f - b) / math.Abs(b)
}

// percent writes a percentage with two decimals; a dash where it is not a number. It never writes a number above 0 as 0.
func percent(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case math.IsInf(x, 0):
		return "∞"
	case x > 0 && x < 0.005:
		return "<0.01"
	case x < 1e6:
		return strconv.FormatFloat(x, 'f', 2, 64)
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
}
