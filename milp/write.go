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

// WriteMPS writes the model in free MPS format, which every MILP solver reads: rows, columns, right-hand sides, ranges,
// bounds; integer columns between markers. Numbers are exact: a row with two limits whose difference is not exact becomes two rows.
//
// Variables and rows go by their names where all of them are words of letters, digits and underscores that no other has, else by their
// numbers. The error wraps [ErrInvalid] also for a row whose limits cross.
func (m *Model) WriteMPS(w io.Writer) error {
	if err := m.Check(); err != nil {
		return err
	}
	for k := range m.rows {
		if r := &m.rows[k]; r.lower > r.upper {
			return fmt.Errorf("%w: row %d (%s): its limits %v and %v cross, which MPS cannot state", ErrInvalid, k, r.name, r.lower, r.upper)
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

// kind is the MPS letter of a row; one with two limits is ≤ with a range.
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

// limited says that the row has two limits.
func (r *limits) limited() bool {
	return r.lower != r.upper && !math.IsInf(r.lower, 0) && !math.IsInf(r.upper, 0)
}

// twice says that the row has two limits and MPS needs two rows for them: the lower one, which a reader finds as the upper one less the
// range, would not be exact.
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
		// A column without a coefficient must be named too: the cost does it, be it 0.
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

// writeBounds writes the limits of a variable where they are not those that readers take for granted, 0 and +Inf; of an integer
// one always, as readers differ.
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
	case v.Lower != 0 || v.Integer || v.Upper < 0: // some readers take a negative upper limit alone for one that frees the lower
		fmt.Fprintf(out, " LO bound %s %s\n", name, number(v.Lower))
	}
	switch {
	case !high:
		fmt.Fprintf(out, " UP bound %s %s\n", name, number(v.Upper))
	case v.Integer:
		fmt.Fprintf(out, " PL bound %s\n", name)
	}
}

// WriteLP writes the model in the LP format of CPLEX, which people can read. Names are those of [Model.WriteMPS]; numbers are exact. A
// row with two limits becomes two rows.
func (m *Model) WriteLP(w io.Writer) error {
	if err := m.Check(); err != nil {
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

// line writes terms, a few to a line: readers of LP files limit their length.
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

// names are the names in files of variables and rows.
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

// least ends the name of the row for the lower limit where an LP file needs two.
const least = "_least"

// keywords are the words that LP or MPS files give a meaning, in any case: some readers take one for the beginning of a section
// wherever it stands first in a line.
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
