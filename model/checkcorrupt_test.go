package model_test

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// Whatever a program puts into a solution, it can be checked and the report be written, and it is the same each time.
func TestCheckOfCorruptSolutions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures | modeltest.NodeFeatures | modeltest.PowerFeatures, Wild: rapid.Bool().Draw(t, "wild")}.Instance(t)
		sol := drawSolution(t, in)
		for range rapid.IntRange(1, 4).Draw(t, "faults") {
			corrupt(t, sol)
		}
		report := model.Check(in, sol)
		if _, err := json.Marshal(report.Violations); err != nil {
			t.Errorf("the violations cannot be written: %v", err)
		}
		if _, err := json.Marshal(report.Metrics); err != nil {
			t.Errorf("the metrics cannot be written: %v", err)
		}
		if again := model.Check(in, sol); violations(again) != violations(report) {
			t.Errorf("checked first\n%s\nand then\n%s", violations(report), violations(again))
		}
		evaluation, err := model.Evaluate(in, sol)
		if err == nil && evaluation.Objective != report.Objective {
			t.Errorf("objective %v of Evaluate, %v of Check", evaluation.Objective, report.Objective)
		}
	})
}

// corrupt changes one thing in a solution.
func corrupt(t *rapid.T, sol *model.Solution) {
	odd := rapid.SampledFrom([]float64{0, -1, 1, 1e-320, 1e300, math.MaxFloat64, math.NaN(), math.Inf(1), math.Inf(-1)})
	text := rapid.SampledFrom([]string{"", "x", "\xff\n", "job0", "job1", "cluster0", "cluster1", "machine0"})
	number := rapid.SampledFrom([]int{0, -1, 1, 7, 1 << 24, math.MaxInt32, math.MaxInt, math.MinInt})
	runs := rapid.Custom(func(t *rapid.T) model.ProcessorSet {
		var set model.ProcessorSet
		for range rapid.IntRange(0, 3).Draw(t, "runs") {
			set = append(set, model.Range{First: number.Draw(t, "first"), Last: number.Draw(t, "last")})
		}
		return set
	})
	what := rapid.IntRange(0, 9).Draw(t, "what")
	if len(sol.Jobs) == 0 && what < 6 {
		what += 4
	}
	switch what {
	case 0:
		p := rapid.SampledFrom(pointers(sol.Jobs)).Draw(t, "placement")
		p.Start = odd.Draw(t, "start")
	case 1:
		p := rapid.SampledFrom(pointers(sol.Jobs)).Draw(t, "placement")
		p.End = odd.Draw(t, "end")
	case 2:
		p := rapid.SampledFrom(pointers(sol.Jobs)).Draw(t, "placement")
		p.Job, p.Cluster = text.Draw(t, "job"), text.Draw(t, "cluster")
	case 3:
		p := rapid.SampledFrom(pointers(sol.Jobs)).Draw(t, "placement")
		p.Processors = runs.Draw(t, "processors")
	case 4, 5:
		if len(sol.Jobs) == 0 {
			return
		}
		p := rapid.SampledFrom(pointers(sol.Jobs)).Draw(t, "placement")
		p.Pieces = append(p.Pieces, model.Piece{Cluster: text.Draw(t, "cluster"), Processors: runs.Draw(t, "processors"),
			Tasks: number.Draw(t, "tasks"), Start: odd.Draw(t, "start"), End: odd.Draw(t, "end")})
	case 6:
		sol.Jobs = append(sol.Jobs, sol.Jobs...)
	case 7:
		sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: text.Draw(t, "job"), Reason: text.Draw(t, "reason")})
	case 8:
		sol.Loads = append(sol.Loads, model.Load{Cluster: text.Draw(t, "cluster"), Machine: text.Draw(t, "machine"), Rate: odd.Draw(t, "rate")})
	case 9:
		x := odd.Draw(t, "figure")
		sol.Objective, sol.Bound = &x, model.ProvedBound(x)
		sol.Metrics = model.Metrics{"makespan": {Total: x}, "cp": {ByCluster: map[string]float64{"cluster0": x, "": x}}, text.Draw(t, "metric"): {}}
		sol.Status, sol.Parameters = model.Status(text.Draw(t, "status")), nil
	}
}

// pointers are pointers to the elements.
func pointers[T any](list []T) []*T {
	p := make([]*T, len(list))
	for k := range list {
		p[k] = &list[k]
	}
	return p
}
