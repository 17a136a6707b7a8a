// Package milp states and solves mixed-integer linear programs: minimise c·x within limits of variables and rows, where some variables are
// integer. [Model] states, checks and writes them (as MPS or LP files) in pure Go. [Solve] needs the library HiGHS, which only builds with the
// tag highs contain; [Missing] tells whether this build does.
package milp

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// Model is min Σ Cost·x with Lower ≤ x ≤ Upper for the variables and Lower ≤ Σ Coefficient·x ≤ Upper for the rows. The
// zero value is an empty model, ready to use.
type Model struct {
	Name string

	variables []Variable
	rows      []limits
	start     []int // the index of each row's first term
	terms     []Term
}

// Variable is one variable. Without limits, Lower is −Inf or Upper +Inf.
type Variable struct {
	Name         string // for people and files; see [Model.WriteMPS]
	Lower, Upper float64
	Cost         float64 // coefficient in the objective
	Integer      bool
}

// Var is a variable of a model, by number from 0 on.
type Var int

// Term is a variable with its coefficient in a row.
type Term struct {
	Var         Var
	Coefficient float64
}

// limits are the limits of a row.
type limits struct {
	name         string
	lower, upper float64
}

// errInvalid is wrapped by the error of a model that is malformed.
var errInvalid = errors.New("invalid model")

// Add adds a variable.
func (m *Model) Add(v Variable) Var {
	m.variables = append(m.variables, v)
	return Var(len(m.variables) - 1)
}

// AddRow adds the row lower ≤ Σ terms ≤ upper. Each variable may appear once. The terms are copied.
func (m *Model) AddRow(name string, lower, upper float64, terms ...Term) {
	m.rows = append(m.rows, limits{name, lower, upper})
	m.start = append(m.start, len(m.terms))
	m.terms = append(m.terms, terms...)
}

// Variables is the number of variables.
func (m *Model) Variables() int { return len(m.variables) }

// Rows is the number of rows.
func (m *Model) Rows() int { return len(m.rows) }

// Terms is the number of coefficients in all rows.
func (m *Model) Terms() int { return len(m.terms) }

// limits returns the limits of the variable. For an integer variable it rounds them inwards to whole numbers. A limit that misses a whole
// number by at most [Tolerance] is rounded to it.
func (v *Variable) limits() (lower, upper float64) {
	if !v.Integer {
		return v.Lower, v.Upper
	}
	return math.Ceil(v.Lower - Tolerance), math.Floor(v.Upper + Tolerance)
}

// crossed reports whether an integer variable has no value, because its limits lie between two whole numbers.
func (m *Model) crossed() bool {
	return slices.ContainsFunc(m.variables, func(v Variable) bool {
		lower, upper := v.limits()
		return lower > upper
	})
}

// Integers is the number of integer variables.
func (m *Model) Integers() int {
	count := 0
	for k := range m.variables {
		if m.variables[k].Integer {
			count++
		}
	}
	return count
}

// row returns the terms of a row.
func (m *Model) row(k int) []Term {
	if k+1 < len(m.start) {
		return m.terms[m.start[k]:m.start[k+1]]
	}
	return m.terms[m.start[k]:]
}

// check returns an error that wraps errInvalid if the model is malformed. A lower limit above the upper one makes a model infeasible, not
// malformed.
func (m *Model) check() error {
	limited := func(lower, upper float64) bool {
		return !math.IsNaN(lower) && !math.IsNaN(upper) && !math.IsInf(lower, 1) && !math.IsInf(upper, -1)
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for k := range m.variables {
		v := &m.variables[k]
		if !limited(v.Lower, v.Upper) || !finite(v.Cost) {
			return fmt.Errorf("%w: variable %d (%s): expected limits and a finite cost, found [%v, %v] and %v", errInvalid, k, v.Name, v.Lower, v.Upper, v.Cost)
		}
	}
	last := make([]int, len(m.variables)) // the last row with the variable, counted from 1
	for k := range m.rows {
		r := &m.rows[k]
		if !limited(r.lower, r.upper) {
			return fmt.Errorf("%w: row %d (%s): expected limits, found [%v, %v]", errInvalid, k, r.name, r.lower, r.upper)
		}
		for _, t := range m.row(k) {
			switch {
			case t.Var < 0 || int(t.Var) >= len(m.variables):
				return fmt.Errorf("%w: row %d (%s): there is no variable %d", errInvalid, k, r.name, t.Var)
			case !finite(t.Coefficient):
				return fmt.Errorf("%w: row %d (%s): expected a finite coefficient of variable %d, found %v", errInvalid, k, r.name, t.Var, t.Coefficient)
			case last[t.Var] == k+1:
				return fmt.Errorf("%w: row %d (%s): variable %d stands in it twice", errInvalid, k, r.name, t.Var)
			}
			last[t.Var] = k + 1
		}
	}
	return nil
}

// Objective computes Σ Cost·x.
func (m *Model) Objective(values []float64) float64 {
	sum := 0.0
	for k := range m.variables {
		sum += m.variables[k].Cost * values[k]
	}
	return sum
}

// Violation returns the largest amount by which the values violate the model: the limits of variables and rows, and integrality. The
// violation of a row is divided by the sum of the absolute values of its terms, if that is above 1. NaN counts as +Inf.
func (m *Model) Violation(values []float64) float64 {
	worst := 0.0
	note := func(excess float64) {
		if math.IsNaN(excess) {
			excess = math.Inf(1)
		}
		worst = max(worst, excess)
	}
	for k := range m.variables {
		v, x := &m.variables[k], values[k]
		note(v.Lower - x)
		note(x - v.Upper)
		if v.Integer {
			note(math.Abs(x - math.Round(x)))
		}
	}
	for k := range m.rows {
		sum, size := 0.0, 1.0
		for _, t := range m.row(k) {
			sum += t.Coefficient * values[t.Var]
			size += math.Abs(t.Coefficient * values[t.Var])
		}
		note((m.rows[k].lower - sum) / size)
		note((sum - m.rows[k].upper) / size)
	}
	return worst
}
