package model_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/allot-opt/allot/model"
)

// What is no number bounds nothing; 0 is a bound.
func TestProvedBound(t *testing.T) {
	for _, none := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if b := model.ProvedBound(none); b != (model.Bound{}) || b.Known() || b.String() != "none" || b.Or(7) != 7 {
			t.Errorf("%v gives the bound %v", none, b)
		}
	}
	zero := model.ProvedBound(0)
	if value, known := zero.Value(); value != 0 || !known || zero == (model.Bound{}) || zero.Or(7) != 0 || fmt.Sprint(zero) != "0" {
		t.Errorf("0 gives the bound %v", zero)
	}
	if !model.ProvedBound(math.MaxFloat64).Known() || !model.ProvedBound(-math.MaxFloat64).Known() {
		t.Error("the largest numbers give no bound")
	}
	if one, two := model.ProvedBound(1), model.ProvedBound(2); !one.Equal(one) || one.Equal(two) || zero.Equal(model.Bound{}) || !(model.Bound{}).Equal(model.Bound{}) {
		t.Error("bounds are equal that differ, or the reverse")
	}
}

// bounds draws a bound or none.
func bounds(t *rapid.T, label string) model.Bound {
	return model.ProvedBound(rapid.Float64().Draw(t, label))
}

// The better of two bounds is that of their values, none being below every number.
func TestMaxOfBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := bounds(t, "a"), bounds(t, "b")
		want := max(a.Or(math.Inf(-1)), b.Or(math.Inf(-1)))
		if found := a.Max(b); found.Or(math.Inf(-1)) != want || found.Known() != (a.Known() || b.Known()) {
			t.Errorf("max(%v, %v) = %v", a, b, found)
		}
	})
	if below := model.ProvedBound(-1); below.Max(model.Bound{}) != below || (model.Bound{}).Max(below) != below {
		t.Error("a bound below 0 is better than none")
	}
}

// JSON holds a bound as a number without loss, and none not at all; a null is none.
func TestBoundInJSON(t *testing.T) {
	type object struct {
		Bound model.Bound `json:"bound,omitzero"`
	}
	rapid.Check(t, func(t *rapid.T) {
		written := object{bounds(t, "bound")}
		text, err := json.Marshal(written)
		if err != nil {
			t.Fatal(err)
		}
		value, known := written.Bound.Value()
		if number, err := json.Marshal(value); err != nil || known && string(text) != `{"bound":`+string(number)+`}` || !known && string(text) != "{}" {
			t.Errorf("%v is written as %s", written.Bound, text)
		}
		for name, read := range map[string]func(*object) error{
			"encoding/json": func(o *object) error { return json.Unmarshal(text, o) },
			"ReadJSON":      func(o *object) error { return model.ReadJSON(strings.NewReader(string(text)), "", o) },
		} {
			var again object
			if err := read(&again); err != nil || again != written {
				t.Errorf("%s: %s is read as %v, %v", name, text, again.Bound, err)
			}
		}
	})
	before := object{model.ProvedBound(1)}
	if err := json.Unmarshal([]byte(`{"bound":null}`), &before); err != nil || before.Bound.Known() {
		t.Errorf("null is read as %v, %v", before.Bound, err)
	}
	if text, err := json.Marshal(model.Bound{}); string(text) != "null" || err != nil {
		t.Errorf("none is written as %s, %v", text, err)
	}
	if err := json.Unmarshal([]byte(`{"bound":"1"}`), &before); err == nil {
		t.Error("a text is read as a bound")
	}
	for text, message := range map[string]string{
		`{"bound":"1"}`:   `bound: expected a number, found "1"`,
		`{"bound":null}`:  "bound: expected a number, found null",
		`{"bound":1e400}`: "bound: expected a finite number, found 1e400",
	} {
		var read object
		if err := model.ReadJSON(strings.NewReader(text), "", &read); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%s: %v, expected %s", text, err, message)
		}
	}
}

func TestGap(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		objective float64
		bound     model.Bound
		gap       float64
		ok        bool
	}{
		{10, model.ProvedBound(8), 20, true},
		{-8, model.ProvedBound(-10), 25, true},
		{10, model.ProvedBound(10 * (1 - 1e-10)), 0, true},
		{10, model.ProvedBound(10 * (1 - 0.9999e-9)), 0, true},
		{10, model.ProvedBound(10 * (1 - 1.0001e-9)), 1.0001e-7, true},
		{10, model.ProvedBound(10 * (1 - 1e-8)), 1e-6, true},
		{10, model.ProvedBound(12), 0, true}, // it leaves out jobs that the bound counts on
		{0, model.ProvedBound(0), 0, true},
		{0, model.ProvedBound(-1), inf, false},
		{10, model.Bound{}, 0, false},
		{inf, model.ProvedBound(8), 0, false},
		{math.NaN(), model.ProvedBound(8), 0, false},
		{math.MaxFloat64, model.ProvedBound(-math.MaxFloat64), inf, false},
	} {
		gap, ok := model.Gap(c.objective, c.bound)
		if ok != c.ok || gap != c.gap && !(math.Abs(gap-c.gap) <= 1e-6*c.gap) {
			t.Errorf("objective %v, bound %v: gap %v, %t; expected %v, %t", c.objective, c.bound, gap, ok, c.gap, c.ok)
		}
	}
	if gap, ok := (&model.Solution{Objective: new(10.0), Bound: model.ProvedBound(8)}).Gap(); gap != 20 || !ok {
		t.Errorf("a solution with objective 10 and bound 8 has a gap of %v, %v", gap, ok)
	}
	for _, sol := range []model.Solution{{Bound: model.ProvedBound(8)}, {Objective: new(10.0)}} {
		if gap, ok := sol.Gap(); gap != 0 || ok {
			t.Errorf("%+v has a gap of %v, %v", sol, gap, ok)
		}
	}
}
