package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// catalogue collects the mutants of all files. refused marks those that do not compile.
type catalogue struct {
	mutants []*mutant // by ID-1
	named   map[mutant]int
	consts  map[string]*constant
	refused map[int]bool
}

func newCatalogue() *catalogue {
	return &catalogue{named: map[mutant]int{}, consts: map[string]*constant{}, refused: map[int]bool{}}
}

// add numbers a mutant.
func (c *catalogue) add(m mutant) *mutant {
	alike := m
	alike.Line, alike.Operator = 0, ""
	c.named[alike]++
	m.Nth = c.named[alike]
	m.ID = len(c.mutants) + 1
	c.mutants = append(c.mutants, &m)
	return &m
}

// finder finds the mutants of one file, and writes the switches into it.
type finder struct {
	*rewrite
	found *catalogue
	pkg   *packages.Package
	name  string // path of the file, from the root of the module
	tree  *ast.File
	stack []ast.Node // nodes from the file down to the parent of the visited node
}

// findIn finds the mutants of a file, and returns the edits that insert their switches. The name of
// the file is relative to the root of the module.
func (c *catalogue) findIn(pkg *packages.Package, tree *ast.File, name string, source []byte) *rewrite {
	f := &finder{rewrite: &rewrite{file: pkg.Fset.File(tree.Package), source: source}, found: c, pkg: pkg, name: name, tree: tree}
	ast.Inspect(tree, f.visit)
	if len(f.edits) > 0 {
		f.replace(0, tree.Name.End(), tree.Name.End(), `; import switch_ "`+switchPath+`"`)
	}
	return f.rewrite
}

// visit keeps the stack of the nodes around the present one, and looks for mutants in a node before
// its children.
func (f *finder) visit(n ast.Node) bool {
	if n == nil {
		f.stack = f.stack[:len(f.stack)-1]
		return true
	}
	if !f.look(n) {
		return false
	}
	f.stack = append(f.stack, n)
	return true
}

// look finds the mutants of one node. It reports whether to visit its children.
func (f *finder) look(n ast.Node) bool {
	if e, ok := n.(ast.Expr); ok {
		if f.fixed(e) {
			return false
		}
		if tv := f.pkg.TypesInfo.Types[e]; tv.Value != nil {
			f.constant(e, tv)
			return false
		}
	}
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR
	case *ast.ReturnStmt:
		f.results(n)
	case ast.Stmt:
		f.statement(n)
	case *ast.BinaryExpr:
		f.binary(n)
	case ast.Expr:
		if f.isCondition(n) {
			f.negate(n)
		}
	}
	return true
}

// fixed reports whether an expression cannot have mutants. Either the language requires a constant
// or a type there, or nothing reads the value.
func (f *finder) fixed(e ast.Expr) bool {
	switch parent := f.parent().(type) {
	case *ast.ArrayType:
		return parent.Len == e
	case *ast.KeyValueExpr:
		literal, ok := f.stack[len(f.stack)-2].(ast.Expr)
		if !ok || parent.Key != e {
			return false
		}
		_, isMap := f.pkg.TypesInfo.TypeOf(literal).Underlying().(*types.Map)
		return !isMap
	case *ast.CallExpr:
		return f.isRoom(parent, e)
	case *ast.ReturnStmt:
		return f.isBesideError(parent, e)
	}
	return false
}

// isRoom reports whether e is the capacity in a call of make, which has no effect on results.
func (f *finder) isRoom(call *ast.CallExpr, e ast.Expr) bool {
	builtin, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || len(call.Args) < 2 || call.Args[len(call.Args)-1] != e {
		return false
	}
	if b, ok := f.pkg.TypesInfo.Uses[builtin].(*types.Builtin); !ok || b.Name() != "make" {
		return false
	}
	_, isMap := f.pkg.TypesInfo.TypeOf(call).Underlying().(*types.Map)
	return isMap || len(call.Args) == 3
}

