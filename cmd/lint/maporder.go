package main

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/analysis"
)

// mapOrder reports loops over maps whose order can show. Go starts such a loop at a random
// key, so whatever depends on the order differs between two runs of one seed. A loop passes
// when its body does the same in any order (commutes.go has the list), or when
// //lint:ordered and a reason stand at its line.
var mapOrder = &analysis.Analyzer{
	Name: "maporder",
	Doc:  "deterministic rooms range over maps only where the order cannot be seen",
	Run:  runMapOrder,
}

const mapOrderAdvice = "range over slices.Sorted(maps.Keys(m)), keep an ordered slice, or say why with //lint:ordered <reason>"

// sortedConsumers lists functions that take an iterator of package maps and whose result
// does not show its order.
var sortedConsumers = map[string]bool{
	"slices.Sorted":           true,
	"slices.SortedFunc":       true,
	"slices.SortedStableFunc": true,
	"maps.Collect":            true,
	"maps.Insert":             true,
}

func runMapOrder(pass *analysis.Pass) (any, error) {
	if !deterministic(pass.Pkg.Path()) {
		return nil, nil
	}
	for _, file := range pass.Files {
		if ast.IsGenerated(file) {
			continue
		}
		e := excusesIn(pass, file, "ordered")
		ast.PreorderStack(file, nil, func(n ast.Node, outer []ast.Node) bool {
			var why string
			switch n := n.(type) {
			case *ast.RangeStmt:
				if m := rangedMap(pass, n); m != nil {
					why = orderSeen(pass, n, m, enclosingBody(outer))
				}
			case *ast.CallExpr:
				if mapIterator(pass, n) != "" && !orderLost(pass, n, outer) {
					why = "an iterator of package maps that is not sorted"
				}
			}
			if why != "" && !e.excused(n.Pos()) {
				pass.Reportf(n.Pos(), "order of a map can be seen: %s; %s", why, mapOrderAdvice)
			}
			return true
		})
		e.finish()
	}
	return nil, nil
}

// rangedMap returns the map that the loop ranges over, directly or by an iterator of
// package maps, else nil.
func rangedMap(pass *analysis.Pass, loop *ast.RangeStmt) ast.Expr {
	if call, ok := ast.Unparen(loop.X).(*ast.CallExpr); ok && mapIterator(pass, call) != "" {
		return call.Args[0]
	}
	if isMap(pass.TypesInfo.TypeOf(loop.X)) {
		return loop.X
	}
	return nil
}

// isMap reports whether values of the type are maps. A type parameter counts when all its
// types are maps.
func isMap(t types.Type) bool {
	if t == nil {
		return false
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return constrainedToMaps(p)
	}
	_, ok := t.Underlying().(*types.Map)
	return ok
}

func constrainedToMaps(p *types.TypeParam) bool {
	constraint, ok := p.Constraint().Underlying().(*types.Interface)
	if !ok {
		return false
	}
	for t := range constraint.EmbeddedTypes() {
		union, ok := t.(*types.Union)
		if !ok {
			return isMap(t)
		}
		for term := range union.Terms() {
			if isMap(term.Type()) {
				return true
			}
		}
	}
	return false
}

// mapIterator returns Keys, Values or All when the call calls that function of package
// maps, else "".
func mapIterator(pass *analysis.Pass, call *ast.CallExpr) string {
	switch name := calleeName(pass, call); name {
	case "maps.Keys", "maps.Values", "maps.All":
		return name[len("maps."):]
	}
	return ""
}

// calleeName returns the full name of the called function or method, as types.Func.FullName
// writes it, or "".
func calleeName(pass *analysis.Pass, call *ast.CallExpr) string {
	fun := ast.Unparen(call.Fun)
	if index, ok := fun.(*ast.IndexExpr); ok { // f[T](…)
		fun = index.X
	}
	var id *ast.Ident
	switch fun := fun.(type) {
	case *ast.Ident:
		id = fun
	case *ast.SelectorExpr:
		id = fun.Sel
	default:
		return ""
	}
	fn, ok := pass.TypesInfo.Uses[id].(*types.Func)
	if !ok {
		return ""
	}
	return fn.Origin().FullName()
}

