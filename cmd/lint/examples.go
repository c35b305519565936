package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	examplesRule = "examples"
	examplesDoc  = "every package that README.md or CONTRIBUTING.md names and that exports something has an Example whose output is checked"
)

// doors lists the pages that newcomers read first. The packages that these pages name need
// examples.
var doors = []string{"README.md", "CONTRIBUTING.md"}

// namedPath matches the path of a folder of this module in a text, such as sim/zookeeper/wire. If a
// dot or a dash follows the path, it is the name of something else.
var namedPath = regexp.MustCompile(`(?m)(?:^|[^\w./-])(?:\./)?((?:engine|features|runners|sim|vectors)(?:/\w+)*)\b`)

// shownByTests lists packages that hold test suites. They need no examples of their own, because
// the tests that call them show how to use them.
var shownByTests = []string{"engine/runtimetest/..."}

// lintExamples checks that the packages named on the pages in doors have examples.
func lintExamples() ([]finding, error) {
	var found []finding
	var seen []string
	for _, door := range doors {
		text, err := os.ReadFile(door)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			return found, err
		}
		more, err := lintDoor(door, text, &seen)
		if err != nil {
			return found, err
		}
		found = append(found, more...)
	}
	return found, nil
}

// lintDoor checks the packages that one page names. It skips packages that are in seen, and adds
// each package that it checks to seen.
func lintDoor(door string, text []byte, seen *[]string) ([]finding, error) {
	var found []finding
	for _, m := range namedPath.FindAllStringSubmatchIndex(string(text), -1) {
		folder := string(text[m[2]:m[3]])
		if slices.Contains(*seen, folder) {
			continue
		}
		*seen = append(*seen, folder)
		if matchAny(shownByTests, folder) {
			continue
		}
		exports, err := exportsAnything(folder)
		if err != nil {
			return found, err
		}
		if !exports {
			continue // the package exports nothing, or the folder has no package
		}
		shown, err := hasExample(folder)
		if err != nil {
			return found, err
		}
		if !shown {
			line := 1 + bytes.Count(text[:m[2]], []byte("\n"))
			found = append(found, finding{File: door, Line: line, Rule: examplesRule,
				Text: fmt.Sprintf("names the package %s, which has no Example with an output: write one in %s/example_test.go", folder, folder)})
		}
	}
	return found, nil
}

// exportsAnything reports whether the package in the folder exports a name. It returns false for
// a folder without Go files.
func exportsAnything(folder string) (bool, error) {
	sources, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return false, err
	}
	for _, name := range sources {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		if ast.FileExports(file) {
			return true, nil
		}
	}
	return false, nil
}

// hasExample reports whether a test file in the folder has an Example function with an output. go
// test runs only such examples.
func hasExample(folder string) (bool, error) {
	tests, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return false, err
	}
	for _, name := range tests {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return false, err
		}
		runs := func(e *doc.Example) bool { return e.Output != "" && !e.EmptyOutput }
		if slices.ContainsFunc(doc.Examples(file), runs) {
			return true, nil
		}
	}
	return false, nil
}