// isBesideError reports whether callers ignore a result because an error is returned with it. That
// is so for an empty result, and for any result if the error is certainly not nil.
func (f *finder) isBesideError(n *ast.ReturnStmt, e ast.Expr) bool {
	want, last := f.signature().Results(), n.Results[len(n.Results)-1]
	if want.Len() != len(n.Results) || e == last || !types.Identical(want.At(want.Len()-1).Type(), errorType) {
		return false
	}
	return f.isCertain(last) || !f.pkg.TypesInfo.Types[last].IsNil() && f.isEmpty(e)
}

// isCertain reports whether an error cannot be nil: it is made in the return statement, or was just
// compared with nil.
func (f *finder) isCertain(e ast.Expr) bool {
	switch e := ast.Unparen(e).(type) {
	case *ast.UnaryExpr:
		return e.Op == token.AND
	case *ast.CallExpr:
		switch f.text(e.Fun) {
		case "pysem.Raise", "fmt.Errorf", "errors.New", "pysem.AttributeError", "pysem.UnpackError":
			return true
		}
	case *ast.Ident:
		around := f.stack
		if _, ok := f.parent().(*ast.ReturnStmt); ok {
			around = around[:len(around)-1]
		}
		n, ok := around[len(around)-2].(*ast.IfStmt)
		return ok && n.Body == around[len(around)-1] && f.text(n.Cond) == e.Name+" != nil"
	}
	return false
}

// isEmpty reports whether e is written as the zero value of its type.
func (f *finder) isEmpty(e ast.Expr) bool {
	if literal, ok := e.(*ast.CompositeLit); ok {
		_, isStruct := f.pkg.TypesInfo.TypeOf(literal).Underlying().(*types.Struct)
		return isStruct && len(literal.Elts) == 0
	}
	switch tv := f.pkg.TypesInfo.Types[e]; {
	case tv.IsNil():
		return true
	case tv.Value != nil:
		switch text := tv.Value.ExactString(); text {
		case "0", "false", `""`:
			return true
		}
	}
	return false
}

func (f *finder) parent() ast.Node {
	if len(f.stack) == 0 {
		return nil
	}
	return f.stack[len(f.stack)-1]
}

// mutant adds a mutant at a node of this file and returns the mutant's number.
func (f *finder) mutant(at ast.Node, o operator, change string) int {
	return f.found.add(mutant{
		Package: f.pkg.PkgPath, File: f.name, Line: f.file.Line(at.Pos()), Func: f.function(), Operator: o, Change: change,
	}).ID
}

// function returns the name of the declared function around the present node.
func (f *finder) function() string {
	for _, n := range f.stack {
		d, ok := n.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if d.Recv == nil || len(d.Recv.List) == 0 {
			return d.Name.Name
		}
		return strings.TrimLeft(f.text(d.Recv.List[0].Type), "*") + "." + d.Name.Name
	}
	return ""
}

// typeArgument returns a type as Go source in brackets, such as [int], for an explicit type
// argument. It returns "" if the type has no name in this file.
func (f *finder) typeArgument(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		if t.Info()&types.IsUntyped == 0 {
			return "[" + t.Name() + "]"
		}
	case *types.Named:
		if t.TypeArgs().Len() > 0 {
			return ""
		}
		if name := f.nameOf(t.Obj()); name != "" {
			return "[" + name + "]"
		}
	}
	return ""
}

func (f *finder) nameOf(o types.Object) string {
	if o.Pkg() == nil || o.Pkg().Path() == f.pkg.PkgPath {
		return o.Name()
	}
	for _, spec := range f.tree.Imports {
		if p := f.pkg.TypesInfo.PkgNameOf(spec); p != nil && p.Imported().Path() == o.Pkg().Path() {
			return p.Name() + "." + o.Name()
		}
	}
	return ""
}

// compiled returns the mutants without those that do not compile.
func (c *catalogue) compiled() []*mutant {
	return slices.DeleteFunc(slices.Clone(c.mutants), func(m *mutant) bool { return c.refused[m.ID] })
}
