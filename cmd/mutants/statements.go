package main

import (
	"fmt"
	"go/ast"
	"go/token"
)

// statement makes mutants of a statement: leave it out, or do the opposite.
func (f *finder) statement(n ast.Stmt) {
	if !f.isListed() {
		return
	}
	switch n := n.(type) {
	case *ast.ExprStmt:
		if call, ok := n.X.(*ast.CallExpr); ok && f.text(call.Fun) != "panic" {
			f.leaveOut(n, opCall)
		}
	case *ast.DeferStmt, *ast.GoStmt:
		f.leaveOut(n, opDefer)
	case *ast.IncDecStmt:
		f.leaveOut(n, opAssign)
		f.turn(n, n.Tok, f.text(n.X)+oppositions[n.Tok].String())
	case *ast.AssignStmt:
		f.assignment(n)
	case *ast.BranchStmt:
		f.branch(n)
	}
}

// oppositions maps assignment operators to their opposites, such as += to -=.
var oppositions = map[token.Token]token.Token{
	token.INC: token.DEC, token.DEC: token.INC, token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN,
}

// isListed reports whether the node is an element of a list of statements, so that another
// statement can replace it.
func (f *finder) isListed() bool {
	switch f.parent().(type) {
	case *ast.BlockStmt, *ast.CaseClause, *ast.CommClause:
		return true
	}
	return false
}

func (f *finder) assignment(n *ast.AssignStmt) {
	if n.Tok == token.DEFINE || f.text(n.Lhs[0]) == "_" && len(n.Lhs) == 1 {
		return
	}
	f.leaveOut(n, opAssign)
	if _, ok := oppositions[n.Tok]; ok && !f.isText(n.Lhs[0]) {
		f.turn(n, n.Tok, f.text(n.Lhs[0])+" "+oppositions[n.Tok].String()+" "+f.text(n.Rhs[0]))
	}
}

// leaveOut makes a mutant without the statement.
func (f *finder) leaveOut(n ast.Stmt, o operator) {
	id := f.mutant(n, o, oneLine(f.text(n))+" -> left out")
	f.wrap(id, n, fmt.Sprintf("if !switch_.On(%d) { ", id), " }")
}

// turn makes a mutant in which the statement in other replaces this statement.
func (f *finder) turn(n ast.Stmt, tok token.Token, other string) {
	id := f.mutant(n, opArith, oneLine(f.text(n))+" -> "+oppositions[tok].String())
	f.wrap(id, n, fmt.Sprintf("if switch_.On(%d) { %s } else { ", id, other), " }")
}

// branch makes mutants of a break or continue: without it, and with the other keyword where both
// refer to the same loop.
func (f *finder) branch(n *ast.BranchStmt) {
	if n.Tok != token.BREAK && n.Tok != token.CONTINUE {
		return
	}
	f.leaveOut(n, opLeave)
	other := token.CONTINUE
	if n.Tok == token.CONTINUE {
		other = token.BREAK
	}
	if n.Label != nil || !f.inLoop() {
		return
	}
	id := f.mutant(n, opLeave, n.Tok.String()+" -> "+other.String())
	f.wrap(id, n, fmt.Sprintf("if switch_.On(%d) { %s }; ", id, other), "")
}

// inLoop reports whether break here would end a loop with a condition or a range. It is false
// inside of a switch. It is false in an endless loop too: after a break the compiler would demand a
// return.
func (f *finder) inLoop() bool {
	for i := len(f.stack) - 1; i >= 0; i-- {
		switch n := f.stack[i].(type) {
		case *ast.RangeStmt:
			return true
		case *ast.ForStmt:
			return n.Cond != nil
		case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt, *ast.FuncLit:
			return false
		}
	}
	return false
}
