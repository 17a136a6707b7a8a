package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

func TestProcessorsAreNumberedInTheOrderOfMachines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Instance(t, modeltest.AllFeatures)
		total := 0
		for c := range in.Clusters() {
			cluster := &in.Clusters()[c]
			processor, machine := 0, 0
			for g := range cluster.Machines {
				m := &cluster.Machines[g]
				if m.First != processor {
					t.Fatalf("group %d starts at %d, want %d", g, m.First, processor)
				}
				for range m.Count {
					for range m.Units {
						at, group := cluster.MachineOf(processor)
						if at != machine || group != g || cluster.GroupOf(processor) != g {
							t.Fatalf("processor %d is on machine %d of group %d, want %d of %d", processor, at, group, machine, g)
						}
						processor++
					}
					machine++
				}
				if m.Last() != processor-1 {
					t.Fatalf("group %d ends at %d, want %d", g, m.Last(), processor-1)
				}
			}
			if cluster.Processors != processor {
				t.Fatalf("%d processors, want %d", cluster.Processors, processor)
			}
			total += processor
		}
		if in.Processors() != total {
			t.Fatalf("%d processors in all, want %d", in.Processors(), total)
		}
	})
}

func TestInstanceAppliesDefaults(t *testing.T) {
	in, err := readInstance(document(`"licences": {"grid": 2}, "weights": {"makespan": 3}, "user_classes": {"b": 1, "a": 2},`,
		`{"id": "c", "machines": [{"id": "m"}], "licences": {"own": 4}}, {"id": "d", "allocation": "machine", "weights": {"idle_time": 0}, "machines": [{"id": "m", "count": 2, "processors": 4, "speed": 3}]}`,
		`{"id": "j", "arrival": 3, "processors": {"min": 2, "max": 5}, "estimate": 6, "user_class": "b"}, {"id": "k", "arrival": 2, "work": 1, "after": ["j"]}`))
	if err != nil {
		t.Fatal(err)
	}
	c, d := &in.Clusters()[0], &in.Clusters()[1]
	if w := c.Weights; w != (model.Weights{OverDeadline: 1, Makespan: 3, IdleTime: 1}) || in.StatedWeights() != w {
		t.Errorf("weights of c: %+v", w)
	}
	if w := d.Weights; w != (model.Weights{OverDeadline: 1, Makespan: 1, IdleTime: 0}) {
		t.Errorf("weights of d, which states its own: %+v", w)
	}
	if m := d.Machines[0]; d.Processors != 2 || m.Units != 1 || m.Speed != 12 || m.Processors != 4 || m.Last() != 1 {
		t.Errorf("whole machines: %+v", m)
	}
	if m := c.Machines[0]; m.Count != 1 || m.Processors != 1 || m.Speed != 1 || m.Name(0) != "m" || d.Machines[0].Name(1) != "m[1]" {
		t.Errorf("machine: %+v", m)
	}
	j := in.Jobs()[0]
	if j.Tasks != 5 || j.Work != 6 || j.ReferenceSpeed != 1 || j.Span != model.SpanCluster || j.UserClass != 1 || j.Workflow != -1 || j.HasDeadline() || j.HasBudget() || j.Rigid() {
		t.Errorf("job: %+v", j)
	}
	if least, most := in.Width(0, 1); least != 1 || most != 1 {
		t.Errorf("width on whole machines: %d to %d", least, most)
	}
	if in.FirstArrival() != 2 || len(in.Successors(0)) != 1 || in.Successors(1) != nil {
		t.Errorf("first arrival %v, successors %v", in.FirstArrival(), in.Successors(0))
	}
	// Licences are sorted: grid, own. Where only another cluster has a pool there are no copies.
	for _, p := range []struct {
		cluster, licence, copies int
		own                      bool
	}{{0, 0, 2, false}, {1, 0, 2, false}, {0, 1, 4, true}, {1, 1, 0, false}} {
		if copies, own := in.Pool(p.cluster, p.licence); copies != p.copies || own != p.own {
			t.Errorf("licence %d on cluster %d: %d copies, own %v", p.licence, p.cluster, copies, own)
		}
	}
	if o := in.ObjectiveTerms(); len(o) != 1 || o[0] != (model.ObjectiveTerm{Metric: "makespan", Weight: 1}) {
		t.Errorf("objective: %v", o)
	}
}

func TestBuilder(t *testing.T) {
	b := model.NewBuilder("built").Minimise("mcp", 2).Minimise("finished", -1).
		Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m"}}}).
		Job(model.JobSpec{ID: "j", Work: new(2.0)}, model.JobSpec{ID: "k", Work: new(3.0), After: []string{"j"}})
	b.Spec().Units = &model.Units{Time: "h"}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if in.Name() != "built" || in.Units().Time != "h" || len(in.Jobs()) != 2 || len(in.ObjectiveTerms()) != 2 {
		t.Errorf("got %s", written(t, in))
	}
	b.Job(model.JobSpec{ID: "j", Work: new(-1.0)})
	if _, err := b.Build(); err == nil || err.Error() != "jobs[2].work: expected 0 or a number in [1e-18, 1e+18], found -1" {
		t.Errorf("got %v", err)
	}
}
