package model_test

import (
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
)

// drawSolution draws a solution that states what the evaluator finds. It names nothing but what the instance has, places or
// leaves out every job once, and where a job lies on one cluster its end follows the time rule. Everything else about it may be wrong:
// jobs overlap, start too early and on too few processors.
func drawSolution(t *rapid.T, in *model.Instance) *model.Solution {
	sol := &model.Solution{
		Schema: model.SolutionSchema, Instance: in.Name(), InstanceSHA256: in.SHA256(),
		Solver: "drawn", Version: "1", Seed: rapid.Uint64().Draw(t, "seed"),
		Parameters: map[string]any{"number": rapid.Float64().Draw(t, "parameter"), "text": rapid.String().Draw(t, "parameter"), "truth": true},
		Status:     model.Feasible, Stop: rapid.SampledFrom([]model.Stop{model.StopDone, model.StopTime}).Draw(t, "stop"),
		Jobs:  []model.Placement{},
		Stats: &model.Stats{Evaluations: rapid.Int64Range(0, 1<<53).Draw(t, "evaluations")},
	}
	for j := range in.Jobs() {
		if rapid.IntRange(0, 7).Draw(t, "left out") == 0 {
			sol.Unscheduled = append(sol.Unscheduled, model.Unscheduled{Job: in.Jobs()[j].ID, Reason: "left out by chance"})
			continue
		}
		sol.Jobs = append(sol.Jobs, drawPlacement(t, in, j))
	}
	if in.Queueing().Given && rapid.Bool().Draw(t, "loads") {
		sol.Loads = drawLoads(t, in)
	}
	evaluation, err := model.Evaluate(in, sol)
	if err != nil {
		t.Fatalf("the solution drawn is one that cannot be evaluated: %v", err)
	}
	sol.Metrics = evaluation.Metrics
	if !math.IsInf(evaluation.Objective, 0) {
		sol.Objective = &evaluation.Objective
	}
	return sol
}

// drawPlacement draws where one job runs: in one piece, or in one on each of the first clusters.
func drawPlacement(t *rapid.T, in *model.Instance, job int) model.Placement {
	p := model.Placement{Job: in.Jobs()[job].ID, Start: in.Jobs()[job].Arrival + float64(rapid.IntRange(0, 40).Draw(t, "start"))/4}
	clusters := in.Clusters()
	pieces := min(in.Jobs()[job].Tasks, len(clusters))
	if pieces < 2 || rapid.IntRange(0, 3).Draw(t, "in pieces") > 0 {
		c := rapid.IntRange(0, len(clusters)-1).Draw(t, "cluster")
		p.Cluster, p.Processors = clusters[c].ID, drawProcessors(t, in, job, c)
		p.End = p.Start + in.Duration(job, c, p.Processors)
		if math.IsNaN(p.End) { // the job cannot run there
			p.End = p.Start + 1
		}
		return p
	}
	left := in.Jobs()[job].Tasks
	for c := range pieces {
		piece := model.Piece{Cluster: clusters[c].ID, Processors: drawProcessors(t, in, job, c), Tasks: 1, Start: p.Start}
		if c == pieces-1 {
			piece.Tasks = left
		}
		left -= piece.Tasks
		piece.End = p.Start + float64(rapid.IntRange(0, 40).Draw(t, "length"))/4
		p.End = max(p.End, piece.End)
		p.Pieces = append(p.Pieces, piece)
	}
	return p
}

// drawProcessors draws processors of the cluster, as many as the job may hold where there are: a run of them, or any.
func drawProcessors(t *rapid.T, in *model.Instance, job, cluster int) model.ProcessorSet {
	least, most := in.Width(job, cluster)
	there := in.Clusters()[cluster].Processors
	n := rapid.IntRange(min(least, there), min(most, there)).Draw(t, "n")
	if rapid.Bool().Draw(t, "run") {
		first := rapid.IntRange(0, there-n).Draw(t, "first")
		return model.NewProcessorSet(model.Range{First: first, Last: first + n - 1})
	}
	ids := make([]int, there)
	for k := range ids {
		ids[k] = k
	}
	return model.Processors(rapid.Permutation(ids).Draw(t, "processors")[:n]...)
}

// drawLoads draws a rate for some machines.
func drawLoads(t *rapid.T, in *model.Instance) []model.Load {
	var list []model.Load
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		for g := range cluster.Machines {
			for k := range cluster.Machines[g].Count {
				if rate := rapid.Float64Range(0, 2).Draw(t, "rate"); rate > 0 {
					list = append(list, model.Load{Cluster: cluster.ID, Machine: cluster.Machines[g].Name(k), Rate: rate})
				}
			}
		}
	}
	return list
}

func TestDrawnSolutionCanBeChecked(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Instance(t, modeltest.AllFeatures)
		sol := drawSolution(t, in)
		report := model.Check(in, sol)
		for _, v := range report.Violations {
			switch v.Code {
			case "unknown-job", "duplicate-job", "missing-job", "unknown-cluster", "foreign-processor",
				"bad-time", "no-reason", "wrong-metric", "wrong-objective", "wrong-status", model.CodeWrongInstance:
				t.Errorf("unexpected violation: %v", v)
			}
		}
	})
}

// TestCheckPlacements finds what Check finds, whatever the solution states of itself, and the metrics when they are asked for.
func TestCheckPlacements(t *testing.T) {
	refused, taken := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Instance(t, modeltest.AllFeatures)
		sol := drawSolution(t, in)
		whole := model.Check(in, sol)
		wrong := 1e9
		stated := *sol
		stated.Objective, stated.Bound, stated.Status, stated.Metrics = &wrong, model.ProvedBound(2e9), model.Optimal, model.Metrics{"makespan": {Total: -1}}
		report := model.CheckPlacements(in, &stated)
		if report.OK() {
			taken++
		} else {
			refused++
		}
		if !reflect.DeepEqual(report.Violations, whole.Violations) || report.More != whole.More {
			t.Fatalf("%v, and %v", report.Violations, whole.Violations)
		}
		if report.Metrics != nil || report.Objective != whole.Objective || report.Rounding != whole.Rounding {
			t.Fatalf("%v ± %v with %v, and %v ± %v", report.Objective, report.Rounding, report.Metrics, whole.Objective, whole.Rounding)
		}
		if found := report.WithMetrics(); !reflect.DeepEqual(found.Metrics, whole.Metrics) || found.Objective != whole.Objective || found.Rounding != whole.Rounding {
			t.Fatalf("%v, and %v", found, whole)
		}
		if again := whole.WithMetrics(); !reflect.DeepEqual(again.Metrics, whole.Metrics) {
			t.Fatalf("%v, and %v", again, whole)
		}
	})
	if refused < race.Enough(10) || taken < race.Enough(1) {
		t.Errorf("%d refused, %d taken", refused, taken)
	}
}
