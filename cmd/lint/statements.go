package main

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// within says which statement a break would end.
type within int

const (
	inLoop   within = iota // the loop over the map
	inSwitch               // a switch in it
	inInner                // a loop in it
)

// block checks statements in order. A block that ends by leaving the loop is an exit;
// before that it may only set places to constants.
func (t *turn) block(list []ast.Stmt, in within) {
	if len(list) == 0 {
		return
	}
	last := list[len(list)-1]
	if !leaves(last, in) {
		for _, s := range list {
			t.stmt(s, in)
		}
		return
	}
	before := len(t.writes)
	for _, s := range list[:len(list)-1] {
		had := len(t.writes)
		t.stmt(s, in)
		if _, plain := s.(*ast.AssignStmt); !plain && len(t.writes) > had {
			t.fail(s, "leaves the loop after a change that only some entries make")
		}
	}
	var exit []string
	for _, w := range t.writes[before:] {
		if w.effect != sameValue {
			t.fail(last, "leaves the loop after a %s", w.effect)
		}
		exit = append(exit, w.path+" = "+w.value)
	}
	t.writes = t.writes[:before]
	slices.Sort(exit)
	if r, ok := last.(*ast.ReturnStmt); ok {
		for _, e := range r.Results {
			if !t.constant(e) {
				t.fail(last, "returns what depends on the first entry found")
			}
		}
	}
	t.exits = append(t.exits, strings.Join(append(exit, t.text(last)), "; "))
}

// leaves reports whether the statement ends the loop over the map.
func leaves(s ast.Stmt, in within) bool {
	switch s := s.(type) {
	case *ast.ReturnStmt:
		return true
	case *ast.BranchStmt:
		return s.Tok == token.BREAK && s.Label == nil && in == inLoop
	}
	return false
}

func (t *turn) stmt(s ast.Stmt, in within) {
	switch s := s.(type) {
	case nil, *ast.EmptyStmt:
	case *ast.BlockStmt:
		t.block(s.List, in)
	case *ast.AssignStmt:
		t.assign(s)
	case *ast.IncDecStmt:
		t.set(s.X, nil, sums)
	case *ast.DeclStmt:
		t.decl(s)
	case *ast.ExprStmt:
		t.call(s)
	case *ast.IfStmt:
		t.ifStmt(s, in)
	case *ast.SwitchStmt:
		t.stmt(s.Init, in)
		t.read(s.Tag)
		t.cases(s.Body, in)
	case *ast.TypeSwitchStmt:
		t.typeSwitch(s, in)
	case *ast.RangeStmt:
		t.innerRange(s)
	case *ast.BranchStmt:
		t.branch(s, in)
	default:
		t.fail(s, "has a statement whose effects are not known to commute: %s", t.text(s))
	}
}

func (t *turn) branch(s *ast.BranchStmt, in within) {
	switch {
	case s.Label != nil || s.Tok == token.GOTO || s.Tok == token.FALLTHROUGH:
		t.fail(s, "jumps: %s", t.text(s))
	case s.Tok == token.BREAK && in == inInner:
		t.fail(s, "breaks out of an inner loop")
	}
}

func (t *turn) decl(s *ast.DeclStmt) {
	decl, ok := s.Decl.(*ast.GenDecl)
	if !ok || decl.Tok != token.VAR {
		return // constants and types do nothing
	}
	for _, spec := range decl.Specs {
		v := spec.(*ast.ValueSpec)
		for _, e := range v.Values {
			t.read(e)
		}
		for _, name := range v.Names {
			t.declare(name)
		}
	}
}

// call allows delete alone.
func (t *turn) call(s *ast.ExprStmt) {
	call, ok := ast.Unparen(s.X).(*ast.CallExpr)
	if !ok || builtinName(t.pass, call) != "delete" {
		t.fail(s, "calls %s", t.text(s.X))
		return
	}
	path, ok := pathOf(t.pass, call.Args[0])
	if !ok {
		t.fail(s, "deletes from %s", t.text(call.Args[0]))
		return
	}
	t.read(call.Args[1])
	if t.isKey(call.Args[1]) {
		t.writes = append(t.writes, write{path: path, effect: atKey})
		return
	}
	t.writes = append(t.writes, write{path: path, effect: deletes})
}

func (t *turn) ifStmt(s *ast.IfStmt, in within) {
	if path, e, other, ok := t.extreme(s); ok {
		t.read(other)
		t.writes = append(t.writes, write{path: path, effect: e})
		return
	}
	t.stmt(s.Init, in)
	t.read(s.Cond)
	t.block(s.Body.List, in)
	t.stmt(s.Else, in)
}

// extreme recognises if a > b { b = a } and its mirrored forms.
func (t *turn) extreme(s *ast.IfStmt) (path string, e effect, other ast.Expr, ok bool) {
	cond, isBinary := ast.Unparen(s.Cond).(*ast.BinaryExpr)
	if !isBinary || s.Init != nil || s.Else != nil || len(s.Body.List) != 1 {
		return "", "", nil, false
	}
	set, isAssign := s.Body.List[0].(*ast.AssignStmt)
	if !isAssign || set.Tok != token.ASSIGN || len(set.Lhs) != 1 || len(set.Rhs) != 1 {
		return "", "", nil, false
	}
	greater := false
	switch cond.Op {
	case token.GTR, token.GEQ:
		greater = true
	case token.LSS, token.LEQ:
	default:
		return "", "", nil, false
	}
	to, value := t.text(set.Lhs[0]), t.text(set.Rhs[0])
	switch {
	case t.text(cond.X) == value && t.text(cond.Y) == to:
	case t.text(cond.X) == to && t.text(cond.Y) == value:
		greater = !greater
	default:
		return "", "", nil, false
	}
	path, ok = pathOf(t.pass, set.Lhs[0])
	e = smallest
	if greater {
		e = largest
	}
	return path, e, set.Rhs[0], ok
}

func (t *turn) cases(body *ast.BlockStmt, in within) {
	if in == inLoop {
		in = inSwitch
	}
	for _, s := range body.List {
		clause := s.(*ast.CaseClause)
		for _, e := range clause.List {
			if tv, ok := t.pass.TypesInfo.Types[e]; !ok || !tv.IsType() {
				t.read(e)
			}
		}
		t.block(clause.Body, in)
	}
}

func (t *turn) typeSwitch(s *ast.TypeSwitchStmt, in within) {
	t.stmt(s.Init, in)
	switch a := s.Assign.(type) {
	case *ast.ExprStmt:
		t.read(a.X)
	case *ast.AssignStmt:
		t.read(a.Rhs[0])
		for _, clause := range s.Body.List {
			if obj := t.pass.TypesInfo.Implicits[clause]; obj != nil {
				t.own[obj] = true
			}
		}
	}
	t.cases(s.Body, in)
}

// innerRange checks a loop inside a turn. A loop over another map is checked by itself as well.
func (t *turn) innerRange(s *ast.RangeStmt) {
	if s.Tok == token.ASSIGN {
		t.fail(s, "has an inner loop with variables from outside")
		return
	}
	t.read(s.X)
	t.declare(s.Key, s.Value)
	t.block(s.Body.List, inInner)
}
