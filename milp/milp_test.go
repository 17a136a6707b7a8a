package milp

import (
	"bytes"
	"context"
	"errors"
	"math"
	"strings"
	"testing"
)

var inf = math.Inf(1)

// small is max 3a + 2b, a + b ≤ 4, a + 3b ≤ 6, 0 ≤ a ≤ 3 integer, b ≥ 0: 11 at (3, 1).
func small() *Model {
	m := &Model{Name: "small"}
	a := m.Add(Variable{"a", 0, 3, -3, true})
	b := m.Add(Variable{"b", 0, inf, -2, false})
	m.AddRow("sum", math.Inf(-1), 4, Term{a, 1}, Term{b, 1})
	m.AddRow("mix", -1, 6, Term{a, 1}, Term{b, 3})
	return m
}

func TestCheck(t *testing.T) {
	if err := small().check(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(m *Model){
		"limit NaN":        func(m *Model) { m.Add(Variable{Lower: math.NaN()}) },
		"cost infinite":    func(m *Model) { m.Add(Variable{Cost: inf}) },
		"no variable":      func(m *Model) { m.AddRow("", 0, 1, Term{7, 1}) },
		"negative":         func(m *Model) { m.AddRow("", 0, 1, Term{-1, 1}) },
		"twice":            func(m *Model) { m.AddRow("", 0, 1, Term{1, 1}, Term{1, 2}) },
		"coefficient NaN":  func(m *Model) { m.AddRow("", 0, 1, Term{0, math.NaN()}) },
		"lower limit +Inf": func(m *Model) { m.AddRow("", inf, inf, Term{0, 1}) },
	} {
		m := small()
		spoil(m)
		if err := m.check(); !errors.Is(err, errInvalid) {
			t.Errorf("%s: error %v", name, err)
		}
		if err := m.WriteMPS(new(bytes.Buffer)); !errors.Is(err, errInvalid) {
			t.Errorf("%s: written, error %v", name, err)
		}
	}
}

func TestViolation(t *testing.T) {
	m := small()
	for _, c := range []struct {
		a, b, want float64
	}{{3, 1, 0}, {2.5, 0, 0.5}, {4, 0, 1}, {0, -0.5, 0.5}, {3, 2, 3.0 / 10}, {math.NaN(), 0, inf}} {
		if got := m.Violation([]float64{c.a, c.b}); math.Abs(got-c.want) > 1e-12 && got != c.want {
			t.Errorf("(%v, %v): %v, expected %v", c.a, c.b, got, c.want)
		}
	}
	if got := m.Objective([]float64{3, 1}); got != -11 {
		t.Errorf("objective %v", got)
	}
}

func TestWriteMPS(t *testing.T) {
	var out strings.Builder
	if err := small().WriteMPS(&out); err != nil {
		t.Fatal(err)
	}
	want := `NAME small
ROWS
 N cost
 L sum
 L mix
COLUMNS
 marker1 'MARKER' 'INTORG'
 a cost -3
 a sum 1
 a mix 1
 marker2 'MARKER' 'INTEND'
 b cost -2
 b sum 1
 b mix 3
RHS
 rhs sum 4
 rhs mix 6
RANGES
 range mix 7
BOUNDS
 LO bound a 0
 UP bound a 3
ENDATA
`
	if out.String() != want {
		t.Errorf("found\n%s", out.String())
	}
}

//nolint:misspell // the format's keyword
func TestWriteLP(t *testing.T) {
	var out strings.Builder
	if err := small().WriteLP(&out); err != nil {
		t.Fatal(err)
	}
	want := `\ small
Minimize
 cost: - 3 a - 2 b
Subject To
 sum: + 1 a + 1 b <= 4
 mix_least: + 1 a + 3 b >= -1
 mix: + 1 a + 3 b <= 6
Bounds
 0 <= a <= 3
General
 a
End
`
	if out.String() != want {
		t.Errorf("found\n%s", out.String())
	}
}

// If a name is repeated, or cannot stand in a file, numbers replace all names.
func TestNames(t *testing.T) {
	for _, name := range []string{"", "a", "e5", "free", "two words", "9", "x+y", "ä", "End", "BOUNDS", "MAX", "subject", "E1x", "a\nb"} {
		m := small()
		m.Add(Variable{Name: name})
		if variables, _ := m.names(); variables[0] != "x0" || variables[2] != "x2" {
			t.Errorf("%q: %v", name, variables)
		}
	}
	m := small()
	m.AddRow("cost", 0, 1)
	if _, rows := m.names(); rows[0] != "r0" {
		t.Errorf("rows %v", rows)
	}
	m = small()
	m.AddRow("sum_least", 0, 1) // as the second row of a "sum" with two limits
	if _, rows := m.names(); rows[0] != "r0" {
		t.Errorf("rows %v", rows)
	}
}

func TestSolveRefuses(t *testing.T) {
	if Missing() != nil {
		if _, err := Solve(context.Background(), small(), Options{}); !errors.Is(err, errMissing) {
			t.Errorf("without a solver: %v", err)
		}
		return
	}
	for name, opt := range map[string]Options{"start": {Start: []float64{1}}, "gap": {Gap: math.NaN()}, "nodes": {Nodes: -1}} {
		if _, err := Solve(context.Background(), small(), opt); !errors.Is(err, errInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLimitsThatCross(t *testing.T) {
	m := &Model{}
	x := m.Add(Variable{Name: "x", Upper: -5})
	var out strings.Builder
	if err := m.WriteMPS(&out); err != nil || !strings.Contains(out.String(), " LO bound x 0\n UP bound x -5\n") {
		t.Errorf("%v: expected both limits, found\n%s", err, out.String())
	}
	m.AddRow("row", 2, 1, Term{Var: x, Coefficient: 1})
	if err := m.WriteMPS(&out); !errors.Is(err, errInvalid) {
		t.Errorf("a row from 2 to 1: %v, expected an error", err)
	}
	if err := m.WriteLP(&out); err != nil || !strings.Contains(out.String(), "row_least") {
		t.Errorf("%v: expected two rows", err)
	}
}
