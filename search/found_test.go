package search

import (
	"context"
	"fmt"
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search/internal/engine"
)

// pairs is the four jobs on two processors in pairs: a makespan of 2.
func pairs() *model.Solution {
	sol := &model.Solution{}
	for j := range 4 {
		sol.Jobs = append(sol.Jobs, model.Placement{Job: fmt.Sprint("j", j), Cluster: "c", Processors: model.ProcessorSet{{First: j % 2, Last: j % 2}},
			Start: float64(j / 2), End: float64(j/2 + 1)})
	}
	return sol
}

// A schedule that the proof comes upon ends the search if it reaches the bound, and is the result if no chain has a better one.
func TestScheduleOfTheProof(t *testing.T) {
	for _, c := range []struct {
		start, chain model.Rank
		bound        float64
		stop         model.Stop
		offered      bool // the result is the schedule of the proof
		shown        float64
	}{
		{engine.Nothing, rank(0, 5), 2, model.StopDone, true, 2},
		{rank(0, 5), rank(0, 4), 2, model.StopDone, true, 2},
		{rank(1, 1), rank(1, 1), 2, model.StopDone, true, 2}, // they leave a job out
		{rank(0, 5), rank(0, 4), 1, model.StopEvaluations, true, 2},
		{rank(0, 5), rank(0, 1.5), 1, model.StopEvaluations, false, 1.5},
		{rank(0, 1.5), rank(0, 4), 1, model.StopEvaluations, false, 1.5},
	} {
		calls := 0
		opt := Options{MaxEvals: 50,
			Improve: func(context.Context, int64, float64) (model.Bound, bool) { return model.ProvedBound(c.bound), true },
			Found: func() *model.Solution {
				if calls++; calls == 2 {
					return pairs()
				}
				return nil
			}}
		result, told := runScripted(t, newScripted([]model.Rank{c.chain}), c.start, opt)
		offered := len(result.Solution.Jobs) == 4 && result.Solution.Jobs[3].End == 2
		if result.Stop != c.stop || offered != c.offered || told[len(told)-1].Objective != c.shown {
			t.Errorf("%+v: stopped by %s, the proof's schedule %v, shown %+v", c, result.Stop, offered, told[len(told)-1])
		}
		if c.stop == model.StopDone && result.Evaluations != 20 {
			t.Errorf("%+v: %d evaluations, expected the two rounds of 10 until the proof had it", c, result.Evaluations)
		}
	}
}
