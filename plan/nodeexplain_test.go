package plan

import (
	"slices"
	"testing"

	"github.com/allot-opt/allot/model"
)

// A job on a machine waits for what another that ends then held there: a device, or the machine itself. A job that holds nothing of what there was too little of is not
// waited for.
func TestExplainWaitsOnNodes(t *testing.T) {
	held := &model.RunningSpec{Cluster: "c", Processors: model.Processors(0), Holds: map[string]map[string]float64{"m": {"gpu": 1}}, Devices: model.DevicesHeld{"gpu": {"m": model.Processors(0)}}}
	for name, c := range map[string]struct {
		first, second model.JobSpec
		want          []Wait
	}{
		"device":             {model.JobSpec{Resources: map[string]float64{"gpu": 0.7}}, model.JobSpec{Resources: map[string]float64{"gpu": 1}}, []Wait{{"gpu", "first", 3}}},
		"device of one only": {model.JobSpec{}, model.JobSpec{Resources: map[string]float64{"gpu": 1}}, nil},
		"own machine":        {model.JobSpec{}, model.JobSpec{Exclusive: true}, []Wait{{"machine", "first", 3}}},
		"its machine":        {model.JobSpec{Exclusive: true}, model.JobSpec{}, []Wait{{"machine", "first", 3}}},
		"running":            {model.JobSpec{Running: held}, model.JobSpec{Resources: map[string]float64{"gpu": 1}}, []Wait{{"gpu", "first", 3}}},
		"runs without it":    {model.JobSpec{Running: &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}}, model.JobSpec{Resources: map[string]float64{"gpu": 1}}, nil},
		"room for both":      {model.JobSpec{Memory: 1}, model.JobSpec{Memory: 1, Resources: map[string]float64{"gpu": 1}}, nil},
		"memory":             {model.JobSpec{Memory: 2}, model.JobSpec{Memory: 2, Resources: map[string]float64{"gpu": 1}}, []Wait{{"memory", "first", 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := model.NewBuilder("waits")
			b.Spec().Devices = []string{"gpu"}
			b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 2, Memory: new(3.0), Resources: map[string]float64{"gpu": 1}}}})
			c.first.ID, c.first.Work, c.second.ID, c.second.Work = "first", new(3.0), "second", new(1.0)
			in := build(t, b.Job(c.first, c.second))
			sol := &model.Solution{Jobs: []model.Placement{
				{Job: "first", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 3}, {Job: "second", Cluster: "c", Processors: model.Processors(1), Start: 3, End: 4}}}
			for k := range sol.Jobs {
				if run := in.Jobs()[k].Node().Running; len(in.Jobs()[k].Node().Resources) > 0 || run != nil && run.Devices != nil {
					sol.Jobs[k].Devices = model.DevicesHeld{"gpu": {"m": model.Processors(0)}}
				}
			}
			if report := model.Check(in, sol); !report.OK() {
				t.Fatal(report.Violations)
			}
			if e := Explain(in, sol, 1); !slices.Equal(e.Waits, c.want) {
				t.Errorf("waits %+v, want %+v", e.Waits, c.want)
			}
		})
	}
}

