package model_test

import (
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// TestBandwidthByHand: every bandwidth counts as it is stated, to the last digit: data over the slowest link, messages over the
// cluster's network, and the least that a job needs, of which 0.1 % less is too little.
func TestBandwidthByHand(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "clusters": [
		{"id": "c", "network": {"latency": 1, "bandwidth": 4}, "machines": [{"id": "fast", "bandwidth": 8}, {"id": "slow", "bandwidth": 2}]},
		{"id": "d", "machines": [{"id": "below", "bandwidth": 1.9995}]}],
		"jobs": [{"id": "j", "processors": 2, "work": 3, "input": 10, "output": 6, "message": 12},
			{"id": "k", "work": 3, "input": 16}, {"id": "least", "work": 1, "min_bandwidth": 2}]}`), "i")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		job  int
		set  model.ProcessorSet
		want float64
	}{
		{0, model.Processors(0, 1), 3 + 1 + 3 + 8}, // work, latency, message over the network, data over the slow link
		{1, model.Processors(0), 3 + 2},
		{1, model.Processors(1), 3 + 8},
	} {
		if got := in.Duration(c.job, 0, c.set); got != c.want {
			t.Errorf("job %d on %s: %v, expected %v", c.job, c.set, got, c.want)
		}
	}
	if !in.CanRun(2, 0) || in.CanRun(2, 1) {
		t.Errorf("a job that needs bandwidth 2: on c %v, on d, which offers 1.9995, %v", in.CanRun(2, 0), in.CanRun(2, 1))
	}
	placed := &model.Solution{Jobs: []model.Placement{{Job: "least", Cluster: "d", Processors: model.Processors(0), End: 1},
		{Job: "j", Cluster: "c", Processors: model.Processors(0, 1), End: 15}, {Job: "k", Cluster: "c", Processors: model.Processors(0), Start: 15, End: 20}}}
	report := model.Check(in, placed)
	if len(report.Violations) != 1 || report.Violations[0].Code != "bandwidth" {
		t.Errorf("the checker lists %v", report.Violations)
	}
}
