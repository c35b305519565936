package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// purePackages lists packages whose functions and methods have no effects, except for those
// in pureExcept and those that take a function.
var purePackages = map[string]bool{
	"bytes": true, "cmp": true, "errors": true, "maps": true, "math": true,
	"math/bits": true, "path": true, "path/filepath": true, "slices": true, "strconv": true,
	"strings": true, "time": true, "unicode": true, "unicode/utf8": true,
}

// pureCalls lists single functions without effects, of other packages.
var pureCalls = map[string]bool{
	"fmt.Sprint": true, "fmt.Sprintf": true, "fmt.Errorf": true,
}

// pureExcept lists functions that change their argument or receiver, or whose result has an order.
var pureExcept = map[string]bool{
	"maps.Copy": true, "maps.DeleteFunc": true, "maps.Insert": true,
	"maps.Keys": true, "maps.Values": true, "maps.All": true, "maps.Collect": true,
	"slices.Sort": true, "slices.SortFunc": true, "slices.SortStableFunc": true,
	"slices.Reverse": true, "slices.Delete": true, "slices.DeleteFunc": true, "slices.Replace": true,
	"slices.Insert": true, "slices.Compact": true, "slices.CompactFunc": true,
	"time.Now": true, "time.Since": true, "time.Until": true, "time.Sleep": true,
}

// pureBuiltins lists builtins that only compute a value. append is not among them: it may
// write behind the length of its first argument.
var pureBuiltins = map[string]bool{
	"cap": true, "complex": true, "imag": true, "len": true, "make": true,
	"max": true, "min": true, "new": true, "real": true,
}

// read notes what the expression reads, and reports an effect in it as a reason not to
// commute. A nil expression reads nothing.
func (t *turn) read(e ast.Expr) {
	if e == nil {
		return
	}
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			return t.readCall(n)
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				t.fail(n, "receives from a channel")
			}
		case *ast.FuncLit:
			t.fail(n, "makes a function")
			return false
		case *ast.IndexExpr:
			if path, ok := pathOf(t.pass, n.X); ok && t.isKey(n.Index) {
				t.slots = append(t.slots, path)
				return false
			}
		case *ast.KeyValueExpr:
			t.read(n.Value)
			if tv, ok := t.pass.TypesInfo.Types[n.Key]; ok && tv.IsValue() {
				t.read(n.Key) // a key that is not the name of a field
			}
			return false
		case ast.Expr:
			if path, ok := pathOf(t.pass, n); ok {
				t.reads = append(t.reads, path)
				return false
			}
		}
		return true
	})
}

// readCall reports whether the parts of the call have to be read too.
func (t *turn) readCall(call *ast.CallExpr) bool {
	if tv := t.pass.TypesInfo.Types[call.Fun]; tv.IsType() {
		return true // a conversion
	}
	switch name := builtinName(t.pass, call); {
	case pureBuiltins[name]:
		for _, arg := range call.Args {
			if !t.pass.TypesInfo.Types[arg].IsType() {
				t.read(arg)
			}
		}
		return false
	case name == "append" && t.fresh(call.Args[0]):
		return true
	case name != "":
		t.fail(call, "calls %s", t.text(call))
		return false
	}
	if !t.pureCall(call) {
		t.fail(call, "calls %s, which is not known to have no effect", t.text(call.Fun))
		return false
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && t.pass.TypesInfo.Selections[sel] != nil {
		t.read(sel.X)
	}
	for _, arg := range call.Args {
		t.read(arg)
	}
	return false
}

func (t *turn) pureCall(call *ast.CallExpr) bool {
	name := calleeName(t.pass, call)
	if name == "" || pureExcept[name] {
		return false
	}
	if pureCalls[name] {
		return true
	}
	if strings.HasPrefix(name, "(*") {
		return false // a method that may change its receiver
	}
	name = strings.TrimPrefix(name, "(")
	slash := strings.LastIndex(name, "/") + 1
	dot := strings.Index(name[slash:], ".")
	return dot >= 0 && purePackages[name[:slash+dot]]
}

// fresh reports whether nobody else holds the slice: it is empty, new in this turn, or
// stands at the loop's key.
func (t *turn) fresh(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.CompositeLit:
		return true
	case *ast.Ident:
		return e.Name == "nil" || t.isOwn(e) && t.pass.TypesInfo.Uses[e] != t.value
	case *ast.SelectorExpr:
		return t.isOwn(e) && t.fresh(e.X)
	case *ast.IndexExpr:
		return t.isKey(e.Index)
	case *ast.CallExpr:
		return t.pass.TypesInfo.Types[e.Fun].IsType() // []T(nil)
	}
	return false
}

// source returns the source of a node as gofmt prints it.
func source(pass *analysis.Pass, n ast.Node) string {
	var b bytes.Buffer
	if err := format.Node(&b, pass.Fset, n); err != nil {
		return fmt.Sprintf("%T", n)
	}
	return b.String()
}
