//go:build unix

package operators

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
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
	return fmt.Sprintf("mutant%s(%d, %s, func() bool { return %s })", logic[e.Op], s.mutants[0].ID, w.whole(e.X), w.whole(e.Y))
}

func writeBinary(of string) func(*writer, *site) string {
	return func(w *writer, s *site) string {
		e := s.node.(*ast.BinaryExpr)
		return fmt.Sprintf("mutant%s[%s](%d, %s, %s)", cmp.Or(comparisons[e.Op], arithmetic[e.Op]), of, s.mutants[0].ID, w.whole(e.X), w.whole(e.Y))
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
		if e.Ellipsis.IsValid() {
			return w.below(e)
		}
		text := fmt.Sprintf("mutant%s[%s](%d", extremes[w.printed(e.Fun)], of, s.mutants[0].ID)
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

// The names of operators and functions in the text, behind mutant.
var (
	comparisons = map[token.Token]string{token.LSS: "Less", token.LEQ: "LessEqual", token.GTR: "Greater", token.GEQ: "GreaterEqual"}
	arithmetic  = map[token.Token]string{token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Quo"}
	logic       = map[token.Token]string{token.LAND: "And", token.LOR: "Or"}
	extremes    = map[string]string{"max": "Max", "min": "Min"}
)

// support are the functions that the text calls.
func support() string {
	text := plainSupport
	for _, kind := range []struct {
		names      map[token.Token]string
		of, result string
	}{{comparisons, "mutantcmp.Ordered", "bool"}, {arithmetic, "mutantNumeric", "T"}} {
		for _, op := range slices.Sorted(maps.Keys(kind.names)) {
			text += fmt.Sprintf("\nfunc mutant%s[T %s](id int, a, b T) %s {\n\tswitch mutantReached[id] = 1; mutantActive {\n", kind.names[op], kind.of, kind.result)
			for k, other := range swapped[op] {
				text += fmt.Sprintf("\tcase id + %d:\n\t\treturn a %s b\n", k, other)
			}
			text += fmt.Sprintf("\t}\n\treturn a %s b\n}\n", op)
		}
	}
	for _, op := range slices.Sorted(maps.Keys(logic)) {
		text += fmt.Sprintf("\nfunc mutant%s(id int, a bool, b func() bool) bool {\n\tif mutantOn(id) {\n\t\treturn a %s b()\n\t}\n\treturn a %s b()\n}\n", logic[op], swapped[op][0], op)
	}
	for _, pair := range [][2]string{{"max", "min"}, {"min", "max"}} {
		text += fmt.Sprintf(extremeSupport, extremes[pair[0]], pair[0], pair[1])
	}
	return text
}

// extremeSupport is the function of max or min: its name, what it calls, and what its mutant calls.
const extremeSupport = `
func mutant%[1]s[T mutantcmp.Ordered](id int, first T, rest ...T) T {
	on := mutantOn(id)
	for _, x := range rest {
		if on {
			first = %[3]s(first, x)
		} else {
			first = %[2]s(first, x)
		}
	}
	return first
}
`

// plainSupport are the functions that stand as they are.
const plainSupport = `
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

type mutantNumeric interface {
	~int | ~int8 | ~int16 | ~int32 | ~int64 | ~uint | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uintptr | ~float32 | ~float64
}

func mutantMinus[T mutantNumeric](id int, x T) T {
	if mutantOn(id) {
		return x
	}
	return -x
}

func mutantConstant[T mutantNumeric](id int, x T, other ...T) T {
	mutantReached[id] = 1
	if k := mutantActive - id; k >= 0 && k < len(other) {
		return other[k]
	}
	return x
}

func mutantPick[F any](id int, one, other F) F {
	if mutantOn(id) {
		return other
	}
	return one
}

func mutantRun(f func()) { f() }
`
