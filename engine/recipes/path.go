package recipes

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// Normalize makes a path as kazoo sends it (paths.py:1): doubled slashes are
// folded, a final one is dropped unless trailing, and relative parts are refused
// (kazoo: ValueError).
func Normalize(path string, trailing bool) (string, error) {
	if canonical(path) {
		return path, nil
	}
	var parts []string
	for _, part := range strings.Split(path, "/") {
		switch part {
		case "":
		case ".", "..":
			return "", &env.ZooKeeperError{Code: env.ZKBadArguments, Path: path}
		default:
			parts = append(parts, part)
		}
	}
	joined := "/" + strings.Join(parts, "/")
	if trailing && strings.HasSuffix(path, "/") && joined != "/" {
		joined += "/"
	}
	return joined, nil
}

// canonical says whether a path needs no change, which is nearly always so.
func canonical(path string) bool {
	if path == "/" {
		return true
	}
	if len(path) < 2 || path[0] != '/' || path[len(path)-1] == '/' {
		return false
	}
	for i := 1; i < len(path); i++ {
		if path[i-1] == '/' && (path[i] == '/' || path[i] == '.') {
			return false // "/." may begin a harmless name; the long way decides
		}
	}
	return true
}

// split cuts a path at its last slash, as posixpath.split does.
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/') + 1
	parent, name = path[:i], path[i:]
	if trimmed := strings.TrimRight(parent, "/"); trimmed != "" {
		parent = trimmed
	}
	return parent, name
}
