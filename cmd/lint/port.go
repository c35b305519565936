package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	portRule = "port"
	portDoc  = "the port knows no machinery of the simulator, and engine/env has no implementation"
)

// portRooms lists the packages that port Python. Readers compare them with the original, so code
// that saves the simulator's memory must not show in them.
var portRooms = []string{"engine/agent/...", "engine/training/..."}

// envRoom is the package of interfaces through which a program reaches the world. It may hold
// only interfaces, plain types, and functions that make or print values of these.
const envRoom = "engine/env"

// machineryImports lists imports that neither the port nor envRoom may have.
var machineryImports = []string{"unsafe", module + "/engine/recipes/bulk"}

// lintPort checks the Go files of the port and of envRoom, except tests.
func lintPort() ([]finding, error) {
	files, err := trackedTexts(func(name string) bool {
		room := path.Dir(name)
		return counts(name) && (room == envRoom || matchAny(portRooms, room))
	})
	if err != nil {
		return nil, err
	}
	return checkPort(files)
}

// checkPort checks files against the rule for the port. The map holds their texts by file name.
func checkPort(files map[string]string) (found []finding, err error) {
	for _, name := range slices.Sorted(maps.Keys(files)) {
		in, err := portFindings(name, files[name])
		if err != nil {
			return found, err
		}
		found = append(found, in...)
	}
	return found, nil
}

// portFindings checks one file.
func portFindings(name, text string) (found []finding, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution|parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	report := func(at token.Pos, format string, args ...any) {
		found = append(found, finding{File: name, Line: set.Position(at).Line, Rule: portRule, Text: fmt.Sprintf(format, args...)})
	}
	for _, spec := range file.Imports {
		if p, _ := strconv.Unquote(spec.Path.Value); slices.Contains(machineryImports, p) {
			report(spec.Pos(), "imports %s: leave the scale of a simulation to the simulator", strings.TrimPrefix(p, module+"/"))
		}
	}
	if path.Dir(name) != envRoom {
		return found, nil
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			if what := implements(f); what != "" && f.Name.Name != "String" {
				report(f.Pos(), "implements %s, which %s: env has interfaces, plain types and what makes a value of them", funcName(f), what)
			}
		}
	}
	return found, nil
}

// implements describes what a function does beyond making a value, or returns "". Conditions,
// reads and returns are allowed. A loop counts as work, and an assignment as keeping state.
func implements(f *ast.FuncDecl) (what string) {
	if f.Body == nil {
		return ""
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ForStmt, *ast.RangeStmt:
			what = "loops"
		case *ast.GoStmt:
			what = "starts a goroutine"
		case *ast.IncDecStmt:
			what = "counts"
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				what = "assigns"
			}
		}
		return what == ""
	})
	return what
}
