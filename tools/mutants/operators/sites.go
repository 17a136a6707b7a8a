//go:build unix

package operators

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"strings"
)

// Mutant is one change of the package.
type Mutant struct {
	ID     int
	File   string // in the repository
	Line   int
	Text   string // the line, without the space around it
	Change string // what is changed into what; the second of two that look alike ends in #2

	site  *site
	unfit bool // it does not compile
}

// Place is where the mutant is.
func (m *Mutant) Place() string { return fmt.Sprintf("%s:%d", m.File, m.Line) }

// site is a place in the text with its mutants.
type site struct {
	node    ast.Node
	write   func(w *writer, s *site) string // the text that can do all of them
	choices []string                        // by mutant: the text of the node, where write needs it
	mutants []*Mutant
}

// finder finds the sites of a file.
type finder struct {
	*pack
	source *source
	lines  []string
	sites  map[ast.Node]*site
	order  []*site
	path   []ast.Node // from the file to the node
}

// find finds the sites of a file, in the order of the text.
func (p *pack) find(s *source) *finder {
	f := &finder{pack: p, source: s, lines: strings.Split(string(s.text), "\n"), sites: map[ast.Node]*site{}}
	for _, d := range s.tree.Decls {
		f.look(d)
	}
	return f
}

// look looks at a node and at those below.
func (f *finder) look(root ast.Node) {
	ast.Inspect(root, func(n ast.Node) bool {
		if n == nil {
			f.path = f.path[:len(f.path)-1]
			return true
		}
		if !f.visit(n) {
			return false
		}
		f.path = append(f.path, n)
		return true
	})
}

// visit adds the site of a node. It returns whether to look below.
func (f *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ArrayType, *ast.StructType, *ast.InterfaceType, *ast.FuncType, *ast.MapType, *ast.ChanType, *ast.FieldList:
		return false
	case *ast.KeyValueExpr:
		if _, indexed := f.info.Types[f.path[len(f.path)-1].(ast.Expr)].Type.Underlying().(*types.Map); !indexed {
			f.path = append(f.path, n) // the key is a field, or an index that has to be constant
			f.look(n.Value)
			f.path = f.path[:len(f.path)-1]
			return false
		}
	case ast.Stmt:
		f.statement(n)
	case ast.Expr:
		return f.expression(n)
	}
	return true
}

// add adds a site with a mutant for each change.
func (f *finder) add(node ast.Node, pos token.Pos, write func(*writer, *site) string, changes ...string) *site {
	s := &site{node: node, write: write}
	line := f.fset.Position(pos).Line
	for _, change := range changes {
		s.mutants = append(s.mutants, &Mutant{File: f.source.name, Line: line, Text: strings.TrimSpace(f.lines[line-1]), Change: change, site: s})
	}
	f.sites[node] = s
	f.order = append(f.order, s)
	return s
}

// typed is the type of an expression as the file writes it.
func (f *finder) typed(e ast.Expr) string { return f.spelled(f.info.Types[e].Type) }

func (f *finder) spelled(t types.Type) string {
	if basic, ok := t.(*types.Basic); ok && basic.Info()&types.IsUntyped != 0 {
		t = types.Default(t)
	}
	return types.TypeString(t, func(other *types.Package) string {
		if other == f.types {
			return ""
		}
		return other.Name()
	})
}

// is says that the expression has a type of one of the kinds.
func (f *finder) is(e ast.Expr, kinds types.BasicInfo) bool {
	t := f.info.Types[e].Type
	if t == nil {
		return false
	}
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&kinds != 0
}

// raw is the text of a node.
func (f *finder) raw(n ast.Node) string {
	return string(f.source.text[f.source.at(f.fset, n.Pos()):f.source.at(f.fset, n.End())])
}

// swapped are the operators that replace another one.
var swapped = map[token.Token][]token.Token{
	token.LSS: {token.LEQ, token.GTR}, token.LEQ: {token.LSS, token.GEQ}, token.GTR: {token.GEQ, token.LSS}, token.GEQ: {token.GTR, token.LEQ},
	token.EQL: {token.NEQ}, token.NEQ: {token.EQL}, token.LAND: {token.LOR}, token.LOR: {token.LAND},
	token.ADD: {token.SUB}, token.SUB: {token.ADD}, token.MUL: {token.QUO}, token.QUO: {token.MUL}, token.REM: {token.QUO},
	token.SHL: {token.SHR}, token.SHR: {token.SHL}, token.AND: {token.OR}, token.OR: {token.AND}, token.XOR: {token.AND}, token.AND_NOT: {token.AND},
}

// siblings are functions and methods of opposite sense.
var siblings = func() map[string]string {
	both := map[string]string{}
	for _, pair := range [][2]string{{"Add", "Sub"}, {"Mul", "Quo"}, {"plus", "minus"}, {"Floor", "Ceil"}, {"floor", "ceil"}, {"larger", "smaller"}, {"up", "down"},
		{"Before", "After"}, {"Min", "Max"}, {"First", "Last"}, {"HasPrefix", "HasSuffix"}} {
		both[pair[0]], both[pair[1]] = pair[1], pair[0]
	}
	return both
}()

