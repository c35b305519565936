package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
)

const (
	portRule = "port"
	portDoc  = "the port knows no machinery of the simulator, and engine/env has no implementation"
)

// portRooms are laid beside the Python that they port. How the simulator keeps many agents
// small is none of their business.
var portRooms = []string{"engine/agent/...", "engine/training/..."}

// envRoom says what a program reaches the world through: interfaces, plain types, and
// functions that make a value of them or, as String, a text.
const envRoom = "engine/env"

// machineryImports may not be imported in either.
var machineryImports = []string{"unsafe", module + "/engine/env/zkbulk"}

// machineryNames are names of engine/env that the port may not use.
var machineryNames = []string{"Shared", "Names"}

// portException lets what one file has of one kind pass for the time being. One that lets
// nothing pass is a finding, so that the list only gets shorter.
type portException struct {
	file  string // or a folder and all below it, "engine/env/..."
	what  string // as the finding begins
	until string // what ends it
}

// lintPort looks at the Go files of the rooms, tests left out.
func lintPort() ([]finding, error) {
	names, err := trackedFiles()
	if err != nil {
		return nil, err
	}
	files := map[string]string{}
	for _, name := range names {
		room := path.Dir(name)
		if !counts(name) || room != envRoom && !matchAny(portRooms, room) {
			continue
		}
		text, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue // deleted but still in the index
		}
		if err != nil {
			return nil, err
		}
		files[name] = string(text)
	}
	return checkPort(files, portExceptions)
}

// checkPort holds files, by name, to the rule.
func checkPort(files map[string]string, exceptions []portException) ([]finding, error) {
	used := make([]bool, len(exceptions))
	var found []finding
	for _, name := range slices.Sorted(maps.Keys(files)) {
		in, err := portFindings(name, files[name])
		if err != nil {
			return found, err
		}
		for _, f := range in {
			i := slices.IndexFunc(exceptions, func(e portException) bool {
				return match(e.file, f.File) && strings.HasPrefix(f.Text, e.what)
			})
			if i >= 0 {
				used[i] = true
				continue
			}
			found = append(found, f)
		}
	}
	for i, e := range exceptions {
		if !used[i] {
			found = append(found, finding{File: e.file, Rule: portRule,
				Text: fmt.Sprintf("nothing of it %s any more: delete the exception in cmd/lint/port_open.go", e.what)})
		}
	}
	return found, nil
}

// portFindings looks at one file.
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
	if path.Dir(name) == envRoom {
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if what := implements(f); what != "" && f.Name.Name != "String" {
					report(f.Pos(), "implements %s, which %s: env has interfaces, plain types and what makes a value of them", funcName(f), what)
				}
			}
		}
		return found, nil
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && slices.Contains(machineryNames, s.Sel.Name) && reachesEnv(s.X) {
			report(s.Sel.Pos(), "names %s: keep what the Python keeps, in a plain map", s.Sel.Name)
		}
		return true
	})
	return found, nil
}

// reachesEnv reports whether an expression is package env, or something called e or Shared,
// as a process and what it shares are called.
func reachesEnv(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "env" || x.Name == "e"
	case *ast.SelectorExpr:
		return x.Sel.Name == "e" || x.Sel.Name == "Env" || slices.Contains(machineryNames, x.Sel.Name)
	}
	return false
}

// implements says what a function does beyond making a value, or "". It may choose, look
// and return: a loop is work, and an assignment keeps something.
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
