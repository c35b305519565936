package scope

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
)

// declaredIn returns the names that the Go files of a folder declare, including test files.
// Functions, types, variables and constants have their names; methods and fields have Type.Name.
func declaredIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: found Go files %v, error %v; want a package", folder, files, err)
	}
	names := map[string]bool{}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				names[receiverOf(d)+d.Name.Name] = true
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					addSpec(names, spec)
				}
			}
		}
	}
	return names
}

// receiverOf returns the type of a method's receiver and a dot; "" for a function.
func receiverOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return ""
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.Name + "."
		default:
			return "?."
		}
	}
}

func addSpec(names map[string]bool, spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range s.Names {
			names[n.Name] = true
		}
	case *ast.TypeSpec:
		names[s.Name.Name] = true
		for _, field := range members(s.Type).List {
			for _, n := range field.Names {
				names[s.Name.Name+"."+n.Name] = true
			}
		}
	}
}

// members returns the fields of a struct type, or the methods of an interface type.
func members(typ ast.Expr) *ast.FieldList {
	switch typ := typ.(type) {
	case *ast.StructType:
		return typ.Fields
	case *ast.InterfaceType:
		return typ.Methods
	}
	return &ast.FieldList{}
}
