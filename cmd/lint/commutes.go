package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// A loop body commutes when it leaves the same result in every order of its turns. It may
// consist of
//
//   - writes and deletes at the loop's own key: m2[k] = v, delete(m2, k);
//   - deletes at any key: delete(m2, v.id);
//   - sums over integers: n++, n += v, also into map entries;
//   - bits: |=, &=, ^=;
//   - a largest or smallest value: if v > most { most = v }, most = max(most, v);
//   - a value that is the same each turn: found = true, seen[v.id] = true;
//   - collecting into a slice that is sorted right after the loop;
//   - leaving the loop in one single way: if v.bad { return false };
//   - variables of the turn itself, if, switch, continue and inner loops.
//
// Every expression in it has to be free of effects, and no turn may read what another has
// written, except in these ways. This last rule compares places by their paths (paths.go).
// Functions of this module count as having effects; those of the standard library in
// pure.go do not. statements.go checks statements, assignments.go what they may write.

// effect is what a statement does to a place.
type effect string

const (
	atKey     effect = "write at the loop's key"
	deletes   effect = "delete"
	sums      effect = "sum"
	multiply  effect = "product"
	ors       effect = "bits or"
	ands      effect = "bits and"
	xors      effect = "bits xor"
	largest   effect = "largest value"
	smallest  effect = "smallest value"
	sameValue effect = "one value"
	collects  effect = "append"
)

// write is one effect on one place.
type write struct {
	path   string
	effect effect
	value  string // of sameValue, as written
}

// turn collects the effects of the body of one loop.
type turn struct {
	pass   *analysis.Pass
	loop   *ast.RangeStmt
	ranged string // path of the ranged map, or ""
	key    types.Object
	value  types.Object
	// own holds the variables that are new in each turn.
	own    map[types.Object]bool
	writes []write
	reads  []string // paths
	slots  []string // paths of maps that are only read at the loop's key
	exits  []string // each way out of the loop, as written
	why    string   // the first reason why the body does not commute
}

// orderSeen returns why the order of the map m shows in the body of the loop, "" where it
// does not. body is the body of the surrounding function.
func orderSeen(pass *analysis.Pass, loop *ast.RangeStmt, m ast.Expr, body *ast.BlockStmt) string {
	if blank(loop.Key) && blank(loop.Value) {
		return "" // without a key or value all turns are the same
	}
	t := &turn{pass: pass, loop: loop, own: map[types.Object]bool{}}
	if loop.Tok == token.ASSIGN {
		return "the last key stays in a variable outside the loop"
	}
	t.ranged, _ = pathOf(pass, m)
	t.declare(loop.Key, loop.Value)
	t.key, t.value = t.defined(loop.Key), t.defined(loop.Value)
	if call, ok := ast.Unparen(loop.X).(*ast.CallExpr); ok && mapIterator(pass, call) == "Values" {
		t.key, t.value = nil, t.key
	}
	t.block(loop.Body.List, inLoop)
	t.conflicts()
	if t.why == "" {
		t.unsorted(body)
	}
	return t.why
}

// defined returns the variable that the name declares, or nil.
func (t *turn) defined(e ast.Expr) types.Object {
	if id, ok := e.(*ast.Ident); ok {
		return t.pass.TypesInfo.Defs[id]
	}
	return nil
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return e == nil || ok && id.Name == "_"
}
func (t *turn) fail(n ast.Node, format string, args ...any) {
	if t.why == "" {
		t.why = fmt.Sprintf("line %d ", t.pass.Fset.Position(n.Pos()).Line) + fmt.Sprintf(format, args...)
	}
}

// declare notes the names as variables of the turn.
func (t *turn) declare(names ...ast.Expr) {
	for _, e := range names {
		if obj := t.defined(e); obj != nil {
			t.own[obj] = true
		}
	}
}

// conflicts reports places that turns use in more than one way.
func (t *turn) conflicts() {
	for i, w := range t.writes {
		for _, other := range t.writes[:i] {
			if overlap(w.path, other.path) && w != other {
				t.fail(t.loop, "changes %s in two ways (%s, %s)", display(w.path), other.effect, w.effect)
			}
		}
		if t.ranged != "" && overlap(w.path, t.ranged) && !(w.path == t.ranged && w.effect == atKey) {
			t.fail(t.loop, "changes the map that it ranges over")
		}
		for _, r := range t.reads {
			if overlap(w.path, r) {
				t.fail(t.loop, "both changes and reads %s", display(w.path))
			}
		}
		for _, r := range t.slots {
			if overlap(w.path, r) && !(w.path == r && w.effect == atKey) {
				t.fail(t.loop, "both changes and reads %s", display(w.path))
			}
		}
	}
	for _, exit := range t.exits {
		if exit != t.exits[0] {
			t.fail(t.loop, "leaves the loop in two ways")
		}
	}
	if len(t.exits) > 0 && len(t.writes) > 0 {
		t.fail(t.loop, "leaves the loop when only some entries have changed %s", display(t.writes[0].path))
	}
}

// unsorted reports collected slices that are used before they are sorted.
func (t *turn) unsorted(body *ast.BlockStmt) {
	for _, w := range t.writes {
		if w.effect == collects && !sortedNext(t.pass, w.path, t.loop.End(), body) {
			t.fail(t.loop, "appends to %s, which is not sorted right after the loop", display(w.path))
		}
	}
}

// display removes the positions from a path.
func display(path string) string {
	parts := strings.Split(path, ".")
	for i, p := range parts {
		parts[i], _, _ = strings.Cut(p, "@")
	}
	return strings.Join(parts, ".")
}

// text returns the source of a node.
func (t *turn) text(n ast.Node) string {
	if e, ok := n.(ast.Expr); ok {
		return types.ExprString(e)
	}
	return source(t.pass, n)
}

func isInteger(t types.Type) bool {
	if t == nil {
		return false
	}
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}
