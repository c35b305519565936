package main

import (
	"go/ast"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// module is the path before every package of ours.
const module = "github.com/monosim/monosim"

// deterministicRooms run in virtual time: what they do follows from the seed.
var deterministicRooms = []string{
	"engine/vtime/...",
	"engine/agent/...",
	"engine/training/...",
	"engine/recipes/...",
	"engine/pysem/threading/...",
	"engine/env/...",
	"engine/tasks",
	"engine/cluster",
	"engine/pysem/...",
	"sim/...",
}

// servedRooms lie inside deterministic rooms but put a twin behind a real
// socket, so they live in wall time.
var servedRooms = []string{
	"sim/zookeeper/wire/...",
	"sim/zookeeper/recorded",
	"sim/tfserving/serve/...",
	"sim/consul/serve",
}

// deterministic reports whether the package at pkgPath, or the one that it is the
// external test of, must be deterministic.
func deterministic(pkgPath string) bool {
	room, ours := roomOf(strings.TrimSuffix(pkgPath, "_test"))
	return ours && matchAny(deterministicRooms, room) && !matchAny(servedRooms, room)
}

// roomOf is the path inside the module: "engine/vtime", or "." for its root.
func roomOf(pkgPath string) (room string, ours bool) {
	if pkgPath == module {
		return ".", true
	}
	return strings.CutPrefix(pkgPath, module+"/")
}

// matchAny reports whether one of the patterns covers the room.
func matchAny(patterns []string, room string) bool {
	for _, p := range patterns {
		if match(p, room) {
			return true
		}
	}
	return false
}

// match reports whether the pattern covers the room. As with the go command
// "sim/..." is sim and all below it, and "sim" is sim alone.
func match(pattern, room string) bool {
	top, subtree := strings.CutSuffix(pattern, "/...")
	return room == top || subtree && strings.HasPrefix(room, top+"/")
}

// isTest reports whether the file is one of tests.
func isTest(pass *analysis.Pass, file *ast.File) bool {
	return strings.HasSuffix(pass.Fset.Position(file.FileStart).Filename, "_test.go")
}
