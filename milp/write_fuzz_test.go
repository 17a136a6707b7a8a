package milp

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"
)

// readBack reads what was written with another program and compares; nil: not in this build.
var readBack func(t *testing.T, m *Model, mps, lp []byte)

// fuzzed makes a model of a list of names and of bytes, each a small decision.
func fuzzed(names string, decisions []byte) *Model {
	list := strings.Split(names, "\n")
	next := func(n int) int {
		if len(decisions) == 0 {
			return 0
		}
		d := int(decisions[0])
		decisions = decisions[1:]
		return d % n
	}
	name := func() string { return list[next(len(list))] }
	number := func() float64 {
		return []float64{0, 1, -1, 2, 3, -3, 0.5, 0.1, -2.25, 7, 1e-7, 12345.678}[next(12)]
	}
	m := &Model{Name: name()}
	n := next(5)
	for range n {
		v := Variable{Name: name(), Cost: number(), Lower: number(), Integer: next(2) == 0}
		v.Upper = v.Lower + math.Abs(number())
		if v.Integer { // HiGHS itself now and then misses the optimum of integer variables with limits between whole numbers
			v.Lower, v.Upper = math.Floor(v.Lower), math.Floor(v.Upper)
		}
		m.Add(v)
	}
	for range next(5) {
		label := name()
		var terms []Term
		for k := range n {
			if c := number(); c != 0 {
				terms = append(terms, Term{Var(k), c})
			}
		}
		lower := number()
		upper := lower + math.Abs(number())
		switch next(4) {
		case 0:
			lower = math.Inf(-1)
		case 1:
			upper = math.Inf(1)
		}
		m.AddRow(label, lower, upper, terms...)
	}
	return m
}

// FuzzWrite: whatever a model calls its variables and rows, in the files each has a name of its own that no keyword of the formats is,
// and every number reads back as it was. In a build with HiGHS that reads both files and finds the optimum of the model.
func FuzzWrite(f *testing.F) {
	for _, names := range []string{"", "a\nb\nc", "RHS\nrhs\nBOUNDS\nrows", "cost\ncost_least\nst\nfree", "x0\nr0\nr0_least\nx1", "ä\n1a\n \n\\", "infinity\nINF\ne\ne5",
		"obj\nN\nmarker1\nNAME\nENDATA\nRANGES", "a\nA\n_\n__least", "COLUMNS\nOBJSENSE\nMAX\nsec\nlazy"} {
		f.Add(names, []byte{0, 4, 1, 3, 2, 0, 5, 2, 1, 7, 1, 1, 3, 3, 4, 5, 6, 0, 2, 3, 1, 2, 3, 1, 1, 2, 4, 5, 3, 7, 8, 2, 1, 1, 3, 2, 2, 1, 5, 4, 3, 1})
		f.Add(names, []byte{3, 2, 2, 9, 4, 1, 4, 0, 8, 11, 7, 0, 3, 1, 4, 9, 2, 2, 2, 3, 0, 11, 7, 2, 1})
	}
	f.Fuzz(func(t *testing.T, names string, decisions []byte) {
		if len(decisions) > 200 {
			return
		}
		m := fuzzed(names, decisions)
		var mps, lp bytes.Buffer
		for _, err := range []error{m.WriteMPS(&mps), m.WriteLP(&lp)} {
			if errors.Is(err, errInvalid) {
				return
			} else if err != nil {
				t.Fatal(err)
			}
		}
		checkNames(t, m, mps.String(), lp.String())
		if readBack != nil {
			readBack(t, m, mps.Bytes(), lp.Bytes())
		}
	})
}

// checkNames looks at the names in the files, and at the numbers of the matrix in MPS.
func checkNames(t *testing.T, m *Model, mps, lp string) {
	t.Helper()
	rows, columns, section, entries := map[string]bool{}, map[string]bool{}, "", 0
	for line := range strings.Lines(mps) {
		words := strings.Fields(line)
		switch {
		case line[0] != ' ':
			section = words[0]
		case section == "ROWS":
			checkName(t, words[1], rows)
			rows[words[1]] = true
		case section == "COLUMNS" && len(words) == 3 && words[1] != "'MARKER'":
			if _, err := strconv.ParseFloat(words[2], 64); err != nil || !rows[words[1]] {
				t.Fatalf("MPS: %q: %v", line, err)
			}
			if !columns[words[0]] {
				checkName(t, words[0], columns)
			}
			columns[words[0]] = true
			if words[1] != "cost" {
				entries++
			}
		}
	}
	if len(columns) != m.Variables() || entries < m.Terms() || len(rows) < m.Rows()+1 {
		t.Fatalf("MPS: %d columns, %d rows, %d entries of %d, %d, %d:\n%s", len(columns), len(rows), entries, m.Variables(), m.Rows(), m.Terms(), mps)
	}
	labels := map[string]bool{}
	for line := range strings.Lines(lp) {
		if label, _, ok := strings.Cut(line, ":"); ok && line[0] == ' ' {
			checkName(t, strings.TrimSpace(label), labels)
			labels[strings.TrimSpace(label)] = true
		}
	}
}

// checkName says that a name is a word that is not taken yet.
func checkName(t *testing.T, name string, taken map[string]bool) {
	t.Helper()
	if plain := strings.TrimSuffix(name, least); taken[name] || !isWord(plain) {
		t.Fatalf("the name %q: a keyword or taken", name)
	}
	switch strings.ToUpper(name) {
	case "NAME", "ROWS", "COLUMNS", "RHS", "RANGES", "BOUNDS", "ENDATA", "OBJSENSE", "SOS", "FREE", "INF", "ST", "END":
		t.Fatalf("the name %q is a keyword", name)
	}
}

// TestRangesAreExact: a row whose limits are so far apart that their difference loses the lower one keeps it.
func TestRangesAreExact(t *testing.T) {
	m := &Model{}
	x := m.Add(Variable{Name: "x", Upper: 1e18})
	m.AddRow("wide", 0.1, 1e17, Term{x, 1})
	var mps bytes.Buffer
	if err := m.WriteMPS(&mps); err != nil {
		t.Fatal(err)
	}
	if text := mps.String(); !strings.Contains(text, " G wide_least\n") || !strings.Contains(text, " rhs wide_least 0.1\n") || strings.Contains(text, " range ") {
		t.Error(text)
	}
}
