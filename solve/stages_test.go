package solve_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// A later stage that proves less, or nothing, takes no bound away: neither from the result nor from what is reported.
func TestStagesKeepTheBestBound(t *testing.T) {
	var told []model.Bound
	stages := solve.NewStages(solve.Options{Progress: func(p solve.Progress) { told = append(told, p.Bound) }})
	want := []model.Bound{model.ProvedBound(5), model.ProvedBound(7), model.ProvedBound(7), model.ProvedBound(7)}
	for k, proved := range []model.Bound{model.ProvedBound(5), model.ProvedBound(7), model.ProvedBound(6), {}} {
		opt, ok := stages.Next()
		if !ok {
			t.Fatal("no evaluations are left")
		}
		opt.Progress(solve.Progress{Evaluations: 1, Bound: proved})
		result := solve.Result{Evaluations: 2, Bound: proved}
		stages.Add(&result)
		if result.Bound != want[k] || told[k] != want[k] || result.Evaluations != int64(2*k+2) {
			t.Errorf("stage %d: bound %s, told %s, expected %s; %d evaluations", k, result.Bound, told[k], want[k], result.Evaluations)
		}
	}
}