// A job waits for what there was too little of, not for the processors that it happens to be given: here the first job's processor is free again when the second takes it, but there
// were others.
func TestExplainWaitsForWhatDecides(t *testing.T) {
	gpu := map[string]float64{"gpu": 1}
	for name, c := range map[string]struct {
		machine       model.MachineSpec
		first, second model.JobSpec
		free          float64
		want          []Wait
	}{
		"gpu":        {model.MachineSpec{Resources: gpu}, model.JobSpec{Resources: gpu}, model.JobSpec{Resources: gpu}, 3, []Wait{{"gpu", "first", 3}}},
		"memory":     {model.MachineSpec{Memory: new(3.0)}, model.JobSpec{Memory: 2}, model.JobSpec{Memory: 2}, 3, []Wait{{"memory", "first", 3}}},
		"processors": {model.MachineSpec{Resources: gpu}, model.JobSpec{Processors: model.Rigid(4)}, model.JobSpec{Resources: gpu}, 3, []Wait{{"processors", "first", 3}}},
		"both":       {model.MachineSpec{Resources: gpu}, model.JobSpec{Processors: model.Rigid(4), Block: 4, Resources: gpu}, model.JobSpec{Resources: gpu}, 3, []Wait{{"gpu", "first", 3}}},
		"nothing":    {model.MachineSpec{Resources: gpu}, model.JobSpec{}, model.JobSpec{Resources: gpu}, 0, []Wait{}},
		"closed":     {model.MachineSpec{Closed: []model.ClosedSpec{{From: 0, To: new(3.0)}}}, model.JobSpec{Work: new(0.0)}, model.JobSpec{}, 3, []Wait{}},
		"licence":    {model.MachineSpec{}, model.JobSpec{Licences: map[string]int{"l": 1}}, model.JobSpec{Licences: map[string]int{"l": 1}}, 3, []Wait{{"licence", "first", 3}}},
		"licence and processors": {model.MachineSpec{}, model.JobSpec{Processors: model.Rigid(4), Licences: map[string]int{"l": 1}}, model.JobSpec{Licences: map[string]int{"l": 1}}, 3,
			[]Wait{{"licence", "first", 3}, {"processors", "first", 3}}},
		"enough copies": {model.MachineSpec{Resources: gpu}, model.JobSpec{Licences: map[string]int{"m": 1}, Resources: gpu}, model.JobSpec{Licences: map[string]int{"m": 1}, Resources: gpu}, 3,
			[]Wait{{"gpu", "first", 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			b := model.NewBuilder("waits")
			b.Spec().Licences = map[string]int{"l": 1, "m": 2}
			c.machine.ID, c.machine.Processors = "m", 4
			if c.machine.Resources != nil {
				b.Spec().Devices = []string{"gpu"}
			}
			b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{c.machine}})
			c.first.ID, c.second.ID, c.second.Work = "first", "second", new(1.0)
			if c.first.Work == nil {
				c.first.Work = new(3.0)
			}
			in := build(t, b.Job(c.first, c.second))
			sol := &model.Solution{Jobs: []model.Placement{
				{Job: "first", Cluster: "c", Processors: model.ProcessorSet{{First: 0, Last: max(1, in.Jobs()[0].Min) - 1}}, Start: 0, End: *c.first.Work},
				{Job: "second", Cluster: "c", Processors: model.Processors(0), Start: 3, End: 4}}}
			for k := range sol.Jobs {
				if len(in.Jobs()[k].Node().Resources) > 0 {
					sol.Jobs[k].Devices = model.DevicesHeld{"gpu": {"m": model.Processors(0)}}
				}
			}
			if report := model.Check(in, sol); !report.OK() {
				t.Fatal(report.Violations)
			}
			if e := Explain(in, sol, 1); !slices.Equal(e.Waits, c.want) || *e.Free != c.free {
				t.Errorf("waits %+v, free %v, want %+v and %v", e.Waits, *e.Free, c.want, c.free)
			}
		})
	}
}

