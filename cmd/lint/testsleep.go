package main

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// testSleep forbids time.Sleep in tests, both as a call and as a value. A test with a long sleep
// is slow, and a test with a short one is flaky.
var testSleep = &analysis.Analyzer{
	Name: "testsleep",
	Doc:  "no test sleeps",
	Run:  runTestSleep,
}

func runTestSleep(pass *analysis.Pass) (any, error) {
	for _, file := range pass.Files {
		if !isTest(pass, file) {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj := pass.TypesInfo.Uses[id]
			if obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "time" && obj.Name() == "Sleep" {
				pass.Reportf(id.Pos(), "time.Sleep in a test: wait for what the test waits for, or run it in virtual time")
			}
			return true
		})
	}
	return nil, nil
}
