package main

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/go/analysis"

	"github.com/monosim/monosim/engine/lists"
)

// stability requires that a package comment ends with the sentence in unstable. The packages that
// STABILITY.md offers to other modules are exempt, as are commands and generated packages.
var stability = &analysis.Analyzer{
	Name: "stability",
	Doc:  "the comment of a package that STABILITY.md does not name says that it is not stable",
	Run:  runStability,
}

// unstable is the sentence that the comment of an unstable package contains, in a paragraph of its
// own.
const unstable = "Unstable: any commit may change it."

func runStability(pass *analysis.Pass) (any, error) {
	room, ours := roomOf(strings.TrimSuffix(pass.Pkg.Path(), "_test"))
	if !ours || pass.Pkg.Name() == "main" {
		return nil, nil
	}
	for _, file := range pass.Files {
		if file.Doc == nil || isTest(pass, file) || ast.IsGenerated(file) {
			continue
		}
		dir := filepath.Dir(pass.Fset.Position(file.Package).Filename)
		stable, err := stableRooms(strings.TrimSuffix(filepath.ToSlash(dir), room))
		if err != nil {
			return nil, err
		}
		says := slices.Contains(strings.Split(file.Doc.Text(), "\n"), unstable)
		switch named := slices.Contains(stable, room); {
		case named && says:
			pass.Reportf(file.Package, "package comment says %q, but STABILITY.md names it among the packages for others", unstable)
		case !named && !says:
			pass.Reportf(file.Package, "package comment has no line %q: add it as a paragraph, or name the package in STABILITY.md", unstable)
		}
	}
	return nil, nil
}

var (
	rowOfPackages = regexp.MustCompile(`(?m)^\| packages for Go tests \|(.*)$`)
	quotedRoom    = regexp.MustCompile("`([a-z][a-z0-9/]*)`")
	rooms         sync.Map // maps a module's folder to the packages that its STABILITY.md names
)

// stableRooms returns the packages that a module's STABILITY.md offers to others.
func stableRooms(root string) ([]string, error) {
	if list, ok := rooms.Load(root); ok {
		return list.([]string), nil
	}
	text, err := os.ReadFile(filepath.Join(root, "STABILITY.md"))
	if err != nil {
		return nil, err
	}
	row := rowOfPackages.FindSubmatch(text)
	if row == nil {
		return nil, fmt.Errorf("STABILITY.md: found no row of packages for Go tests")
	}
	list := lists.MapOrNil(quotedRoom.FindAllSubmatch(row[1], -1), func(m [][]byte) string { return string(m[1]) })
	rooms.Store(root, list)
	return list, nil
}
