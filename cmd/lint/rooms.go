package main

import (
	"go/ast"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// module is the path of this module, with which all its import paths begin.
const module = "github.com/monosim/monosim"

// deterministicRooms lists the packages that run in virtual time, and whose actions follow
// from the seed.
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

// servedRooms lists packages inside of deterministic folders that serve a twin over a real
// socket, so they run in wall time.
var servedRooms = []string{
	"sim/zookeeper/wire/...",
	"sim/zookeeper/recorded",
	"sim/tfserving/serve/...",
	"sim/consul/serve",
}

// deterministic reports whether the package at pkgPath, or the package that it externally
// tests, has to be deterministic.
func deterministic(pkgPath string) bool {
	room, ours := roomOf(strings.TrimSuffix(pkgPath, "_test"))
	return ours && matchAny(deterministicRooms, room) && !matchAny(servedRooms, room)
}

// roomOf returns the path inside the module: "engine/vtime", or "." for its root.
func roomOf(pkgPath string) (room string, ours bool) {
	if pkgPath == module {
		return ".", true
	}
	return strings.CutPrefix(pkgPath, module+"/")
}

// matchAny reports whether one of the patterns covers the room.
func matchAny(patterns []string, room string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return match(p, room) })
}

// match reports whether the pattern covers the package. As with the go command "sim/..."
// covers sim and everything below, "sim" only sim.
func match(pattern, room string) bool {
	top, subtree := strings.CutSuffix(pattern, "/...")
	return room == top || subtree && strings.HasPrefix(room, top+"/")
}

// isTest reports whether the file is a test file.
func isTest(pass *analysis.Pass, file *ast.File) bool {
	return strings.HasSuffix(pass.Fset.Position(file.FileStart).Filename, "_test.go")
}
