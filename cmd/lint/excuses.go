package main

import (
	"go/ast"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// excuses holds the comments of one file that exempt a line from one rule:
//
//	//lint:ordered every value is the same
//
// Such a comment stands at the end of its line, or on the line above. It must give a reason. It is
// a finding itself when the rule finds nothing on that line.
type excuses struct {
	pass *analysis.Pass
	mark string // "//lint:ordered"
	at   map[int]*excuse
	all  []*excuse
}

type excuse struct {
	pos    token.Pos
	reason string
	used   bool
}

// excusesIn collects the comments of the file that begin with //lint: and the word.
func excusesIn(pass *analysis.Pass, file *ast.File, word string) *excuses {
	e := &excuses{pass: pass, mark: "//lint:" + word, at: map[int]*excuse{}}
	for _, group := range file.Comments {
		for _, c := range group.List {
			rest, ok := strings.CutPrefix(c.Text, e.mark)
			if !ok || rest != "" && rest[0] != ' ' {
				continue
			}
			found := &excuse{pos: c.Pos(), reason: strings.TrimSpace(rest)}
			e.all = append(e.all, found)
			e.at[pass.Fset.Position(c.Pos()).Line] = found
		}
	}
	return e
}

// excused reports whether a comment exempts the line of pos, and marks that comment as used.
func (e *excuses) excused(pos token.Pos) bool {
	line := e.pass.Fset.Position(pos).Line
	for _, l := range []int{line, line - 1} {
		if found := e.at[l]; found != nil {
			found.used = true
			return true
		}
	}
	return false
}

// finish reports comments that lack a reason, and comments that exempted nothing. Call it after
// all calls of excused for the file.
func (e *excuses) finish() {
	for _, x := range e.all {
		switch {
		case !x.used:
			e.pass.Reportf(x.pos, "%s where the rule finds nothing: delete the comment", e.mark)
		case x.reason == "":
			e.pass.Reportf(x.pos, "%s without a reason: say after it why the line is right", e.mark)
		}
	}
}
