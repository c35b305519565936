package main

import (
	"cmp"
	"fmt"
	"go/ast"
	gc "go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"time"

	"golang.org/x/tools/go/packages"
)

// constant is a declared numeric constant. Its mutant changes the uses of the constant, because a
// declaration cannot depend on a switch.
type constant struct {
	declared mutant
	value    gc.Value
	another  gc.Value
	// id is the number of the constant's mutant, 0 before the first use of the constant.
	id int
}

// declare records the numeric constants that a file declares.
func (c *catalogue) declare(pkg *packages.Package, tree *ast.File, file string) {
	for _, d := range tree.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.CONST {
			continue
		}
		for _, s := range decl.Specs {
			spec := s.(*ast.ValueSpec)
			for i, name := range spec.Names {
				if i < len(spec.Values) && !counted(spec.Values[i]) {
					c.declareOne(pkg, name, file)
				}
			}
		}
	}
}

// counted reports whether iota numbers the constant. Such a constant has no mutant: its number only
// serves as a name, so another number would be a gross fault and not a slight one.
func counted(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		found = found || ok && id.Name == "iota"
		return !found
	})
	return found
}

func (c *catalogue) declareOne(pkg *packages.Package, name *ast.Ident, file string) {
	object, ok := pkg.TypesInfo.Defs[name].(*types.Const)
	if !ok || !isNumber(object.Type()) {
		return
	}
	other := another(object.Val())
	if isDuration(object.Type()) {
		other = anotherDuration(object.Val())
	}
	c.consts[pkg.PkgPath+"."+name.Name] = &constant{value: object.Val(), another: other, declared: mutant{
		Package: pkg.PkgPath, File: file, Line: pkg.Fset.Position(name.Pos()).Line, Operator: opNumber,
		Change: fmt.Sprintf("const %s = %s -> %s", name.Name, shown(object.Val(), object.Type()), shown(other, object.Type())),
	}}
}

func isNumber(t types.Type) bool {
	basic, ok := t.Underlying().(*types.Basic)
	return ok && basic.Info()&types.IsNumeric != 0 && basic.Info()&types.IsComplex == 0
}

// shown formats a number for the description of a mutant. A duration is written with its unit, as
// in 1.5s.
func shown(v gc.Value, t types.Type) string {
	if isDuration(t) {
		if ns, exact := gc.Int64Val(v); exact {
			return time.Duration(ns).String()
		}
	}
	return v.String()
}

func isDuration(t types.Type) bool {
	n, ok := t.(*types.Named)
	return ok && n.Obj().Name() == "Duration" && n.Obj().Pkg().Path() == "time"
}

// anotherDuration returns a duration near v. It changes the number of whole seconds, or of
// milliseconds if v is no whole number of seconds.
func anotherDuration(v gc.Value) gc.Value {
	for _, unit := range []time.Duration{time.Second, time.Millisecond} {
		per := gc.MakeInt64(int64(unit))
		if gc.Sign(gc.BinaryOp(v, token.REM, per)) == 0 {
			return gc.BinaryOp(another(gc.BinaryOp(v, token.QUO_ASSIGN, per)), token.MUL, per)
		}
	}
	return another(v)
}

// largestStep is the largest number that a mutant changes by 1. A larger number is lowered by a
// quarter, because a difference of 1 seldom matters for it.
const largestStep = 19

// another returns a number near v: 11 for 10, 45 for 60.
func another(v gc.Value) gc.Value {
	if gc.Compare(gc.BinaryOp(v, token.MUL, v), token.LEQ, gc.MakeInt64(largestStep*largestStep)) {
		return gc.BinaryOp(v, token.ADD, gc.MakeInt64(1))
	}
	quarter := gc.BinaryOp(v, token.MUL, gc.MakeInt64(3))
	if v.Kind() == gc.Int {
		return gc.BinaryOp(quarter, token.QUO_ASSIGN, gc.MakeInt64(4))
	}
	return gc.BinaryOp(quarter, token.QUO, gc.MakeInt64(4))
}

