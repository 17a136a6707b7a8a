package solve_test

import (
	"testing"

	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// The metric is named where the instance minimises anything but that metric alone.
func TestOtherObjective(t *testing.T) {
	for _, c := range []struct {
		by        string
		objective map[string]float64
		want      string
	}{
		{"", map[string]float64{"makespan": 1}, ""},
		{"", map[string]float64{"makespan": 0}, ""},
		{"makespan", map[string]float64{"makespan": 2}, ""},
		{"makespan", map[string]float64{"makespan": 2, "cost": 0}, ""},
		{"makespan", map[string]float64{"makespan": 2, "cost": 1}, "makespan"},
		{"makespan", map[string]float64{"makespan": -1}, "makespan"},
		{"makespan", map[string]float64{"makespan": 0}, "makespan"},
		{"makespan", map[string]float64{"cost": 1}, "makespan"},
	} {
		b := model.NewBuilder("x").Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}})
		for metric, weight := range c.objective {
			b.Minimise(metric, weight)
		}
		in, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		info := solve.Info{AllocatesBy: c.by}
		if got := info.OtherObjective(in); got != c.want {
			t.Errorf("allocates by %q, objective %v: %q, expected %q", c.by, c.objective, got, c.want)
		}
	}
}