// An explanation offers the earliest end beside what the others hold, licences and jobs that run already included.
func TestExplainOffersOnNodes(t *testing.T) {
	b := model.NewBuilder("offers")
	b.Spec().Devices, b.Spec().Licences = []string{"gpu"}, map[string]int{"l": 1}
	b.Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Resources: map[string]float64{"gpu": 2}}}})
	held := &model.RunningSpec{Cluster: "c", Processors: model.Processors(0), Holds: map[string]map[string]float64{"m": {"gpu": 1}}, Devices: model.DevicesHeld{"gpu": {"m": model.Processors(0)}}}
	in := build(t, b.Job(
		model.JobSpec{ID: "runs", Work: new(9.0), Running: held},
		model.JobSpec{ID: "licence", Work: new(3.0), Licences: map[string]int{"l": 1}},
		model.JobSpec{ID: "gpu", Work: new(5.0), Resources: map[string]float64{"gpu": 0.7}},
		model.JobSpec{ID: "free", Work: new(1.0), Resources: map[string]float64{"gpu": 0.3}},
		model.JobSpec{ID: "both", Work: new(1.0), Resources: map[string]float64{"gpu": 0.3}, Licences: map[string]int{"l": 1}},
		model.JobSpec{ID: "whole", Work: new(1.0), Resources: map[string]float64{"gpu": 1}},
	))
	at := func(job string, p int, end float64) model.Placement {
		return model.Placement{Job: job, Cluster: "c", Processors: model.Processors(p), Start: 20, End: 20 + end, Devices: model.DevicesHeld{"gpu": {"m": model.Processors(1)}}}
	}
	sol := &model.Solution{Jobs: []model.Placement{
		{Job: "runs", Cluster: "c", Processors: model.Processors(0), End: 9, Devices: held.Devices},
		{Job: "licence", Cluster: "c", Processors: model.Processors(1), End: 3},
		{Job: "gpu", Cluster: "c", Processors: model.Processors(2), End: 5, Devices: model.DevicesHeld{"gpu": {"m": model.Processors(1)}}},
	}}
	if a := Explain(in, sol, 0).Alternatives[0]; a.Start != nil || a.Why != "it runs already" {
		t.Errorf("a job that runs: offers %+v", a)
	}
	for k, job := range []string{"free", "both", "whole"} {
		one := *sol
		one.Jobs = append(slices.Clip(one.Jobs), at(job, 1, 1))
		a := Explain(in, &one, 3+k).Alternatives[0]
		if want := []float64{0, 3, 5}[k]; a.Start == nil || *a.Start != want {
			t.Errorf("%s: offers %+v, want the start %v", job, a, want)
		}
	}
}

// Where a job runs, it could run: no explanation offers its own cluster for later only. On machines of different speed the hole that a job fills may be too short for the same processors with its tasks spread otherwise.
func TestExplainOffersWhatTheJobHas(t *testing.T) {
	for kind := range 4 {
		device, bounded := kind%2 == 1, kind >= 2
		for tasks := range 4 {
			for first := range 4 { // the job holds the processors from here on
				b := model.NewBuilder("has")
				machines := []model.MachineSpec{{ID: "slow", Processors: 3, Speed: 0.3}, {ID: "fast", Processors: 2, Speed: 1.1}}
				if device {
					b.Spec().Devices = []string{"gpu"}
					machines[0].Resources, machines[1].Resources = map[string]float64{"gpu": 1}, map[string]float64{"gpu": 2}
				}
				if bounded {
					b.Spec().Horizon = &model.HorizonSpec{To: 32.5} // often there is no room behind the other job
				}
				b.Cluster(model.ClusterSpec{ID: "c", Machines: machines})
				set := model.ProcessorSet{{First: first, Last: 4}}
				in := build(t, b.Job(
					model.JobSpec{ID: "j", Processors: model.Rigid(5 - first), Tasks: tasks + 1, Work: new(0.75)},
					model.JobSpec{ID: "next", Processors: model.Rigid(5), Work: new(9.0)},
				))
				all := model.ProcessorSet{{First: 0, Last: 4}}
				end := in.Duration(0, 0, set)
				sol := &model.Solution{Jobs: []model.Placement{
					{Job: "j", Cluster: "c", Processors: set, Start: 0, End: end},
					{Job: "next", Cluster: "c", Processors: all, Start: end, End: model.End(end, in.Duration(1, 0, all))}}}
				if report := model.Check(in, sol); !report.OK() {
					t.Fatal(report.Violations)
				}
				a := Explain(in, sol, 0).Alternatives[0]
				if a.End == nil || *a.End > end || a.Why != "" || !device && model.End(*a.Start, in.Duration(0, 0, a.Processors)) != *a.End {
					t.Errorf("%d tasks from processor %d on: it ends at %v, and the explanation offers %+v", tasks+1, first, end, a)
				}
			}
		}
	}
}
