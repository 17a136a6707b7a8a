package milp

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// WriteMPS writes the model in free MPS format, which every MILP solver reads: rows, columns, right-hand sides, ranges and bounds, with markers
// around integer columns. Numbers are exact. MPS states the second limit of a row as a difference; if that is not exact, the row becomes two rows.
//
// The file uses the names of variables and rows if every name is unique and consists of letters, digits and underscores. Otherwise it uses
// numbers. The error says what is malformed, or names a row whose lower limit is above its upper one.
func (m *Model) WriteMPS(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	for k := range m.rows {
		if r := &m.rows[k]; r.lower > r.upper {
			return fmt.Errorf("%w: row %d (%s): its limits %v and %v cross, which MPS cannot state", errInvalid, k, r.name, r.lower, r.upper)
		}
	}
	out := bufio.NewWriter(w)
	variables, rows := m.names()
	fmt.Fprintf(out, "NAME %s\nROWS\n N cost\n", word(m.Name))
	for k := range m.rows {
		fmt.Fprintf(out, " %s %s\n", m.rows[k].kind(), rows[k])
		if m.rows[k].twice() {
			fmt.Fprintf(out, " G %s\n", rows[k]+least)
		}
	}
	m.writeColumns(out, variables, rows)
	fmt.Fprint(out, "RHS\n")
	for k := range m.rows {
		r := &m.rows[k]
		side := r.upper
		if math.IsInf(side, 1) {
			side = r.lower
		}
		if side != 0 && !math.IsInf(side, 0) {
			fmt.Fprintf(out, " rhs %s %s\n", rows[k], number(side))
		}
		if r.twice() && r.lower != 0 {
			fmt.Fprintf(out, " rhs %s %s\n", rows[k]+least, number(r.lower))
		}
	}
	fmt.Fprint(out, "RANGES\n")
	for k := range m.rows {
		if r := &m.rows[k]; r.limited() && !r.twice() {
			fmt.Fprintf(out, " range %s %s\n", rows[k], number(r.upper-r.lower))
		}
	}
	fmt.Fprint(out, "BOUNDS\n")
	for k := range m.variables {
		m.variables[k].writeBounds(out, variables[k])
	}
	fmt.Fprint(out, "ENDATA\n")
	return out.Flush()
}

// kind returns the MPS letter of a row. A row with two limits is ≤ with a range.
func (r *limits) kind() string {
	switch {
	case r.lower == r.upper:
		return "E"
	case !math.IsInf(r.upper, 1):
		return "L"
	case !math.IsInf(r.lower, -1):
		return "G"
	}
	return "N"
}

// limited reports whether the row has two limits.
func (r *limits) limited() bool {
	return r.lower != r.upper && !math.IsInf(r.lower, 0) && !math.IsInf(r.upper, 0)
}

// twice reports whether the row needs two rows in MPS. It does if it has two limits and a reader, who computes the lower limit as the upper one
// minus the range, would not get it exactly.
func (r *limits) twice() bool { return r.limited() && r.upper-(r.upper-r.lower) != r.lower }

// writeColumns writes the matrix by columns.
func (m *Model) writeColumns(out *bufio.Writer, variables, rows []string) {
	type entry struct {
		row         int
		coefficient float64
	}
	columns := make([][]entry, len(m.variables))
	for k := range m.rows {
		for _, t := range m.row(k) {
			columns[t.Var] = append(columns[t.Var], entry{k, t.Coefficient})
		}
	}
	fmt.Fprint(out, "COLUMNS\n")
	integer, markers := false, 0
	mark := func(kind string) {
		markers++
		fmt.Fprintf(out, " marker%d 'MARKER' '%s'\n", markers, kind)
	}
	for k := range m.variables {
		if v := &m.variables[k]; v.Integer != integer {
			integer = v.Integer
			mark(map[bool]string{true: "INTORG", false: "INTEND"}[integer])
		}
		// A column without coefficients must be named too, so write its cost, even if it is 0.
		if c := m.variables[k].Cost; c != 0 || len(columns[k]) == 0 {
			fmt.Fprintf(out, " %s cost %s\n", variables[k], number(c))
		}
		for _, e := range columns[k] {
			fmt.Fprintf(out, " %s %s %s\n", variables[k], rows[e.row], number(e.coefficient))
			if m.rows[e.row].twice() {
				fmt.Fprintf(out, " %s %s %s\n", variables[k], rows[e.row]+least, number(e.coefficient))
			}
		}
	}
	if integer {
		mark("INTEND")
	}
}

