package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// swaps maps each binary operator to its replacement, and to the function in switches.txt that
// applies the one or the other.
var swaps = map[token.Token]struct {
	to       token.Token
	function string
	operator operator
}{
	token.LSS:  {token.LEQ, "Less", opBoundary},
	token.LEQ:  {token.LSS, "LessEqual", opBoundary},
	token.GTR:  {token.GEQ, "Greater", opBoundary},
	token.GEQ:  {token.GTR, "GreaterEqual", opBoundary},
	token.LAND: {token.LOR, "And", opLogic},
	token.LOR:  {token.LAND, "Or", opLogic},
	token.ADD:  {token.SUB, "Plus", opArith},
	token.SUB:  {token.ADD, "Minus", opArith},
	token.MUL:  {token.QUO, "Times", opArith},
	token.QUO:  {token.MUL, "Over", opArith},
	token.REM:  {token.MUL, "Rest", opArith},
}

// contraries maps each comparison to its negation, such as < to >=.
var contraries = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LSS: token.GEQ,
	token.GEQ: token.LSS, token.GTR: token.LEQ, token.LEQ: token.GTR,
}

func (f *finder) binary(n *ast.BinaryExpr) {
	if contrary, ok := contraries[n.Op]; ok {
		f.contrary(n, f.changed(n, contrary))
	}
	swap, ok := swaps[n.Op]
	if !ok || f.isText(n) && swap.operator == opArith {
		return
	}
	id := f.mutant(n, swap.operator, f.changed(n, swap.to))
	before, after := "", ")"
	if swap.operator == opLogic {
		before, after = "func() bool { return ", " })"
	}
	// The line breaks between the operands are kept, but put behind the comma, because Go allows no
	// break before it.
	gap := f.source[f.file.Offset(n.X.End()):f.file.Offset(n.Y.Pos())]
	between := ", " + strings.Repeat("\n", strings.Count(string(gap), "\n")) + before
	f.wrap(id, n, "switch_."+swap.function+"("+fmt.Sprint(id)+", ", after)
	f.replace(id, n.X.End(), n.Y.Pos(), between)
}

// changed describes a mutant that replaces a binary operator: the original expression, and the new
// operator.
func (f *finder) changed(n *ast.BinaryExpr, to token.Token) string {
	x, y := f.text(n.X), f.text(n.Y)
	return oneLine(x+" "+n.Op.String()+" "+y) + " -> " + to.String()
}

func (f *finder) isText(e ast.Expr) bool {
	basic, ok := f.pkg.TypesInfo.TypeOf(e).Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsString != 0
}

// negate makes a mutant that negates a condition.
func (f *finder) negate(e ast.Expr) {
	f.contrary(e, oneLine(f.text(e))+" -> not")
}

func (f *finder) contrary(e ast.Expr, change string) {
	id := f.mutant(e, opCondition, change)
	f.wrap(id, e, fmt.Sprintf("(switch_.On(%d) != (", id), "))")
}

// isCondition reports whether a bool expression decides a branch by itself, as the condition of an
// if, a loop or a case, or as an operand of && or ||.
func (f *finder) isCondition(e ast.Expr) bool {
	switch e.(type) {
	case *ast.ParenExpr, *ast.FuncLit:
		return false
	}
	if t := f.pkg.TypesInfo.TypeOf(e); t == nil || !types.Identical(t, types.Typ[types.Bool]) {
		return false
	}
	child := ast.Node(e)
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch parent := f.stack[i].(type) {
		case *ast.ParenExpr:
			child = parent
			continue
		case *ast.IfStmt:
			return parent.Cond == child
		case *ast.ForStmt:
			return parent.Cond == child
		case *ast.BinaryExpr:
			return parent.Op == token.LAND || parent.Op == token.LOR
		case *ast.CaseClause:
			s, ok := f.stack[i-2].(*ast.SwitchStmt)
			return ok && s.Tag == nil
		}
		return false
	}
	return false
}

// results makes a mutant for each result of a return statement.
func (f *finder) results(n *ast.ReturnStmt) {
	want := f.signature().Results()
	if want.Len() != len(n.Results) {
		return
	}
	for i, e := range n.Results {
		before, after, change := f.result(e, want.At(i).Type())
		if change == "" || f.isBesideError(n, e) {
			continue
		}
		text := oneLine("return " + f.text(e))
		if len(n.Results) > 1 {
			text = oneLine("return " + f.text(&ast.ReturnStmt{Return: n.Results[0].Pos(), Results: n.Results}))
			change = fmt.Sprintf("%s as result %d", change, i+1)
		}
		id := f.mutant(n, opReturn, text+" -> "+change)
		f.wrap(id, e, fmt.Sprintf(before, id), after)
	}
}

var errorType = types.Universe.Lookup("error").Type()

// result returns the text to put before and after a result, and a description of the change. The
// description is empty if the result cannot change.
func (f *finder) result(e ast.Expr, want types.Type) (before, after, change string) {
	tv := f.pkg.TypesInfo.Types[e]
	isError := types.Identical(want, errorType)
	switch {
	case !tv.IsNil() && tv.Value == nil && f.isEmpty(e):
		return "", "", ""
	case tv.IsNil() && isError:
		return "switch_.Pick[error](%d, ", ", switch_.Fail())", "an error"
	case tv.IsNil():
		return "", "", ""
	case isError:
		return "switch_.Zero[error](%d, ", ")", "nil"
	case tv.Value != nil && !f.isText(e) || tv.Value != nil && f.text(e) == `""`:
		return "", "", "" // numbers and the language's words have mutants of their own kind
	case types.IsInterface(want) && !types.IsInterface(tv.Type):
		return "", "", ""
	}
	argument := f.typeArgument(want)
	switch basic, _ := want.Underlying().(*types.Basic); {
	case basic == nil:
		return "switch_.Zero" + argument + "(%d, ", ")", "nothing"
	case basic.Info()&types.IsBoolean != 0:
		if _, compares := ast.Unparen(e).(*ast.BinaryExpr); compares {
			return "", "", ""
		}
		return "(switch_.On(%d) != (", "))", "not"
	case basic.Info()&types.IsString != 0:
		return "switch_.Zero" + argument + "(%d, ", ")", `""`
	case basic.Info()&types.IsNumeric != 0:
		return "switch_.Inc" + argument + "(%d, ", ")", "one more"
	}
	return "", "", ""
}

// signature returns the type of the innermost function around the present node.
func (f *finder) signature() *types.Signature {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.FuncLit:
			return f.pkg.TypesInfo.TypeOf(n).(*types.Signature)
		case *ast.FuncDecl:
			return f.pkg.TypesInfo.Defs[n.Name].Type().(*types.Signature)
		}
	}
	return types.NewSignatureType(nil, nil, nil, nil, nil, false)
}
