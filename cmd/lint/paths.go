package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// pathOf names the place that an expression reads or writes: a variable, or a field reached
// from one through fields and pointers. Equal paths are one place. Different paths count as
// two places, though pointers could make them one.
func pathOf(pass *analysis.Pass, e ast.Expr) (string, bool) {
	switch e := ast.Unparen(e).(type) {
	case *ast.Ident:
		v, ok := objectOf(pass, e).(*types.Var)
		if !ok {
			return "", false
		}
		return fmt.Sprintf("%s@%d", v.Name(), v.Pos()), true
	case *ast.SelectorExpr:
		if v, ok := pass.TypesInfo.Uses[e.Sel].(*types.Var); ok && !v.IsField() {
			return fmt.Sprintf("%s.%s", v.Pkg().Path(), v.Name()), true // a variable of another package
		} else if !ok {
			return "", false
		}
		base, ok := pathOf(pass, e.X)
		return base + "." + e.Sel.Name, ok
	case *ast.StarExpr:
		base, ok := pathOf(pass, e.X)
		return base + ".*", ok
	}
	return "", false
}

// overlap reports whether one path lies inside the other.
func overlap(a, b string) bool {
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// objectOf returns what the name stands for, where it is used or declared.
func objectOf(pass *analysis.Pass, id *ast.Ident) types.Object {
	if obj := pass.TypesInfo.Uses[id]; obj != nil {
		return obj
	}
	return pass.TypesInfo.Defs[id]
}