// expression adds the site of an expression. It returns whether to look below.
func (f *finder) expression(e ast.Expr) bool {
	if tv := f.info.Types[e]; tv.IsType() {
		return false
	} else if tv.Value != nil && (tv.Value.Kind() == constant.Int || tv.Value.Kind() == constant.Float) && f.is(e, types.IsNumeric) {
		f.constant(e)
		return false
	}
	switch e := e.(type) {
	case *ast.Ident:
		if f.info.Uses[e] == types.Universe.Lookup("true") || f.info.Uses[e] == types.Universe.Lookup("false") {
			f.add(e, e.Pos(), writeNot, map[string]string{"true": "true → false", "false": "false → true"}[e.Name])
		}
	case *ast.UnaryExpr:
		switch e.Op {
		case token.NOT:
			f.add(e, e.Pos(), writeNot, fmt.Sprintf("%s → without !", f.shown(e)))
		case token.SUB:
			f.add(e, e.Pos(), writeMinus(f.typed(e)), fmt.Sprintf("%s → without −", f.shown(e)))
		}
	case *ast.BinaryExpr:
		f.binary(e)
	case *ast.CallExpr:
		return f.call(e)
	}
	return true
}

// binary adds the site of a binary expression.
func (f *finder) binary(e *ast.BinaryExpr) {
	var changes []string
	for _, op := range swapped[e.Op] {
		changes = append(changes, fmt.Sprintf("%s %s %s → %s", f.shown(e.X), e.Op, f.shown(e.Y), op))
	}
	var write func(*writer, *site) string
	switch e.Op {
	case token.EQL, token.NEQ:
		write = writeNot
	case token.LAND, token.LOR:
		write = writeLogic
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		write = writeBinary(f.typed(e.X))
	case token.ADD, token.SUB, token.MUL, token.QUO:
		if !f.is(e, types.IsNumeric) {
			return
		}
		write = writeBinary(f.typed(e))
	default:
		write = writeChoice(f.typed(e))
	}
	s := f.add(e, e.OpPos, write, changes...)
	for _, op := range swapped[e.Op] {
		s.choices = append(s.choices, fmt.Sprintf("(%s) %s (%s)", f.printed(e.X), op, f.printed(e.Y)))
	}
}

// call adds the site of a call of a function that has an opposite. It returns whether to look below.
func (f *finder) call(e *ast.CallExpr) bool {
	if name, ok := e.Fun.(*ast.Ident); ok {
		if _, builtin := f.info.Uses[name].(*types.Builtin); builtin {
			switch name.Name {
			case "max", "min":
				f.add(e, e.Pos(), writeExtreme(f.typed(e)), fmt.Sprintf("%s → %s", f.shown(e), map[string]string{"max": "min", "min": "max"}[name.Name]))
			case "make": // a capacity changes nothing but speed
				sized := 2
				if _, isMap := f.info.Types[e].Type.Underlying().(*types.Map); isMap {
					sized = 1
				}
				for _, argument := range e.Args[:min(sized, len(e.Args))] {
					f.look(argument)
				}
				return false
			}
			return true
		}
		f.opposite(e, name, "", nil)
	}
	selector, ok := e.Fun.(*ast.SelectorExpr)
	if !ok {
		return true
	}
	if method := f.info.Selections[selector]; method != nil && method.Kind() == types.MethodVal {
		f.opposite(e, selector.Sel, "("+f.spelled(method.Recv())+").", method)
	} else if method == nil {
		if function := f.info.Uses[selector.Sel]; function != nil && function.Pkg() != nil && function.Pkg().Path() == "math" && function.Name() == "Inf" {
			s := f.add(e, e.Pos(), writeChoice("float64"), fmt.Sprintf("%s → of the other sign", f.shown(e)))
			s.choices = []string{"-" + f.printed(e)}
			return false
		}
		f.opposite(e, selector.Sel, f.raw(selector.X)+".", nil)
	}
	return true
}

// opposite adds the site of a call if there is a function, or a method of the same receiver, of opposite sense and the same type. What stands before the
// name is the package, or the type of the receiver.
func (f *finder) opposite(e *ast.CallExpr, name *ast.Ident, before string, method *types.Selection) {
	other, known := siblings[name.Name]
	function, ok := f.info.Uses[name].(*types.Func)
	if !known || !ok || function.Pkg() == nil {
		return
	}
	var found types.Object
	if method != nil {
		if pointer := function.Signature().Recv().Type(); !types.Identical(pointer, method.Recv()) {
			return // the receiver is taken the address of
		}
		if list := types.NewMethodSet(method.Recv()).Lookup(function.Pkg(), other); list != nil {
			found = list.Obj()
		}
	} else {
		found = function.Pkg().Scope().Lookup(other)
	}
	sibling, ok := found.(*types.Func)
	if !ok || function.Signature().TypeParams() != nil || !types.Identical(withoutReceiver(sibling), withoutReceiver(function)) {
		return
	}
	s := f.add(e, name.Pos(), writePick, fmt.Sprintf("%s → %s", f.shown(e), other))
	s.choices = []string{before + name.Name, before + other}
}

// withoutReceiver is the type of a function or method by its arguments and results.
func withoutReceiver(function *types.Func) types.Type {
	t := function.Signature()
	return types.NewSignatureType(nil, nil, nil, t.Params(), t.Results(), t.Variadic())
}
