package model_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/internal/modeltest"
	"github.com/allot-opt/allot/model"
)

// The states fill the gaps of each machine that can be off, follow each other by ways that the machine has, and take the energy that the metric counts.
func TestStates(t *testing.T) {
	seen := 0
	rapid.Check(t, func(t *rapid.T) {
		in := modeltest.Generator{Features: modeltest.AllFeatures | modeltest.PowerFeatures}.Instance(t)
		sol := drawSolution(t, in)
		cost, err := model.Evaluate(in, sol)
		list, known, failed := model.States(in, sol)
		if (err == nil) != (failed == nil) {
			t.Fatalf("evaluated with %v, states with %v", err, failed)
		}
		energy, measured := cost.Metrics.Get("energy")
		if err != nil || !measured {
			return
		}
		if !known {
			t.Fatal("the energy is known and the states are not")
		}
		sum := 0.0
		for k, s := range list {
			p := in.Clusters()[s.Cluster].Machines[s.Group].Power
			power := p.Idle
			switch {
			case s.Way == model.Down:
				power = p.Off[s.State].Down.Power
			case s.Way == model.Up:
				power = p.Off[s.State].Up.Power
			case s.State != model.On:
				power = p.Off[s.State].Power
			}
			if !(s.From < s.To) || s.Way != model.Stays && s.State == model.On {
				t.Fatalf("state %+v", s)
			}
			if k > 0 {
				before := list[k-1]
				if same := before.Cluster == s.Cluster && before.Group == s.Group && before.Machine == s.Machine; same && before.To > s.From {
					t.Fatalf("%+v follows %+v", s, before)
				}
			}
			sum += power * (s.To - s.From)
		}
		if seen += len(list); sum > energy*(1+1e-9)+1e-9 {
			t.Fatalf("the states take %v, all is %v", sum, energy)
		}
	})
	if seen == 0 {
		t.Error("no machine of any instance can be off")
	}
}

// A machine sleeps between two jobs, and its ways and states are those that are cheapest.
func TestStatesOfOneMachine(t *testing.T) {
	power := &model.PowerSpec{Idle: 2, Busy: 1, End: "off", Off: []model.OffSpec{{Name: "off", Down: model.WaySpec{Time: 1, Power: 1}, Up: model.WaySpec{Time: 2, Power: 3}}}}
	b := model.NewBuilder("x").Minimise("energy", 1).Cluster(model.ClusterSpec{ID: "c", Machines: []model.MachineSpec{{ID: "m", Count: 2, Power: power}}})
	b.Job(model.JobSpec{ID: "a", Work: new(2.0)}, model.JobSpec{ID: "b", Work: new(3.0)})
	b.Spec().Horizon = &model.HorizonSpec{To: 30}
	in, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	list, known, err := model.States(in, &model.Solution{Jobs: []model.Placement{
		{Job: "a", Cluster: "c", Processors: model.Processors(1), Start: 1, End: 3}, {Job: "b", Cluster: "c", Processors: model.Processors(1), Start: 15, End: 18}}})
	if err != nil || !known {
		t.Fatal(err)
	}
	want := []model.MachineState{
		{Machine: 0, From: 0, To: 1, Way: model.Down}, {Machine: 0, From: 1, To: 30},
		{Machine: 1, From: 0, To: 1, State: model.On}, {Machine: 1, From: 3, To: 4, Way: model.Down}, {Machine: 1, From: 4, To: 13}, {Machine: 1, From: 13, To: 15, Way: model.Up},
		{Machine: 1, From: 18, To: 19, Way: model.Down}, {Machine: 1, From: 19, To: 30},
	}
	if len(list) != len(want) {
		t.Fatalf("got %+v", list)
	}
	for k := range list {
		if list[k] != want[k] {
			t.Errorf("got %+v, want %+v", list[k], want[k])
		}
	}
}
