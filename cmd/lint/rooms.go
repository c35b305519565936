package main

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// module is this module's path. The import paths of all its packages begin with it.
const module = "github.com/monosim/monosim"

// deterministicRooms lists the packages that run in virtual time. What they do must follow from
// the seed alone.
var deterministicRooms = []string{
	"engine/vtime/...",
	"engine/agent/...",
	"engine/training/...",
	"engine/recipes/...",
	"engine/pysem/threading/...",
	"engine/env/...",
	"engine/tasks",
	"engine/cluster",
	"engine/lists",
	"engine/pysem/...",
	"sim/...",
}

// servedRooms lists packages that serve a twin over a real socket, so they run in wall time. They
// are exceptions inside the folders of deterministicRooms.
var servedRooms = []string{
	"sim/zookeeper/wire/...",
	"sim/zookeeper/recorded",
	"sim/tfserving/serve/...",
	"sim/consul/serve",
}

// deterministic reports whether the package at pkgPath has to be deterministic. An external test
// package counts as the package that it tests.
func deterministic(pkgPath string) bool {
	room, ours := roomOf(strings.TrimSuffix(pkgPath, "_test"))
	return ours && matchAny(deterministicRooms, room) && !matchAny(servedRooms, room)
}

// roomOf returns a package's path inside the module, such as "engine/vtime", or "." for the root.
// ours is false for a package of another module.
func roomOf(pkgPath string) (room string, ours bool) {
	if pkgPath == module {
		return ".", true
	}
	return strings.CutPrefix(pkgPath, module+"/")
}

// matchAny reports whether at least one of the patterns covers the package at room.
func matchAny(patterns []string, room string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, room) })
}

// match reports whether the pattern covers the package. As for the go command, "sim/..." covers
// sim and everything below it, and "sim" covers sim alone.
func match(pattern, room string) bool {
	top, subtree := strings.CutSuffix(pattern, "/...")
	return room == top || subtree && strings.HasPrefix(room, top+"/")
}

// isTest reports whether the file is a test file.
func isTest(pass *analysis.Pass, file *ast.File) bool {
	return strings.HasSuffix(pass.Fset.Position(file.FileStart).Filename, "_test.go")
}
