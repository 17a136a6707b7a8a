package solve

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// TestFingerprintSeesEveryField: a schedule that differs anywhere from the one that was checked is checked again.
func TestFingerprintSeesEveryField(t *testing.T) {
	schedule := func() *model.Solution {
		return &model.Solution{
			Jobs: []model.Placement{
				{Job: "a", Cluster: "c", Processors: model.Processors(0, 1, 4), Start: 1, End: 2},
				{Job: "b", Cluster: "c", Processors: model.Processors(2), Start: 3, End: 4},
			},
			Unscheduled: []model.Unscheduled{{Job: "d", Reason: "late"}},
		}
	}
	print, simple := fingerprint(schedule())
	in := &model.Instance{}
	of := &checked{in: in, print: print}
	if !simple || !of.isOf(in, schedule()) || (*checked)(nil).isOf(in, schedule()) || of.isOf(&model.Instance{}, schedule()) {
		t.Fatal("the same schedule is another one, or nothing was checked and is the same, or another instance is the same")
	}
	changes := map[string]func(s *model.Solution){
		"Job": func(s *model.Solution) { s.Jobs[0].Job = "e" }, "Cluster": func(s *model.Solution) { s.Jobs[1].Cluster = "e" },
		"Processors": func(s *model.Solution) { s.Jobs[0].Processors[1].First++ }, "Start": func(s *model.Solution) { s.Jobs[1].Start++ }, "End": func(s *model.Solution) { s.Jobs[0].End++ },
		"Pieces":  func(s *model.Solution) { s.Jobs[0].Pieces = []model.Piece{{Cluster: "c"}} },
		"Devices": func(s *model.Solution) { s.Jobs[0].Devices = model.DevicesHeld{"gpu": {"m": model.Processors(0)}} },
	}
	for k := range reflect.TypeFor[model.Placement]().NumField() {
		if name := reflect.TypeFor[model.Placement]().Field(k).Name; changes[name] == nil {
			t.Errorf("no change of field %s is tried", name)
		}
	}
	changes["last processor"] = func(s *model.Solution) { s.Jobs[1].Processors[0].Last++ }
	changes["one job less"] = func(s *model.Solution) { s.Jobs = s.Jobs[:1] }
	changes["order"] = func(s *model.Solution) { s.Jobs[0], s.Jobs[1] = s.Jobs[1], s.Jobs[0] }
	changes["job left out"] = func(s *model.Solution) { s.Unscheduled[0].Job = "e" }
	changes["reason"] = func(s *model.Solution) { s.Unscheduled[0].Reason = "" }
	changes["none left out"] = func(s *model.Solution) { s.Unscheduled = nil }
	changes["names run together"] = func(s *model.Solution) { s.Jobs[0].Job, s.Jobs[0].Cluster = "ac", "" }
	changes["loads"] = func(s *model.Solution) { s.Loads = []model.Load{{Cluster: "c"}} }
	for name, change := range changes {
		s := schedule()
		if change(s); of.isOf(in, s) {
			t.Errorf("%s: a changed schedule is the same", name)
		}
	}
}

// changing is a solver that writes into the schedule that Best has checked.
type changing struct{ Solver }

func (changing) Supports(*model.Instance) error { return nil }

func (changing) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	placing := Info{Name: "placing", New: func() Solver { return placing{} }}
	result := NewStages(opt).Best(ctx, in, []Info{placing})
	result.Solution.Jobs[0].Start, result.Solution.Jobs[0].End = 5, 7 // it takes 1
	return result, nil
}

// placing places one job.
type placing struct{}

func (placing) Supports(*model.Instance) error { return nil }

func (placing) Solve(context.Context, *model.Instance, Options) (Result, error) {
	return Result{Status: model.Feasible, Solution: &model.Solution{Jobs: []model.Placement{{Job: "a", Cluster: "c", Processors: model.Processors(0), Start: 0, End: 1}}}}, nil
}

// TestCheckedScheduleThatChanges: what a solver does to a schedule after the check of its stages is seen.
func TestCheckedScheduleThatChanges(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m"}]}], "jobs": [{"id": "a", "work": 1}]}`), "a")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), Choice{Info: Info{Name: "changing"}, Solver: changing{}}, in, Options{})
	if wrong := (*WrongScheduleError)(nil); !errors.As(err, &wrong) {
		t.Errorf("%v; expected a wrong schedule", err)
	}
}