// orderLost reports whether the iterator's order cannot show, because it goes into a loop
// (which is checked by itself), a sorting function, a map, or a slice that is sorted next.
func orderLost(pass *analysis.Pass, call *ast.CallExpr, outer []ast.Node) bool {
	switch parent := outer[len(outer)-1].(type) {
	case *ast.RangeStmt:
		return parent.X == call
	case *ast.CallExpr:
		name := calleeName(pass, parent)
		if sortedConsumers[name] {
			return true
		}
		if name != "slices.Collect" && name != "slices.AppendSeq" {
			return false
		}
		assign, ok := outer[len(outer)-2].(*ast.AssignStmt)
		if !ok || len(assign.Lhs) != 1 {
			return false
		}
		path, ok := pathOf(pass, assign.Lhs[0])
		return ok && sortedNext(pass, path, assign.End(), enclosingBody(outer))
	}
	return false
}

// enclosingBody returns the body of the innermost function around a node.
func enclosingBody(outer []ast.Node) *ast.BlockStmt {
	for i := len(outer) - 1; i >= 0; i-- {
		switch f := outer[i].(type) {
		case *ast.FuncDecl:
			return f.Body
		case *ast.FuncLit:
			return f.Body
		}
	}
	return nil
}

// sortCalls lists functions that sort their first argument in place.
var sortCalls = map[string]bool{
	"sort.Strings": true, "sort.Ints": true, "sort.Float64s": true,
	"sort.Slice": true, "sort.SliceStable": true, "sort.Sort": true, "sort.Stable": true,
	"slices.Sort": true, "slices.SortFunc": true, "slices.SortStableFunc": true,
}

// sortedNext reports whether the slice is sorted before any other use after pos. Taking its
// length and appending to it are allowed before.
func sortedNext(pass *analysis.Pass, path string, pos token.Pos, body *ast.BlockStmt) bool {
	if body == nil {
		return false
	}
	sorted, decided := false, false
	ast.Inspect(body, func(n ast.Node) bool {
		if n == nil || decided || n.End() <= pos {
			return false
		}
		if n.Pos() < pos {
			return true
		}
		switch n := n.(type) {
		case *ast.AssignStmt:
			if appended, ok := appendsTo(pass, n); ok && appended == path {
				return false
			}
		case *ast.CallExpr:
			switch name := builtinName(pass, n); {
			case name == "len" || name == "cap":
				return false
			case sortCalls[calleeName(pass, n)] && mentions(pass, n.Args[0], path):
				sorted, decided = true, true
				return false
			}
		case ast.Expr:
			if p, ok := pathOf(pass, n); ok && p == path {
				decided = true
				return false
			}
		}
		return true
	})
	return sorted
}

// appendsTo returns the path p of a statement p = append(p, …).
func appendsTo(pass *analysis.Pass, s *ast.AssignStmt) (string, bool) {
	if s.Tok != token.ASSIGN || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
		return "", false
	}
	call, ok := ast.Unparen(s.Rhs[0]).(*ast.CallExpr)
	if !ok || builtinName(pass, call) != "append" {
		return "", false
	}
	to, ok := pathOf(pass, s.Lhs[0])
	if !ok {
		return "", false
	}
	from, ok := pathOf(pass, call.Args[0])
	return to, ok && from == to
}

// mentions reports whether the path occurs in the expression.
func mentions(pass *analysis.Pass, e ast.Expr, path string) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		if e, ok := n.(ast.Expr); ok {
			if p, ok := pathOf(pass, e); ok && p == path {
				found = true
			}
		}
		return !found
	})
	return found
}
