package packing_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/allot-opt/allot/internal/race"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/search"
	"github.com/allot-opt/allot/search/internal/packing"
)

// The engine finds the best schedule of tiny instances: no schedule that starts its jobs at once and that the checker accepts is better.
func TestAgainstAllSchedules(t *testing.T) {
	race.OneGoroutine(t)
	taken, left, several := 0, 0, 0
	for seed := range uint64(race.Fewer(250, 40)) {
		d := &drawer{rand.New(rand.NewPCG(seed, 1))}
		in := d.instance(t, 3, 4)
		if !takes(t, in) {
			t.Errorf("seed %d: not taken", seed)
			continue
		}
		taken++
		result, err := search.Minimise(context.Background(), in, nil, search.Options{Seed: seed, MaxEvals: 4000})
		if err != nil {
			t.Fatal(err)
		}
		report := model.Check(in, result.Solution)
		if !report.OK() {
			t.Fatalf("seed %d: %v", seed, report.Violations[0])
		}
		best := bestOf(in)
		if math.Abs(report.Evaluation.Objective-best) > 1e-9*(1+math.Abs(best)) {
			t.Errorf("seed %d: found %v, the best of all schedules is %v", seed, report.Evaluation.Objective, best)
		}
		if len(result.Solution.Unscheduled) > 0 {
			left++
		}
		for k := range result.Solution.Jobs {
			if result.Solution.Jobs[k].Processors.Len() > 1 {
				several++
				break
			}
		}
	}
	if left < taken/4 || several < taken/4 {
		t.Errorf("of %d instances %d leave jobs out, %d place jobs on several processors", taken, left, several)
	}
}

// takes says whether the engine takes the instance.
func takes(t *testing.T, in *model.Instance) bool {
	e, err := packing.New(context.Background(), in, &model.Solution{}, 1)
	if err != nil || search.Packs(context.Background(), in) != (e != nil) {
		t.Fatalf("%v, %v", e, err)
	}
	return e != nil
}

// bestOf is the least objective of all schedules that start jobs at 0 on one cluster each. The checker says which are schedules.
func bestOf(in *model.Instance) float64 {
	s := &model.Solution{Schema: model.SolutionSchema}
	for k := range in.Jobs() {
		s.Unscheduled = append(s.Unscheduled, model.Unscheduled{Job: in.Jobs()[k].ID, Reason: "no"})
	}
	least := math.Inf(1)
	var extend func(k int)
	extend = func(k int) {
		if k == len(in.Jobs()) {
			least = min(least, model.Check(in, s).Evaluation.Objective)
			return
		}
		extend(k + 1)
		out := s.Unscheduled
		for _, placement := range waysOf(in, s, k) {
			s.Jobs, s.Unscheduled = append(s.Jobs, placement), nil
			for _, u := range out {
				if u.Job != placement.Job {
					s.Unscheduled = append(s.Unscheduled, u)
				}
			}
			if model.Check(in, s).OK() {
				extend(k + 1)
			}
			s.Jobs = s.Jobs[:len(s.Jobs)-1]
		}
		s.Unscheduled = out
	}
	extend(0)
	return least
}

// waysOf are the ways to place job k beside a schedule: blocks on machines, on the first processors that are free there, with every choice of devices.
func waysOf(in *model.Instance, s *model.Solution, k int) []model.Placement {
	job := &in.Jobs()[k]
	var all []model.Placement
	for c := range in.Clusters() {
		cluster := &in.Clusters()[c]
		if !in.CanRun(k, c) {
			continue
		}
		held := make([]bool, cluster.Processors)
		for i := range s.Jobs {
			if s.Jobs[i].Cluster == cluster.ID {
				for _, r := range s.Jobs[i].Processors {
					for p := r.First; p <= r.Last; p++ {
						held[p] = true
					}
				}
			}
		}
		duration := in.DurationOn(k, c, job.Min)
		var spread func(g, machine, left int, so model.Placement)
		spread = func(g, machine, left int, so model.Placement) {
			if left == 0 {
				so.Processors = model.NewProcessorSet(so.Processors...)
				all = append(all, so)
				return
			}
			if g == len(cluster.Machines) {
				return
			}
			m := &cluster.Machines[g]
			if machine == m.Count {
				spread(g+1, 0, left, so)
				return
			}
			spread(g, machine+1, left, so)
			set := append(model.ProcessorSet{}, so.Processors...)
			blocks, inBlock := 0, 0
			for p := m.First + machine*m.Units; p < m.First+(machine+1)*m.Units && left > 0; p++ {
				if held[p] {
					continue
				}
				set = append(set, model.Range{First: p, Last: p})
				if inBlock++; inBlock < job.Node().Block {
					continue
				}
				blocks, inBlock, left = blocks+1, 0, left-1
				for _, devices := range deviceSets(in, job.Node(), m, machine, blocks) {
					next := so
					next.Processors, next.Devices = append(model.ProcessorSet{}, set...), merged(so.Devices, devices)
					spread(g, machine+1, left, next)
				}
			}
		}
		spread(0, 0, job.Min/job.Node().Block, model.Placement{Job: job.ID, Cluster: cluster.ID, Start: 0, End: model.End(0, duration)})
	}
	return all
}

