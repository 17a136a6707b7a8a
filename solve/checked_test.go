package solve

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/allot-opt/allot/model"
)

// full is a schedule with all that one may have.
func full() *model.Solution {
	devices := func() model.DevicesHeld {
		return model.DevicesHeld{"gpu": {"m": model.Processors(0, 2), "n": model.Processors(1)}, "nic": {"m": model.Processors(0)}}
	}
	return &model.Solution{
		Jobs: []model.Placement{
			{Job: "a", Cluster: "c", Processors: model.Processors(0, 1, 4), Start: 1, End: 2, Devices: devices()},
			{Job: "b", Cluster: "c", Processors: model.Processors(2), Start: 3, End: 4},
			{Job: "f", Start: 3, End: 5, Pieces: []model.Piece{
				{Cluster: "c", Processors: model.Processors(7), Tasks: 2, Start: 3, End: 4},
				{Cluster: "d", Processors: model.Processors(0), Tasks: 1, Start: 3, End: 5, Devices: devices()},
			}},
		},
		Unscheduled: []model.Unscheduled{{Job: "d", Reason: "late"}},
		Loads:       []model.Load{{Cluster: "c", Machine: "m", Rate: 1}},
	}
}

// TestFingerprintSeesEveryField: a schedule that differs anywhere from the one that was checked is checked again.
func TestFingerprintSeesEveryField(t *testing.T) {
	in := &model.Instance{}
	of := checkedAs(in, full(), model.Evaluation{})
	if !of.isOf(in, full()) || (*checked)(nil).isOf(in, full()) || of.isOf(&model.Instance{}, full()) {
		t.Fatal("the same schedule is another one, or nothing was checked and is the same, or another instance is the same")
	}
	changes := map[string]func(s *model.Solution){}
	for _, list := range []string{"Jobs", "Unscheduled", "Loads"} { // the rest are figures that the schedule states of itself
		for n := range everyValue(reflect.ValueOf(full()).Elem().FieldByName(list), math.MaxInt) {
			changes[fmt.Sprint(list, " ", n)] = func(s *model.Solution) { everyValue(reflect.ValueOf(s).Elem().FieldByName(list), n) }
		}
	}
	if len(changes) < 60 {
		t.Errorf("only %d values are changed", len(changes))
	}
	changes["one job less"] = func(s *model.Solution) { s.Jobs = s.Jobs[:1] }
	changes["order"] = func(s *model.Solution) { s.Jobs[0], s.Jobs[1] = s.Jobs[1], s.Jobs[0] }
	changes["one piece"] = func(s *model.Solution) { s.Jobs[2].Pieces = s.Jobs[2].Pieces[:1] }
	changes["none left out"] = func(s *model.Solution) { s.Unscheduled = nil }
	changes["no loads"] = func(s *model.Solution) { s.Loads = nil }
	changes["no devices"] = func(s *model.Solution) { s.Jobs[0].Devices = nil }
	changes["names run together"] = func(s *model.Solution) { s.Jobs[0].Job, s.Jobs[0].Cluster = "ac", "" }
	for name, change := range changes {
		s := full()
		if change(s); of.isOf(in, s) {
			t.Errorf("%s: a changed schedule is the same", name)
		}
	}
}

// TestCopiedSharesNothing: whatever is changed in a copy, the schedule stays as it was.
func TestCopiedSharesNothing(t *testing.T) {
	before := fingerprint(full())
	for _, list := range []string{"Jobs", "Unscheduled", "Loads"} {
		for n := range everyValue(reflect.ValueOf(full()).Elem().FieldByName(list), math.MaxInt) {
			of := full()
			copy := copied(of)
			if everyValue(reflect.ValueOf(copy).Elem().FieldByName(list), n); fingerprint(of) != before || fingerprint(copy) == before {
				t.Errorf("%s, value %d: the copy shares it, or is another schedule", list, n)
			}
		}
	}
}

// everyValue changes the value with the given number among the texts, numbers and keys in v, and returns how many there are up to it.
func everyValue(v reflect.Value, number int) (count int) {
	next := func() bool {
		count++
		return count == number+1
	}
	var walk func(reflect.Value)
	walk = func(v reflect.Value) {
		switch v.Kind() {
		case reflect.Slice:
			for k := range v.Len() {
				walk(v.Index(k))
			}
		case reflect.Struct:
			for k := range v.NumField() {
				walk(v.Field(k))
			}
		case reflect.Map:
			for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
				value := reflect.New(v.Type().Elem()).Elem()
				value.Set(v.MapIndex(key))
				if next() {
					v.SetMapIndex(key, reflect.Value{})
					v.SetMapIndex(reflect.ValueOf("other"), value)
					continue
				}
				walk(value) // what it holds is changed in place
			}
		case reflect.String:
			if next() {
				v.SetString(v.String() + "x")
			}
		case reflect.Int:
			if next() {
				v.SetInt(v.Int() + 1)
			}
		case reflect.Float64:
			if next() {
				v.SetFloat(v.Float() + 1)
			}
		default:
			panic(v.Kind())
		}
	}
	walk(v)
	return count
}

// TestStagesCheckForTheRun: where a presolve changes the instance, what the stages check is right for the stated one, and the run checks it no more.
func TestStagesCheckForTheRun(t *testing.T) {
	in, err := model.ReadInstance(strings.NewReader(`{"schema": "allot/instance/1", "clusters": [{"id": "c", "machines": [{"id": "m", "count": 2, "memory": 4}]}],
		"jobs": [{"id": "a", "work": 1, "memory": 1}]}`), "a")
	if err != nil {
		t.Fatal(err)
	}
	if reduced, _ := model.Reduce(in, 0); reduced == in {
		t.Fatal("the presolve leaves nothing out")
	}
	for name, times := range map[string]int{"once": 1, "again": 2} {
		var results []Result
		solver := stageSolver(func(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
			stages := NewStages(opt)
			for range times {
				result, _ := stages.Run(ctx, in, Info{Name: "placing"}, placing{}, opt)
				results = append(results, result)
			}
			return results[len(results)-1], nil
		})
		if _, err := Run(t.Context(), Choice{Info: Info{Name: "stages"}, Solver: solver}, in, Options{}); err != nil {
			t.Fatal(err)
		}
		for _, result := range results {
			if !result.checked.isOf(in, result.Solution) || result.checked != results[0].checked {
				t.Errorf("%s: the schedule counts as not checked for the stated instance, or it was checked twice", name)
			}
		}
	}
}

// stageSolver is a solver that is a function.
type stageSolver func(ctx context.Context, in *model.Instance, opt Options) (Result, error)

func (stageSolver) Supports(*model.Instance) error { return nil }

func (s stageSolver) Solve(ctx context.Context, in *model.Instance, opt Options) (Result, error) {
	return s(ctx, in, opt)
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
