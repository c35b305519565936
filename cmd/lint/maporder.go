package main

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

// mapOrder reports loops over maps whose order can have an effect. Go starts such a loop at a
// random key, so two runs with the same seed can differ. The rule does not guess whether a loop's
// body is independent of order. A loop passes if it names neither key nor value, or if
// //lint:ordered and a reason stand at its line.
var mapOrder = &analysis.Analyzer{
	Name: "maporder",
	Doc:  "deterministic rooms range over maps only where the order cannot be seen",
	Run:  runMapOrder,
}

const mapOrderAdvice = "range over slices.Sorted(maps.Keys(m)), use maps.Copy or maps.DeleteFunc, keep an ordered slice, or say why with //lint:ordered <reason>"

// sortedConsumers lists functions that may take an iterator of package maps, because their result
// does not depend on its order.
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
			var what string
			switch n := n.(type) {
			case *ast.RangeStmt:
				if rangesMap(pass, n) && !(blank(n.Key) && blank(n.Value)) {
					what = "a loop over a map"
				}
			case *ast.CallExpr:
				if mapIterator(pass, n) && !orderLost(pass, n, outer) {
					what = "an iterator of package maps that is not sorted"
				}
			}
			if what != "" && !e.excused(n.Pos()) {
				pass.Reportf(n.Pos(), "order of a map can be seen: %s; %s", what, mapOrderAdvice)
			}
			return true
		})
		e.finish()
	}
	return nil, nil
}

// rangesMap reports whether the loop ranges over a map, directly or through an iterator from
// package maps.
func rangesMap(pass *analysis.Pass, loop *ast.RangeStmt) bool {
	call, ok := ast.Unparen(loop.X).(*ast.CallExpr)
	return ok && mapIterator(pass, call) || isMap(pass.TypesInfo.TypeOf(loop.X))
}

func blank(e ast.Expr) bool {
	id, ok := e.(*ast.Ident)
	return e == nil || ok && id.Name == "_"
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

// mapIterator reports whether the call is to Keys, Values or All of package maps.
func mapIterator(pass *analysis.Pass, call *ast.CallExpr) bool {
	name := calleeName(pass, call)
	return name == "maps.Keys" || name == "maps.Values" || name == "maps.All"
}

// calleeName returns the full name of the called function or method, as types.Func.FullName
// writes it. It returns "" if the callee is not known statically.
func calleeName(pass *analysis.Pass, call *ast.CallExpr) string {
	fn := typeutil.StaticCallee(pass.TypesInfo, call)
	if fn == nil {
		return ""
	}
	return fn.Origin().FullName()
}

// orderLost reports whether the iterator's order has no effect. That holds if a sorting function or
// a map consumes it. It also holds if a loop ranges over it, because such loops are checked
// separately.
func orderLost(pass *analysis.Pass, call *ast.CallExpr, outer []ast.Node) bool {
	switch parent := outer[len(outer)-1].(type) {
	case *ast.RangeStmt:
		return parent.X == call
	case *ast.CallExpr:
		return sortedConsumers[calleeName(pass, parent)]
	}
	return false
}