// deviceSets are all choices of devices for blocks of a job on a machine.
func deviceSets(in *model.Instance, n *model.NodeNeeds, m *model.Machine, machine, blocks int) []model.DevicesHeld {
	sets := []model.DevicesHeld{nil}
	for _, need := range n.Resources {
		resource := in.Resources()[need.Resource]
		if !resource.Devices {
			continue
		}
		wanted := blocks
		if need.Amount > model.WholeAmount {
			wanted *= int(need.Amount / model.WholeAmount)
		}
		there := int(m.Amount(need.Resource) / model.WholeAmount)
		var next []model.DevicesHeld
		for choice := range 1 << there {
			var ids []int
			for i := range there {
				if choice&(1<<i) != 0 {
					ids = append(ids, i)
				}
			}
			if len(ids) != wanted {
				continue
			}
			for _, set := range sets {
				next = append(next, merged(set, model.DevicesHeld{resource.ID: {m.Name(machine): model.Processors(ids...)}}))
			}
		}
		sets = next
	}
	return sets
}

// merged are the devices of both.
func merged(a, b model.DevicesHeld) model.DevicesHeld {
	all := model.DevicesHeld{}
	for _, part := range []model.DevicesHeld{a, b} {
		for resource, machines := range part {
			if all[resource] == nil {
				all[resource] = map[string]model.ProcessorSet{}
			}
			for name, set := range machines {
				all[resource][name] = set
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// Of many machines, too, every schedule is right; more evaluations make it no worse; and the number of workers changes nothing. A search that begins with
// a schedule returns one that is as good at least.
func TestManyMachines(t *testing.T) {
	for seed := range uint64(race.Fewer(16, 5)) {
		d := &drawer{rand.New(rand.NewPCG(seed, 2))}
		in := d.instance(t, 100, 300)
		search := func(start *model.Solution, evaluations int64, workers int) (*model.Solution, float64) {
			result, err := search.Minimise(context.Background(), in, start, search.Options{Seed: seed, MaxEvals: evaluations, Workers: workers})
			if err != nil {
				t.Fatal(err)
			}
			report := model.Check(in, result.Solution)
			if !report.OK() {
				t.Fatalf("seed %d, %d evaluations: %v", seed, evaluations, report.Violations[0])
			}
			return result.Solution, report.Evaluation.Objective
		}
		_, atFirst := search(nil, 1, 1)
		alone, found := search(nil, 9000, 1)
		if several, _ := search(nil, 9000, 3); !reflect.DeepEqual(alone, several) {
			t.Errorf("seed %d: three workers find another schedule than one", seed)
		}
		if found > atFirst {
			t.Errorf("seed %d: %v after one evaluation, %v after many", seed, atFirst, found)
		}
		e, err := packing.New(context.Background(), in, alone, seed)
		if err != nil {
			t.Fatal(err)
		}
		begun := math.Inf(1)
		for k := range e.Chains() {
			begun = min(begun, e.Best(k).Objective)
		}
		if begun > found+1e-9*math.Abs(found) {
			t.Errorf("seed %d: the engine begins at %v with a schedule of %v", seed, begun, found)
		}
	}
}

// The engine stops soon after the context ends, with a schedule that is right.
func TestStops(t *testing.T) {
	d := &drawer{rand.New(rand.NewPCG(1, 3))}
	in := d.instance(t, 3000, 20_000)
	ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
	defer cancel()
	result, err := search.Minimise(ctx, in, nil, search.Options{Workers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if result.Stop != model.StopTime {
		t.Errorf("stopped as %s", result.Stop)
	}
	if result.Solution != nil && !model.Check(in, result.Solution).OK() {
		t.Error(model.Check(in, result.Solution).Violations[0])
	}
	cancel()
	if result, err = search.Minimise(ctx, in, nil, search.Options{}); err != nil || result.Solution != nil {
		t.Errorf("after the end: %v, %v", result, err)
	}
}

// The engine refuses what it cannot search.
func TestTakes(t *testing.T) {
	spec := func() *model.InstanceSpec {
		job := model.JobSpec{ID: "a", Runtime: map[string]float64{"c": 1}, Deadline: new(1.5), DeadlineHard: true, Resources: map[string]float64{"gpu": 0.5}}
		other := job
		other.ID, other.Runtime = "b", map[string]float64{"c": 0.8}
		return &model.InstanceSpec{Devices: []string{"gpu"}, Objective: map[string]float64{"unfinished": 1}, Jobs: []model.JobSpec{job, other},
			Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 4, Resources: map[string]float64{"gpu": 1}}}}}}
	}
	closes := func(times ...model.ClosedSpec) func(*model.InstanceSpec) {
		return func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Closed, s.Jobs[1].Deadline = times, new(1.0) }
	}
	reserves := func(time model.ClosedSpec) func(*model.InstanceSpec) {
		return func(s *model.InstanceSpec) {
			closes(time)(s)
			s.Jobs[0].Reservation = "r"
		}
	}
	for name, c := range map[string]struct {
		change func(*model.InstanceSpec)
		taken  bool
	}{
		"as it is":            {func(*model.InstanceSpec) {}, true},
		"hopeless":            {func(s *model.InstanceSpec) { s.Jobs[0].Runtime["c"] = 9 }, true},
		"nowhere":             {func(s *model.InstanceSpec) { s.Jobs[0].DeadlineHard = false; s.Jobs[0].Resources["gpu"] = 2 }, true},
		"just too short":      {func(s *model.InstanceSpec) { s.Jobs[0].Runtime["c"], s.Jobs[0].Deadline = 0.75, new(1.49) }, true},
		"one after the other": {func(s *model.InstanceSpec) { s.Jobs[0].Runtime["c"], s.Jobs[0].Deadline = 0.75, new(1.5) }, false},
		"a soft deadline":     {func(s *model.InstanceSpec) { s.Jobs[0].DeadlineHard = false }, false},
		"no deadline":         {func(s *model.InstanceSpec) { s.Jobs[0].Deadline, s.Jobs[0].DeadlineHard = nil, false }, false},
		"no time":             {func(s *model.InstanceSpec) { s.Jobs[0].Runtime["c"] = 0 }, false},
		"an arrival":          {func(s *model.InstanceSpec) { s.Jobs[0].Arrival = 0.25 }, false},
		"moldable":            {func(s *model.InstanceSpec) { s.Jobs[0].Processors = model.Moldable(1, 2) }, false},
		"the makespan":        {func(s *model.InstanceSpec) { s.Objective["makespan"] = 1 }, false},
		"many devices":        {func(s *model.InstanceSpec) { s.Clusters[0].Machines[0].Resources["gpu"] = 65 }, false},
		"two speeds": {func(s *model.InstanceSpec) {
			s.Clusters[0].Machines = append(s.Clusters[0].Machines, model.MachineSpec{ID: "n", Speed: 2})
		}, false},
		"whole machines": {func(s *model.InstanceSpec) { s.Clusters[0].Allocation = "machine" }, true},
		"parallel jobs on whole machines": {func(s *model.InstanceSpec) {
			s.Clusters[0].Allocation, s.Jobs[0].Processors = "machine", model.Rigid(2)
		}, false},
		"opens in time":         {closes(model.ClosedSpec{To: new(0.5)}), false},
		"opens too late":        {closes(model.ClosedSpec{To: new(0.75)}), true},
		"closes again before":   {closes(model.ClosedSpec{To: new(0.5)}, model.ClosedSpec{From: 1.25, To: new(2.0)}), true},
		"reserved from then on": {reserves(model.ClosedSpec{From: 0.5, To: new(2.0), For: "r"}), false},
		"reserved too late":     {reserves(model.ClosedSpec{From: 0.75, To: new(2.0), For: "r"}), true},
		"runs already": {func(s *model.InstanceSpec) {
			s.Jobs[0].Running = &model.RunningSpec{Cluster: "c", Processors: model.Processors(0)}
		}, false},
	} {
		s := spec()
		c.change(s)
		in, err := model.New(*s)
		if err != nil {
			t.Fatal(name, err)
		}
		if taken := takes(t, in); taken != c.taken {
			t.Errorf("%s: taken is %v", name, taken)
		}
	}
}

// A job that is worth nothing is placed where there is room; one that costs is left out.
func TestWorthless(t *testing.T) {
	spec := model.InstanceSpec{Objective: map[string]float64{"work_done": 1, "data_moved": -1}, Clusters: []model.ClusterSpec{{ID: "c", Machines: []model.MachineSpec{{ID: "m", Processors: 3}}}}}
	for k, x := range [][2]float64{{1, 0}, {1, 1}, {1, 2}, {2, 1}} {
		spec.Jobs = append(spec.Jobs, model.JobSpec{ID: fmt.Sprint("j", k), Work: new(x[0]), Input: x[1], Runtime: map[string]float64{"c": 1}, Deadline: new(1.0), DeadlineHard: true, Resources: map[string]float64{}})
	}
	in, err := model.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	result, err := search.Minimise(context.Background(), in, nil, search.Options{MaxEvals: 100})
	if err != nil {
		t.Fatal(err)
	}
	if report := model.Check(in, result.Solution); !report.OK() || report.Evaluation.Objective != -2 || len(result.Solution.Jobs) != 3 || result.Solution.Unscheduled[0].Job != "j2" {
		t.Errorf("%v: %+v", report.Violations, result.Solution)
	}
	if result.Stop != model.StopDone {
		t.Errorf("it searches on although every job that is worth something is placed: %s", result.Stop)
	}
}
