package proof

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

// A schedule of finite cost refutes whatever says that there is none, even if every step of it holds. One that is infinite proves nothing of its own.
func TestFiniteSchedulesRefuteThatThereIsNone(t *testing.T) {
	b := model.NewBuilder("finite").Minimise("qos_penalty", 1)
	work, deadline := 4.0, 1.0
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Queue: &model.QueueSpec{ServiceRate: 1}}}})
	b.Job(model.JobSpec{ID: "a", Work: &work, Deadline: &deadline})
	b.Spec().Queueing = &model.QueueingSpec{Rate: 0.5, Period: 2}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	finite := model.Check(in, &model.Solution{Schema: model.SolutionSchema, Jobs: []model.Placement{{Job: "a", End: 4, Cluster: "c", Processors: model.Processors(0)}}})
	if !finite.OK() || !(finite.Objective >= 3 && finite.Objective < 100) {
		t.Fatalf("%v costs %v", finite.Violations, finite.Objective)
	}
	endless := finite.Evaluation
	endless.Objective = math.Inf(1)
	c := &Certificate{Objective: map[string]float64{"qos_penalty": 1}, Infeasible: &Infeasible{Condition: "rate"}}
	refuted := Report{Refuted, "infeasible", "no"}
	for name, x := range map[string]struct {
		said  Report
		found model.Evaluation
		want  Outcome
	}{
		"verified, and finite":     {Report{Verdict: Verified}, finite.Evaluation, Outcome{Report: Report{Refuted, "infeasible", "the solution has a finite cost"}}},
		"verified, and not finite": {Report{Verdict: Verified}, endless, Outcome{Report: Report{Verdict: Verified}, Why: "no allocation has a finite cost"}},
		"refuted, and finite":      {refuted, finite.Evaluation, Outcome{Report: refuted, Why: "the bound is refuted"}},
		"refuted, and not finite":  {refuted, endless, Outcome{Report: refuted, Why: "the bound is refuted"}},
	} {
		out := Outcome{Report: x.said}
		if !math.IsInf(x.found.Objective, 1) {
			out.Objective = &x.found.Objective
		}
		x.want.Objective = out.Objective
		if out.judge(in, c, x.found, 0); out != x.want {
			t.Errorf("%s: %+v, expected %+v", name, out, x.want)
		}
	}
}
