package course

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/allot-opt/allot/draw"
	"github.com/allot-opt/allot/model"
	"github.com/allot-opt/allot/solve"
)

// The incumbents leave out as many jobs as the solution, end in the solution's objective, and can be drawn.
func TestCourseEndsInTheSolution(t *testing.T) {
	none := math.Inf(-1)
	at := func(evaluations int64, objective, bound float64, left int) solve.Progress {
		return solve.Progress{Evaluations: evaluations, Objective: objective, Bound: model.ProvedBound(bound), Left: left}
	}
	for _, c := range []struct {
		name      string
		reported  []solve.Progress
		objective float64
		left      int
		bound     float64 // NaN: none
		want      []float64
	}{
		{"falls", []solve.Progress{at(1, 9, none, 0), at(2, 9, none, 0), at(3, 7, none, 0)}, 5, 0, 4, []float64{9, 7, 5}},
		{"improves nothing at the end", []solve.Progress{at(1, 9, none, 0)}, 9, 0, 4, []float64{9, 9}},
		{"no schedule at first", []solve.Progress{at(1, math.Inf(1), none, math.MaxInt), at(2, 9, none, 0)}, 8, 0, 4, []float64{9, 8}},
		{"fewer left out", []solve.Progress{at(1, 3, none, 2), at(2, 2, none, 2), at(3, 7, none, 1)}, 6, 1, 4, []float64{7, 6}},
		{"fewer left out at the end", []solve.Progress{at(1, 3, none, 2), at(2, 2, none, 2)}, 6, 0, 4, []float64{6}},
		{"reported too low by rounding", []solve.Progress{at(1, 9, none, 0), at(2, 6-1e-12, none, 0)}, 6, 0, 4, []float64{9, 6, 6}},
		{"reported too low", []solve.Progress{at(1, 9, none, 0), at(2, 3, none, 0)}, 6, 0, 4, []float64{9, 6}},
		{"more left out than reported", []solve.Progress{at(1, 9, none, 0)}, 6, 1, 4, []float64{6}},
		{"nothing proved of what leaves jobs out", []solve.Progress{at(1, 9, 8, 1)}, 6, 1, math.NaN(), []float64{9, 6}},
	} {
		f := New(model.Bound{})
		for _, p := range c.reported {
			f.Note(p)
		}
		result := solve.Result{Solution: &model.Solution{Objective: &c.objective, Unscheduled: make([]model.Unscheduled, c.left)}, Evaluations: 9}
		result.Bound = model.ProvedBound(c.bound)
		f.End(&model.Instance{}, result)
		var found []float64
		for _, i := range f.Incumbents {
			found = append(found, i.Objective)
			if i.Bound.Known() && !result.Bound.Known() {
				t.Errorf("%s: a bound of a schedule of which none is proved", c.name)
			}
		}
		if !reflect.DeepEqual(found, c.want) {
			t.Errorf("%s: the course has %v, expected %v", c.name, found, c.want)
		}
		if last := f.Incumbents[len(f.Incumbents)-1]; result.Bound.Known() && last.Bound != result.Bound {
			t.Errorf("%s: the course does not end in the bound %v", c.name, c.bound)
		}
		var text bytes.Buffer
		if err := f.Write(&text); err != nil {
			t.Fatal(err)
		}
		if _, err := draw.ReadRun(&text, "run"); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// A long list of incumbents is thinned evenly. The first and the last stay.
func TestThinned(t *testing.T) {
	for _, n := range []int{0, 1, most, most + 1, 12345} {
		list := make([]model.Incumbent, n)
		for k := range list {
			list[k].Evaluations = int64(k)
		}
		kept := Thinned(list)
		if len(kept) != min(n, most) {
			t.Fatalf("%d of %d kept", len(kept), n)
		}
		for k := 1; k < len(kept); k++ {
			if step := kept[k].Evaluations - kept[k-1].Evaluations; step < 1 || step > int64(n/(most-1)+1) {
				t.Errorf("of %d incumbents there is a step of %d", n, step)
			}
		}
		if n > 0 && (kept[0] != list[0] || kept[len(kept)-1] != list[n-1]) {
			t.Errorf("of %d incumbents the first or the last is missing", n)
		}
	}
}
