package main

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// testSleep forbids time.Sleep in tests, called or passed on. A test that sleeps
// is slow when the sleep is long and flaky when it is short.
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
