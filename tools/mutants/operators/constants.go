//go:build unix

package operators

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// constant adds the site of a constant expression: it is changed as a whole, so that what is not changed is computed by the compiler as before. A
// mutant changes one number or sign of it.
func (f *finder) constant(e ast.Expr) {
	var changes, choices []string
	from := f.source.at(f.fset, e.Pos())
	change := func(n ast.Node, text, shown string) {
		whole := f.raw(e)
		begin, end := f.source.at(f.fset, n.Pos())-from, f.source.at(f.fset, n.End())-from
		changes, choices = append(changes, f.shown(n)+" → "+shown), append(choices, whole[:begin]+text+whole[end:])
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			if n.Kind != token.STRING { // as in len("text")
				f.number(n, n.Kind == token.FLOAT, change)
			}
		case *ast.Ident:
			if named, ok := f.info.Uses[n].(*types.Const); ok && named.Pkg() == f.types && f.is(n, types.IsNumeric) && !f.counted(named) {
				f.number(n, named.Val().Kind() == constant.Float, change)
			}
		case *ast.SelectorExpr: // a constant of another package is what it is
			return false
		case *ast.BinaryExpr:
			for _, op := range swapped[n.Op] {
				if n.Op == token.ADD || n.Op == token.SUB || n.Op == token.MUL || n.Op == token.QUO {
					change(n, f.raw(n.X)+" "+op.String()+" "+f.raw(n.Y), op.String())
				}
			}
		case *ast.UnaryExpr:
			if n.Op == token.SUB {
				change(n, "("+f.raw(n.X)+")", "without −")
			}
		}
		return true
	})
	if len(changes) > 0 {
		f.add(e, e.Pos(), writeConstant(f.typed(e)), changes...).choices = choices
	}
}

// number changes a number or the name of one: whole numbers to the next, 1 also to 0, others to twice as much.
func (f *finder) number(n ast.Expr, fraction bool, change func(n ast.Node, text, shown string)) {
	text, value := f.raw(n), f.info.Types[n].Value
	switch {
	case value == nil:
	case constant.Sign(value) == 0:
		change(n, "1", "1")
	case fraction:
		change(n, "(2*"+text+")", "doubled")
	default:
		change(n, "("+text+"+1)", "+ 1")
		if constant.Compare(value, token.EQL, constant.MakeInt64(1)) {
			change(n, "0", "0")
		}
	}
}

// counted says that a constant is one of a list that is numbered by iota: it is a name, not a number.
func (f *finder) counted(c *types.Const) bool {
	for _, s := range f.sources {
		for _, d := range s.tree.Decls {
			list, ok := d.(*ast.GenDecl)
			if !ok || list.Tok != token.CONST || c.Pos() < list.Pos() || c.Pos() > list.End() {
				continue
			}
			found := false
			ast.Inspect(list, func(n ast.Node) bool {
				name, ok := n.(*ast.Ident)
				found = found || ok && name.Name == "iota"
				return true
			})
			return found
		}
	}
	return false
}

// statement adds the site of a statement that can be left out, or that counts in the other direction.
func (f *finder) statement(n ast.Stmt) {
	parent := f.path[len(f.path)-1]
	write, listed := writeStatement(false), false
	switch p := parent.(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		listed = true
	case *ast.IfStmt:
		if p.Init != n {
			return
		}
		write = writeStatement(true)
	default:
		return
	}
	gone := f.shown(n) + " → left out"
	switch n := n.(type) {
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && f.printed(call.Fun) != "panic" {
			f.add(n, n.Pos(), write, gone)
		}
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE || f.printed(n.Lhs[0]) == "_" && len(n.Lhs) == 1 {
			return
		}
		if n.Tok == token.ASSIGN {
			f.add(n, n.Pos(), write, gone)
			return
		}
		if op, known := assigned[n.Tok]; known && f.is(n.Lhs[0], types.IsNumeric) {
			f.add(n, n.Pos(), write, gone, fmt.Sprintf("%s → %s", f.shown(n), op)).choices = []string{"", f.printed(n.Lhs[0]) + " " + op.String() + " " + f.printed(n.Rhs[0])}
		} else {
			f.add(n, n.Pos(), write, gone)
		}
	case *ast.IncDecStmt:
		op := map[token.Token]token.Token{token.INC: token.DEC, token.DEC: token.INC}[n.Tok]
		f.add(n, n.Pos(), write, gone, fmt.Sprintf("%s → %s", f.shown(n), op)).choices = []string{"", f.printed(n.X) + op.String()}
	case *ast.BranchStmt:
		if listed && (n.Tok == token.CONTINUE || n.Tok == token.BREAK) {
			f.add(n, n.Pos(), write, gone)
		}
	case *ast.ReturnStmt:
		if listed && f.goesOn() {
			f.add(n, n.Pos(), write, gone)
		}
	}
}

// assigned are the assignments that replace another one.
var assigned = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.MUL_ASSIGN: token.QUO_ASSIGN, token.QUO_ASSIGN: token.MUL_ASSIGN,
}

// goesOn says that the function goes on behind the list of statements that is looked at: behind an if without else, a loop, or a switch without default.
func (f *finder) goesOn() bool {
	parent, above := f.path[len(f.path)-1], f.path[len(f.path)-2]
	switch a := above.(type) {
	case *ast.IfStmt:
		return a.Else == nil
	case *ast.ForStmt, *ast.RangeStmt:
		return true
	case *ast.BlockStmt: // of a switch
		if _, ok := parent.(*ast.CaseClause); !ok {
			return false
		}
		for _, clause := range a.List {
			if c, ok := clause.(*ast.CaseClause); ok && c.List == nil {
				return false
			}
		}
		return true
	}
	return false
}
