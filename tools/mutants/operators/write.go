//go:build unix

package operators

import (
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// writer writes a file that holds all its mutants. The environment of a process says which of them is active.
type writer struct{ *finder }

// written is the text of the file with all sites.
func (f *finder) written() string {
	w := &writer{f}
	return w.pieces(0, len(f.source.text), func(visit func(ast.Node) bool) { ast.Inspect(f.source.tree, visit) })
}

// whole is the text of a node with all sites.
func (w *writer) whole(n ast.Node) string {
	return w.pieces(w.source.at(w.fset, n.Pos()), w.source.at(w.fset, n.End()), func(visit func(ast.Node) bool) { ast.Inspect(n, visit) })
}

// below is the text of a node with the sites below it.
func (w *writer) below(n ast.Node) string {
	return w.pieces(w.source.at(w.fset, n.Pos()), w.source.at(w.fset, n.End()), func(visit func(ast.Node) bool) {
		ast.Inspect(n, func(m ast.Node) bool { return m == n || visit(m) })
	})
}

// pieces is the text between two offsets, in which the outermost sites that are found are replaced.
func (w *writer) pieces(from, to int, inspect func(visit func(ast.Node) bool)) string {
	var text strings.Builder
	inspect(func(n ast.Node) bool {
		if n == nil {
			return true
		}
		s := w.sites[n]
		if s == nil || !slices.ContainsFunc(s.mutants, func(m *Mutant) bool { return !m.unfit }) {
			return true
		}
		text.Write(w.source.text[from:w.source.at(w.fset, n.Pos())])
		fmt.Fprintf(&text, "/*m%d(*/%s/*)m*/", s.mutants[0].ID, s.write(w, s))
		from = w.source.at(w.fset, n.End())
		return false
	})
	text.Write(w.source.text[from:to])
	return text.String()
}

// choice is a text that belongs to one mutant alone.
func choice(m *Mutant, text string) string { return fmt.Sprintf("/*m%d(*/%s/*)m*/", m.ID, text) }

func writeNot(w *writer, s *site) string {
	return fmt.Sprintf("mutantNot(%d, %s)", s.mutants[0].ID, w.below(s.node))
}

func writeMinus(of string) func(*writer, *site) string {
	return func(w *writer, s *site) string {
		return fmt.Sprintf("mutantMinus[%s](%d, %s)", of, s.mutants[0].ID, w.whole(s.node.(*ast.UnaryExpr).X))
	}
}

func writeLogic(w *writer, s *site) string {
	e := s.node.(*ast.BinaryExpr)
	name := map[token.Token]string{token.LAND: "mutantAnd", token.LOR: "mutantOr"}[e.Op]
	return fmt.Sprintf("%s(%d, %s, func() bool { return %s })", name, s.mutants[0].ID, w.whole(e.X), w.whole(e.Y))
}

func writeBinary(of string) func(*writer, *site) string {
	names := map[token.Token]string{token.LSS: "Less", token.LEQ: "LessEqual", token.GTR: "Greater", token.GEQ: "GreaterEqual", token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Quo"}
	return func(w *writer, s *site) string {
		e := s.node.(*ast.BinaryExpr)
		return fmt.Sprintf("mutant%s[%s](%d, %s, %s)", names[e.Op], of, s.mutants[0].ID, w.whole(e.X), w.whole(e.Y))
	}
}

// writeChoice writes an expression of the type that is replaced by another text.
func writeChoice(of string) func(*writer, *site) string {
	return func(w *writer, s *site) string {
		m := s.mutants[0]
		return fmt.Sprintf("(func() %s { if mutantOn(%d) { return %s }; return %s }())", of, m.ID, choice(m, s.choices[0]), w.below(s.node))
	}
}

func writeConstant(of string) func(*writer, *site) string {
	return func(w *writer, s *site) string {
		whole := w.raw(s.node)
		list := whole
		for k, m := range s.mutants {
			other := whole
			if !m.unfit {
				other = choice(m, s.choices[k])
			}
			list += ", " + other
		}
		return fmt.Sprintf("mutantConstant[%s](%d, %s)", of, s.mutants[0].ID, list)
	}
}

// writePick writes a call of one of two functions. A method gets its receiver as the first argument.
func writePick(w *writer, s *site) string {
	e := s.node.(*ast.CallExpr)
	var arguments []string
	if strings.HasPrefix(s.choices[0], "(") {
		arguments = append(arguments, w.whole(e.Fun.(*ast.SelectorExpr).X))
	}
	for _, a := range e.Args {
		arguments = append(arguments, w.whole(a))
	}
	last := ""
	if e.Ellipsis.IsValid() {
		last = "..."
	}
	return fmt.Sprintf("mutantPick(%d, %s, %s)(%s%s)", s.mutants[0].ID, s.choices[0], s.choices[1], strings.Join(arguments, ", "), last)
}

func writeExtreme(of string) func(*writer, *site) string {
	return func(w *writer, s *site) string {
		e := s.node.(*ast.CallExpr)
		name := map[string]string{"max": "mutantMax", "min": "mutantMin"}[w.printed(e.Fun)]
		if e.Ellipsis.IsValid() {
			return w.below(e)
		}
		text := fmt.Sprintf("%s[%s](%d", name, of, s.mutants[0].ID)
		for _, a := range e.Args {
			text += ", " + w.whole(a)
		}
		return text + ")"
	}
}

// writeStatement writes a statement that can be left out, or replaced; inside is true for one that stands before a condition.
func writeStatement(inside bool) func(*writer, *site) string {
	return func(w *writer, s *site) string {
		text := fmt.Sprintf("if !mutantOn(%d) { %s }", s.mutants[0].ID, w.below(s.node))
		if len(s.mutants) > 1 {
			m := s.mutants[1]
			text = fmt.Sprintf("if mutantOn(%d) { %s } else ", m.ID, choice(m, s.choices[1])) + text
		}
		if inside {
			return "mutantRun(func() { " + text + " })"
		}
		return text
	}
}

// support are the functions that the text calls. Those of the numbers ID and ID + 1 are the first and the second mutant of a site.
const support = `
import (
	mutantcmp "cmp"
	mutantos "os"
	mutantstrconv "strconv"
	mutantsyscall "syscall"
)

var mutantActive, mutantReached = mutantStart()

func mutantStart() (int, []byte) {
	active, err := mutantstrconv.Atoi(mutantos.Getenv("MUTANT"))
	if err != nil {
		active = -1
	}
	file, err := mutantos.OpenFile(mutantos.Getenv("MUTANT_REACHED"), mutantos.O_RDWR, 0)
	if err != nil {
		return active, make([]byte, mutantNumber)
	}
	defer file.Close()
	reached, err := mutantsyscall.Mmap(int(file.Fd()), 0, mutantNumber, mutantsyscall.PROT_READ|mutantsyscall.PROT_WRITE, mutantsyscall.MAP_SHARED)
	if err != nil {
		panic(err)
	}
	return active, reached
}

func mutantOn(id int) bool { mutantReached[id] = 1; return mutantActive == id }

func mutantNot(id int, x bool) bool { return x != mutantOn(id) }

func mutantAnd(id int, a bool, b func() bool) bool {
	if mutantOn(id) {
		return a || b()
	}
	return a && b()
}

func mutantOr(id int, a bool, b func() bool) bool {
	if mutantOn(id) {
		return a && b()
	}
	return a || b()
}

func mutantLess[T mutantcmp.Ordered](id int, a, b T) bool {
	switch mutantReached[id] = 1; mutantActive {
	case id:
		return a <= b
	case id + 1:
		return a > b
	}
	return a < b
}

func mutantLessEqual[T mutantcmp.Ordered](id int, a, b T) bool {
	switch mutantReached[id] = 1; mutantActive {
	case id:
		return a < b
	case id + 1:
		return a >= b
	}
	return a <= b
}

func mutantGreater[T mutantcmp.Ordered](id int, a, b T) bool {
	switch mutantReached[id] = 1; mutantActive {
	case id:
		return a >= b
	case id + 1:
		return a < b
	}
	return a > b
}

func mutantGreaterEqual[T mutantcmp.Ordered](id int, a, b T) bool {
	switch mutantReached[id] = 1; mutantActive {
	case id:
		return a > b
	case id + 1:
		return a <= b
	}
	return a >= b
}

type mutantNumeric interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantMinus[T mutantNumeric](id int, x T) T {
	if mutantOn(id) {
		return x
	}
	return -x
}

func mutantAdd[T mutantNumeric](id int, a, b T) T {
	if mutantOn(id) {
		return a - b
	}
	return a + b
}

func mutantSub[T mutantNumeric](id int, a, b T) T {
	if mutantOn(id) {
		return a + b
	}
	return a - b
}

func mutantMul[T mutantNumeric](id int, a, b T) T {
	if mutantOn(id) {
		return a / b
	}
	return a * b
}

func mutantQuo[T mutantNumeric](id int, a, b T) T {
	if mutantOn(id) {
		return a * b
	}
	return a / b
}

func mutantConstant[T mutantNumeric](id int, x T, other ...T) T {
	mutantReached[id] = 1
	if k := mutantActive - id; k >= 0 && k < len(other) {
		return other[k]
	}
	return x
}

func mutantMax[T mutantcmp.Ordered](id int, first T, rest ...T) T {
	on := mutantOn(id)
	for _, x := range rest {
		if on {
			first = min(first, x)
		} else {
			first = max(first, x)
		}
	}
	return first
}

func mutantMin[T mutantcmp.Ordered](id int, first T, rest ...T) T {
	on := mutantOn(id)
	for _, x := range rest {
		if on {
			first = max(first, x)
		} else {
			first = min(first, x)
		}
	}
	return first
}

func mutantPick[F any](id int, one, other F) F {
	if mutantOn(id) {
		return other
	}
	return one
}

func mutantRun(f func()) { f() }
`
