// Package milp states mixed-integer linear programs and solves them: min c·x with limits of variables and rows, some
// variables integer. Stating, checking and writing them (MPS, LP) is pure Go. Solving needs the library HiGHS, which is
// part of builds with the tag highs alone; see [Missing].
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
	start     []int // by row: its first term
	terms     []Term
}

// Variable is one variable. Without limits, Lower is −Inf or Upper +Inf.
type Variable struct {
	Name         string // for people and files; see [Model.WriteMPS]
	Lower, Upper float64
	Cost         float64 // in the objective
	Integer      bool
}

// Var is a variable of a model, by number from 0 on.
type Var int

// Term is a variable with its coefficient in a row.
type Term struct {
	Var         Var
	Coefficient float64
}

// limits are those of a row.
type limits struct {
	name         string
	lower, upper float64
}

// ErrInvalid is wrapped by the error of a model that is not one.
var ErrInvalid = errors.New("invalid model")

// Add adds a variable.
func (m *Model) Add(v Variable) Var {
	m.variables = append(m.variables, v)
	return Var(len(m.variables) - 1)
}

// AddRow adds lower ≤ Σ terms ≤ upper; a variable may be in it once. The terms are copied.
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

// limits are the limits of the variable; those of an integer one are whole numbers. A fraction of up to [Tolerance] beyond one counts as
// rounding.
func (v *Variable) limits() (lower, upper float64) {
	if !v.Integer {
		return v.Lower, v.Upper
	}
	return math.Ceil(v.Lower - Tolerance), math.Floor(v.Upper + Tolerance)
}

// crossed says that an integer variable has no value: its limits lie between two whole numbers.
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

// row is the terms of a row.
func (m *Model) row(k int) []Term {
	if k+1 < len(m.start) {
		return m.terms[m.start[k]:m.start[k+1]]
	}
	return m.terms[m.start[k]:]
}

// Check says what is wrong with the model; the error wraps [ErrInvalid]. Limits that cross make it infeasible, not invalid.
func (m *Model) Check() error {
	limited := func(lower, upper float64) bool {
		return !math.IsNaN(lower) && !math.IsNaN(upper) && !math.IsInf(lower, 1) && !math.IsInf(upper, -1)
	}
	finite := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for k := range m.variables {
		v := &m.variables[k]
		if !limited(v.Lower, v.Upper) || !finite(v.Cost) {
			return fmt.Errorf("%w: variable %d (%s): expected limits and a finite cost, found [%v, %v] and %v", ErrInvalid, k, v.Name, v.Lower, v.Upper, v.Cost)
		}
	}
	last := make([]int, len(m.variables)) // the last row with the variable, from 1 on
	for k := range m.rows {
		r := &m.rows[k]
		if !limited(r.lower, r.upper) {
			return fmt.Errorf("%w: row %d (%s): expected limits, found [%v, %v]", ErrInvalid, k, r.name, r.lower, r.upper)
		}
		for _, t := range m.row(k) {
			switch {
			case t.Var < 0 || int(t.Var) >= len(m.variables):
				return fmt.Errorf("%w: row %d (%s): there is no variable %d", ErrInvalid, k, r.name, t.Var)
			case !finite(t.Coefficient):
				return fmt.Errorf("%w: row %d (%s): expected a finite coefficient of variable %d, found %v", ErrInvalid, k, r.name, t.Var, t.Coefficient)
			case last[t.Var] == k+1:
				return fmt.Errorf("%w: row %d (%s): variable %d stands in it twice", ErrInvalid, k, r.name, t.Var)
			}
			last[t.Var] = k + 1
		}
	}
	return nil
}

// Objective is Σ Cost·x.
func (m *Model) Objective(values []float64) float64 {
	sum := 0.0
	for k := range m.variables {
		sum += m.variables[k].Cost * values[k]
	}
	return sum
}

// Violation is by how much the values break the model at most: limits of variables and rows, those of a row as a share of
// the sum of the sizes of its terms where that is above 1, and integrality. NaN counts as +Inf.
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