// writeBounds writes the limits of a variable unless they are 0 and +Inf, which all readers assume. For an integer variable it always writes
// them, because readers assume different limits.
func (v *Variable) writeBounds(out *bufio.Writer, name string) {
	low, high := math.IsInf(v.Lower, -1), math.IsInf(v.Upper, 1)
	switch {
	case low && high:
		fmt.Fprintf(out, " FR bound %s\n", name)
		return
	case v.Lower == v.Upper:
		fmt.Fprintf(out, " FX bound %s %s\n", name, number(v.Lower))
		return
	case low:
		fmt.Fprintf(out, " MI bound %s\n", name)
	case v.Lower != 0 || v.Integer || v.Upper < 0: // if only a negative upper limit is stated, some readers set the lower one to −∞
		fmt.Fprintf(out, " LO bound %s %s\n", name, number(v.Lower))
	}
	switch {
	case !high:
		fmt.Fprintf(out, " UP bound %s %s\n", name, number(v.Upper))
	case v.Integer:
		fmt.Fprintf(out, " PL bound %s\n", name)
	}
}

// WriteLP writes the model in the LP format of CPLEX, which people can read. It uses the same names as [Model.WriteMPS], and numbers are exact. A
// row with two limits becomes two rows.
func (m *Model) WriteLP(w io.Writer) error {
	if err := m.check(); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	variables, rows := m.names()
	fmt.Fprintf(out, "\\ %s\nMinimize\n cost:", word(m.Name)) //nolint:misspell // the format's keyword
	line := newLine(out, variables)
	for k := range m.variables {
		if c := m.variables[k].Cost; c != 0 {
			line.term(c, k)
		}
	}
	if line.empty && len(m.variables) > 0 {
		line.term(0, 0)
	}
	fmt.Fprint(out, "\nSubject To\n")
	for k := range m.rows {
		r := &m.rows[k]
		switch {
		case r.lower == r.upper:
			m.writeRow(out, variables, rows[k], k, "=", r.lower)
			continue
		case math.IsInf(r.lower, -1) && math.IsInf(r.upper, 1):
			continue
		case !math.IsInf(r.lower, -1) && !math.IsInf(r.upper, 1):
			m.writeRow(out, variables, rows[k]+least, k, ">=", r.lower)
			m.writeRow(out, variables, rows[k], k, "<=", r.upper)
		case math.IsInf(r.upper, 1):
			m.writeRow(out, variables, rows[k], k, ">=", r.lower)
		default:
			m.writeRow(out, variables, rows[k], k, "<=", r.upper)
		}
	}
	m.writeLPBounds(out, variables)
	return out.Flush()
}

// writeRow writes a row of an LP file.
func (m *Model) writeRow(out *bufio.Writer, variables []string, name string, k int, relation string, side float64) {
	fmt.Fprintf(out, " %s:", name)
	line := newLine(out, variables)
	for _, t := range m.row(k) {
		line.term(t.Coefficient, int(t.Var))
	}
	if line.empty && len(m.variables) > 0 {
		line.term(0, 0)
	}
	fmt.Fprintf(out, " %s %s\n", relation, number(side))
}

