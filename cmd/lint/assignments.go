package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// assignEffects maps the assignment operators that commute on integers to their effects.
var assignEffects = map[token.Token]effect{
	token.ADD_ASSIGN: sums,
	token.SUB_ASSIGN: sums,
	token.MUL_ASSIGN: multiply,
	token.OR_ASSIGN:  ors,
	token.AND_ASSIGN: ands,
	token.XOR_ASSIGN: xors,
}

func (t *turn) assign(s *ast.AssignStmt) {
	if s.Tok == token.DEFINE {
		for _, e := range s.Rhs {
			t.read(e)
		}
		t.declare(s.Lhs...)
		for _, e := range s.Lhs {
			if !t.isOwn(e) && !blank(e) {
				t.fail(s, "assigns a variable from outside: %s", t.text(s))
			}
		}
		return
	}
	if s.Tok != token.ASSIGN {
		t.set(s.Lhs[0], s.Rhs[0], assignEffects[s.Tok])
		return
	}
	if len(s.Lhs) != len(s.Rhs) { // a, ok = m[k]
		t.read(s.Rhs[0])
		for _, e := range s.Lhs {
			if !t.isOwn(e) && !blank(e) {
				t.fail(s, "assigns a variable from outside: %s", t.text(s))
			}
		}
		return
	}
	for i, lhs := range s.Lhs {
		t.put(lhs, s.Rhs[i])
	}
}

// set notes x op= value for one of the commuting operators, or x++, which has no value.
func (t *turn) set(lhs, value ast.Expr, e effect) {
	t.read(value)
	if t.isOwn(lhs) || t.atKey(lhs) {
		return
	}
	path, ok := t.place(lhs)
	if !ok || e == "" || t.isKey(lhs) {
		t.fail(lhs, "changes %s in an order", t.text(lhs))
		return
	}
	if !isInteger(t.pass.TypesInfo.TypeOf(lhs)) {
		t.fail(lhs, "changes %s in an order: its %s does not commute, as it is no integer", t.text(lhs), e)
		return
	}
	t.writes = append(t.writes, write{path: path, effect: e})
}

// put notes lhs = value.
func (t *turn) put(lhs, value ast.Expr) {
	if blank(lhs) || t.isOwn(lhs) {
		t.read(value)
		return
	}
	if t.atKey(lhs) {
		t.readAppended(value)
		return
	}
	path, ok := t.place(lhs)
	if !ok || t.isKey(lhs) {
		t.fail(lhs, "assigns %s", t.text(lhs))
		return
	}
	if call, ok := ast.Unparen(value).(*ast.CallExpr); ok {
		if t.putCall(path, lhs, call) {
			return
		}
	}
	t.read(value)
	if !t.constant(value) {
		t.fail(lhs, "sets %s to what depends on the last entry", t.text(lhs))
		return
	}
	t.writes = append(t.writes, write{path: path, effect: sameValue, value: t.text(value)})
}

// putCall notes p = append(p, …), p = max(p, …) or p = min(p, …), and reports whether call is one.
func (t *turn) putCall(path string, lhs ast.Expr, call *ast.CallExpr) bool {
	e, ok := map[string]effect{"append": collects, "max": largest, "min": smallest}[builtinName(t.pass, call)]
	if !ok {
		return false
	}
	if _, indexed := ast.Unparen(lhs).(*ast.IndexExpr); indexed {
		return false
	}
	self := -1
	for i, arg := range call.Args {
		if p, ok := pathOf(t.pass, arg); ok && p == path && (e != collects || i == 0) {
			self = i
			break
		}
	}
	if self < 0 {
		return false
	}
	for i, arg := range call.Args {
		if i != self {
			t.read(arg)
		}
	}
	t.writes = append(t.writes, write{path: path, effect: e})
	return true
}

// place returns the path that an assignment to lhs changes; the path of m[x] is m.
func (t *turn) place(lhs ast.Expr) (string, bool) {
	index, ok := ast.Unparen(lhs).(*ast.IndexExpr)
	if !ok {
		return pathOf(t.pass, lhs)
	}
	if !isMap(t.pass.TypesInfo.TypeOf(index.X)) {
		return "", false // elements of slices may have other names
	}
	t.read(index.Index)
	return pathOf(t.pass, index.X)
}

// atKey notes lhs as a write to m[key], and reports whether it is one.
func (t *turn) atKey(lhs ast.Expr) bool {
	index, ok := ast.Unparen(lhs).(*ast.IndexExpr)
	if !ok || !t.isKey(index.Index) || !isMap(t.pass.TypesInfo.TypeOf(index.X)) {
		return false
	}
	path, ok := pathOf(t.pass, index.X)
	if !ok {
		return false
	}
	t.writes = append(t.writes, write{path: path, effect: atKey})
	return true
}

// readAppended reads a value that is assigned to m[key]; the value may append to m[key].
func (t *turn) readAppended(value ast.Expr) {
	call, ok := ast.Unparen(value).(*ast.CallExpr)
	if !ok || builtinName(t.pass, call) != "append" {
		t.read(value)
		return
	}
	for _, arg := range call.Args {
		t.read(arg)
	}
}

// isKey reports whether the expression is the loop's key. put makes sure that the key never
// changes.
func (t *turn) isKey(e ast.Expr) bool {
	id, ok := ast.Unparen(e).(*ast.Ident)
	return ok && t.key != nil && t.pass.TypesInfo.Uses[id] == t.key
}

// isOwn reports whether the expression is a variable of the turn other than the loop's key,
// or a field inside such a variable, reached without a pointer.
func (t *turn) isOwn(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		obj := objectOf(t.pass, e)
		return t.own[obj] && obj != t.key
	case *ast.SelectorExpr:
		s := t.pass.TypesInfo.Selections[e]
		return s != nil && s.Kind() == types.FieldVal && !s.Indirect() && t.isOwn(e.X)
	}
	return false
}

// constant reports whether the expression has the same value each turn, as far as the
// turn's own variables go. Whether a write changes it is checked at the end.
func (t *turn) constant(e ast.Expr) bool {
	same := true
	ast.Inspect(e, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && t.own[t.pass.TypesInfo.Uses[id]] {
			same = false
		}
		return same
	})
	t.read(e)
	return same
}