// piece is an operand in a constant expression that a mutant can replace by another number.
type piece struct {
	at    ast.Node
	other string // source text of the number that takes the literal's place
	id    int
}

// constant makes mutants of a constant expression, unless it is a part of a larger one.
func (f *finder) constant(e ast.Expr, tv types.TypeAndValue) {
	if id, ok := e.(*ast.Ident); ok && (id.Name == "true" || id.Name == "false") {
		f.contrary(e, f.around(e)+" -> not")
		f.found.mutants[len(f.found.mutants)-1].Operator = opNumber
		return
	}
	if !isNumber(tv.Type) {
		return
	}
	var pieces []piece
	ast.Inspect(e, func(n ast.Node) bool {
		p, ok, deeper := f.piece(n, e)
		if ok && !slices.ContainsFunc(pieces, func(q piece) bool { return p.id == q.id }) {
			pieces = append(pieces, p)
		}
		return deeper
	})
	argument := f.typeArgument(tv.Type)
	slices.SortFunc(pieces, func(a, b piece) int { return -cmp.Compare(a.id, b.id) })
	for _, p := range pieces {
		f.wrap(p.id, e, fmt.Sprintf("switch_.Pick%s(%d, ", argument, p.id), ", "+f.with(e, p)+")")
	}
}

// around returns the source of the statement or call around e, because a word such as true means
// little alone.
func (f *finder) around(e ast.Expr) string {
	switch parent := f.parent().(type) {
	case *ast.KeyValueExpr, *ast.AssignStmt, *ast.CallExpr, *ast.ReturnStmt:
		return oneLine(f.text(parent))
	}
	return f.text(e)
}

// with returns the source of e in which the piece p is replaced by its other number.
func (f *finder) with(e ast.Expr, p piece) string {
	text, at := f.text(e), int(p.at.Pos()-e.Pos())
	return text[:at] + p.other + text[at+int(p.at.End()-p.at.Pos()):]
}

// piece returns how an operand of a constant expression can change. ok is false if it cannot.
// deeper says whether to look at the operand's own parts.
func (f *finder) piece(n ast.Node, whole ast.Expr) (p piece, ok, deeper bool) {
	switch n := n.(type) {
	case *ast.BasicLit:
		if n.Kind != token.INT && n.Kind != token.FLOAT {
			return piece{}, false, false
		}
		value := f.pkg.TypesInfo.Types[n].Value
		other := sourceOf(another(value))
		id := f.mutant(n, opNumber, f.around(whole)+": "+n.Value+" -> "+other)
		return piece{n, other, id}, true, false
	case *ast.SelectorExpr:
		return f.named(n, n.Sel)
	case *ast.Ident:
		return f.named(n, n)
	}
	return piece{}, false, true
}

// named returns how the use of a declared constant can change. Constants of other modules cannot
// change, except durations that stand alone.
func (f *finder) named(n ast.Node, name *ast.Ident) (p piece, ok, deeper bool) {
	object, isConst := f.pkg.TypesInfo.Uses[name].(*types.Const)
	if !isConst || object.Pkg() == nil {
		return piece{}, false, false
	}
	c, ours := f.found.consts[object.Pkg().Path()+"."+object.Name()]
	if !ours || object.Parent() != object.Pkg().Scope() {
		return piece{}, false, false
	}
	if c.id == 0 {
		c.id = f.found.add(c.declared).ID
	}
	difference := gc.BinaryOp(c.another, token.SUB, c.value)
	return piece{n, "(" + f.text(n) + " + (" + sourceOf(difference) + "))", c.id}, true, false
}

// sourceOf writes a number as Go source.
func sourceOf(v gc.Value) string {
	if v.Kind() == gc.Int {
		return v.ExactString()
	}
	v = gc.ToFloat(v)
	f, _ := gc.Float64Val(v)
	text := fmt.Sprint(f)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}
