package model_test

import (
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

// estimatedGGOne is the worked instance of the G/G/1 allocation with its works as estimates; the tasks turn out to need other works.
func estimatedGGOne(t *testing.T) *model.Instance {
	t.Helper()
	in, err := readInstance(`{"schema": "allot/instance/1", "objective": {"qos_penalty": 1},
		"queueing": {"rate": 0.3, "period": 10, "charge": "response"},
		"clusters": [{"id": "g", "machines": [
			{"id": "R1", "speed": 10000, "cost": 0.2, "queue": {"service_rate": 0.5, "arrival_variance": 6, "service_variance": 2}},
			{"id": "R2", "speed": 5000, "cost": 0.1, "queue": {"service_rate": 0.25, "arrival_variance": 8, "service_variance": 8}}]}],
		"jobs": [
			{"id": "t1", "estimate": 20, "reference_speed": 1000, "work": 90000, "deadline": 4, "budget": 0.5},
			{"id": "t2", "estimate": 30000, "work": 10, "deadline": 8, "budget": 1},
			{"id": "t3", "estimate": 10000, "work": 10000, "deadline": 5, "budget": 0.4}]}`)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// The penalty is one of what is known: with the works of the worked instance as estimates it is what it was, whatever the tasks really need;
// and the checker, which knows the true ends, finds the same.
func TestQoSPenaltyRestsOnEstimates(t *testing.T) {
	in, worked := estimatedGGOne(t), ggone(t, 0.3)
	for _, a := range assignments[:7] {
		report := model.Check(in, assignment(in, a, nil))
		if !report.OK() {
			t.Errorf("%s: %s", a, violations(report))
		}
		want := evaluated(t, worked, assignment(worked, a, nil)).Objective
		if got, ok := report.Metrics.Get("qos_penalty"); !ok || got != want || report.Objective != want {
			t.Errorf("%s: %v, objective %v, expected %v", a, got, report.Objective, want)
		}
	}
}

// Known puts the estimate in the place of the work, and is the instance itself where it changes nothing.
func TestKnown(t *testing.T) {
	in := estimatedGGOne(t)
	known := in.Known()
	for k, want := range []float64{20000, 30000, 10000} {
		if got := known.Jobs()[k].Work; got != want {
			t.Errorf("known work of job %d: %v, expected %v", k, got, want)
		}
	}
	if in.Jobs()[0].Work != 90000 {
		t.Error("the instance itself has changed")
	}
	if known.SHA256() != hashed(written(t, known)) {
		t.Errorf("the SHA-256 of what is known is %s, that of the instance %s", known.SHA256(), in.SHA256())
	}
	if known.Known() != known {
		t.Error("what is known of what is known is another instance")
	}
	if plain := ggone(t, 0.3); plain.Known() != plain {
		t.Error("an instance without estimates is copied")
	}
}

// Run times by the estimate: 3 tasks on at most 2 processors take two rounds of 40 / 2 on the slowest machine of c; d stays impossible.
func TestKnownRuntimes(t *testing.T) {
	in, err := readInstance(document("", `{"id": "c", "machines": [{"id": "m", "speed": 4}, {"id": "n", "speed": 2}]}, {"id": "d", "machines": [{"id": "o"}]}`,
		`{"id": "a", "processors": {"min": 1, "max": 2}, "tasks": 3, "estimate": 40, "runtime": {"c": 7}},
			{"id": "b", "estimate": 40, "reference_speed": 3, "runtime": {"c": 7}}`))
	if err != nil {
		t.Fatal(err)
	}
	known := in.Known()
	if got := known.Duration(0, 0, model.Processors(0, 1)); got != 40 {
		t.Errorf("known run time %v, expected 40", got)
	}
	if got := known.Duration(1, 0, model.Processors(0)); got != 60 {
		t.Errorf("known run time of b %v, expected 40·3/2", got)
	}
	if got := known.Duration(0, 1, model.Processors(0)); !math.IsNaN(got) {
		t.Errorf("known run time %v on a cluster that states none, expected NaN", got)
	}
	if known.Known() != known {
		t.Error("what is known of what is known is another instance")
	}
}

// A job whose run times are just those of its estimate is known to do the work of the estimate, too, whatever work it states.
func TestKnownWorkBesideRuntimes(t *testing.T) {
	in, err := readInstance(document("", oneCluster, `{"id": "a", "work": 3, "estimate": 5, "runtime": {"c": 5}}`))
	if err != nil {
		t.Fatal(err)
	}
	if known := in.Known(); known.Jobs()[0].Work != 5 || known.Known() != known {
		t.Errorf("the known work is %v, expected 5", known.Jobs()[0].Work)
	}
}

// Machines without jobs serve at rates that follow from the estimates, too: their mean is 4, of the true works 50.
func TestIdleMachinesRestOnEstimates(t *testing.T) {
	in, err := readInstance(document(`"queueing": {"rate": 0.5, "cv": 1},`, `{"id": "g", "machines": [{"id": "m", "speed": 2}]}`,
		`{"id": "a", "work": 90, "estimate": 3}, {"id": "b", "work": 10, "estimate": 5}`))
	if err != nil {
		t.Fatal(err)
	}
	view, err := model.Queues(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := view.Machines[0]; m.ServiceRate != 0.5 || m.Kappa != (4+0.25)/2 || m.Wait != 0 {
		t.Errorf("%+v, expected μ = 2/4 and κ = (1/0.5² + 1/2²)/2", m)
	}
}