// writeLPBounds writes the limits of the variables and which of them are integer.
func (m *Model) writeLPBounds(out *bufio.Writer, variables []string) {
	fmt.Fprint(out, "Bounds\n")
	for k := range m.variables {
		v := &m.variables[k]
		switch low, high := math.IsInf(v.Lower, -1), math.IsInf(v.Upper, 1); {
		case low && high:
			fmt.Fprintf(out, " %s free\n", variables[k])
		case v.Lower == v.Upper:
			fmt.Fprintf(out, " %s = %s\n", variables[k], number(v.Lower))
		case high && v.Lower == 0:
		case high:
			fmt.Fprintf(out, " %s >= %s\n", variables[k], number(v.Lower))
		case low:
			fmt.Fprintf(out, " -inf <= %s <= %s\n", variables[k], number(v.Upper))
		default:
			fmt.Fprintf(out, " %s <= %s <= %s\n", number(v.Lower), variables[k], number(v.Upper))
		}
	}
	if m.Integers() > 0 {
		fmt.Fprint(out, "General\n")
		for k := range m.variables {
			if m.variables[k].Integer {
				fmt.Fprintf(out, " %s\n", variables[k])
			}
		}
	}
	fmt.Fprint(out, "End\n")
}

// line writes terms, a few per line, because readers of LP files limit the length of a line.
type line struct {
	out       *bufio.Writer
	variables []string
	count     int
	empty     bool
}

func newLine(out *bufio.Writer, variables []string) *line { return &line{out, variables, 0, true} }

// term writes one term.
func (l *line) term(coefficient float64, variable int) {
	if l.count > 0 && l.count%8 == 0 {
		fmt.Fprint(l.out, "\n ")
	}
	l.count++
	l.empty = false
	sign := "+"
	if coefficient < 0 {
		sign, coefficient = "-", -coefficient
	}
	fmt.Fprintf(l.out, " %s %s %s", sign, number(coefficient), l.variables[variable])
}

// names returns the names of variables and rows in files.
func (m *Model) names() (variables, rows []string) {
	variables, rows = make([]string, len(m.variables)), make([]string, len(m.rows))
	for k := range variables {
		variables[k] = m.variables[k].Name
	}
	for k := range rows {
		rows[k] = m.rows[k].name
	}
	number := func(list []string, letter string, reserved ...string) {
		taken := map[string]bool{}
		for _, name := range reserved {
			taken[name] = true
		}
		for _, name := range list {
			if !isWord(name) || taken[name] || strings.HasSuffix(name, least) {
				for k := range list {
					list[k] = letter + strconv.Itoa(k)
				}
				return
			}
			taken[name] = true
		}
	}
	number(variables, "x")
	number(rows, "r", "cost")
	return variables, rows
}

// least is the end of the name of the row for the lower limit, if an LP file needs two rows.
const least = "_least"

// keywords lists the words that have a meaning in LP or MPS files, in upper or lower case. Some readers take such a word for the beginning of a
// section whenever it stands first in a line.
var keywords = strings.Fields("e inf infinity free end bound bounds general generals gen int integer integers binary binaries bin st subject such that to " +
	"min max minimize maximize minimum maximum semi semis sin sos sos1 sos2 sec " + //nolint:misspell // the format's
	"name rows columns rhs ranges endata objsense objsect objname lazycons usercuts marker quadobj qsection qmatrix qcmatrix csection indicators")

// isWord says that a name can stand in any file: a letter, then letters, digits and underscores; not one that LP files could take
// for a number (e5) or a keyword.
func isWord(name string) bool {
	if name == "" || len(name) > 60 {
		return false
	}
	for k, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (k == 0 || r < '0' || r > '9') {
			return false
		}
	}
	lower := strings.ToLower(name)
	if slices.Contains(keywords, lower) || strings.HasPrefix(lower, "inf") || strings.HasPrefix(lower, "nan") {
		return false // readers that look for a number first find one at the beginning of infy
	}
	return len(lower) < 2 || lower[0] != 'e' || lower[1] < '0' || lower[1] > '9'
}

// word is a name for the head of a file.
func word(name string) string {
	if isWord(name) {
		return name
	}
	return "model"
}

// number is the shortest text that reads as exactly this number.
func number(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
