package model_test

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/allot-opt/allot/model"
)

func TestOptimalForInWords(t *testing.T) {
	for want, objectives := range map[string][]map[string]float64{
		"optimal for the instance's objective": {nil, {}, {"makespan": 0}},
		"optimal for makespan":                 {{"makespan": 2}, {"makespan": 0.5, "cost": 0}},
		"optimal for high makespan":            {{"makespan": -1}},
		"optimal for utilisation":              {{"utilisation": 1}, {"utilisation": 0.5}},
		"optimal for low utilisation":          {{"utilisation": -1}, {"utilisation": -1e-3, "mcp": 0, "cost": 0}},
		"optimal for low mean_partition":       {{"mean_partition": 1}, {"mean_partition": 0.5}},
		"optimal for high mean_partition":      {{"mean_partition": -1}},
		"optimal for unheard of":               {{"unheard of": 1}},
		"optimal for high unheard of":          {{"unheard of": -1}},
		"optimal for the weighted objective":   {{"makespan": 1, "cost": 1}, {"makespan": 1e-9, "cost": -1, "mcp": 3}},
	} {
		for _, objective := range objectives {
			if got := model.OptimalFor(objective); got != want {
				t.Errorf("%v: %q, expected %q", objective, got, want)
			}
		}
	}
}

// The objective of metrics is their weighted sum, of which those of weight 0 may be missing.
func TestObjectiveOfMetrics(t *testing.T) {
	in, err := readInstance(smallGrid)
	if err != nil {
		t.Fatal(err)
	}
	metrics := model.Metrics{"makespan": {Total: 10}, "finished": {Total: 3}, "cost": {Total: 0.5}}
	for _, c := range []struct {
		objective map[string]float64
		want      float64 // NaN: a metric is missing
	}{
		{map[string]float64{"makespan": 2}, 20},
		{map[string]float64{"makespan": 2, "finished": 5, "cost": 4}, 20 - 15 + 2},
		{map[string]float64{"makespan": 2, "qos_penalty": 0}, 20},
		{map[string]float64{"makespan": 2, "qos_penalty": 1e-9}, math.NaN()},
		{map[string]float64{"makespan": 0}, 0},
	} {
		other, err := in.WithObjective(c.objective)
		if err != nil {
			t.Fatal(err)
		}
		switch got := other.WeightedSum(metrics); {
		case got == nil && math.IsNaN(c.want):
		case got == nil || *got != c.want:
			t.Errorf("%v: %v, expected %v", c.objective, got, c.want)
		}
	}
}

// Metrics are written in the order of the table, others after them in order of their names.
func TestMetricsInJSON(t *testing.T) {
	metrics := model.Metrics{"b": {Total: 1}, "qos_penalty": {Total: 2.5}, "makespan": {Total: -3}, "a": {}, "cp": {ByCluster: map[string]float64{"y": 4, "x": 5}}}
	const want = `{"makespan":-3,"cp":{"x":5,"y":4},"qos_penalty":2.5,"a":0,"b":1}`
	if text, err := json.Marshal(metrics); err != nil || string(text) != want {
		t.Errorf("written as %s, %v, expected %s", text, err, want)
	}
	for _, value := range []model.MetricValue{{Total: math.NaN()}, {ByCluster: map[string]float64{"x": math.Inf(1)}}} {
		if text, err := (model.Metrics{"makespan": value}).MarshalJSON(); err == nil {
			t.Errorf("%v is written as %s", value, text)
		}
	}
	if text, err := json.Marshal(model.Metrics{}); err != nil || string(text) != "{}" {
		t.Errorf("no metrics are written as %s, %v", text, err)
	}
}
