package recipes

import (
	"strings"

	"github.com/monosim/monosim/engine/env/zkerrors"
)

// Normalize converts a path to the canonical form in which kazoo sends it (paths.py:1). It removes
// doubled slashes, and a slash at the end unless trailing is set. A part "." or ".." is
// BadArguments, for kazoo's ValueError.
func Normalize(path string, trailing bool) (string, error) {
	if canonical(path) {
		return path, nil
	}
	var parts []string
	for _, part := range strings.Split(path, "/") {
		switch part {
		case "":
		case ".", "..":
			return "", &zkerrors.Error{Code: zkerrors.BadArguments, Path: path}
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

// canonical reports whether a path certainly is in canonical form. Nearly all paths are.
func canonical(path string) bool {
	if path == "/" {
		return true
	}
	if len(path) < 2 || path[0] != '/' || path[len(path)-1] == '/' {
		return false
	}
	// A name can begin with a dot, so false here does not mean that the path is invalid. Normalize
	// decides.
	return !hasSlashBefore(path)
}

// hasSlashBefore reports whether a slash in the path is followed by a slash or a dot. It checks
// eight bytes at a time.
func hasSlashBefore(path string) bool {
	const (
		ones   = 0x0101010101010101
		slash  = '/' * ones
		dot    = '.' * ones
		noLast = 0xfefefefefefefefe // this bit is all that differs between a dot and a slash
	)
	for ; len(path) > 8; path = path[8:] {
		x := (word(path) ^ slash) | (word(path[1:])^dot)&noLast
		if (x-ones)&^x&(0x80*ones) != 0 {
			return true
		}
	}
	for i := 1; i < len(path); i++ {
		if path[i-1] == '/' && (path[i] == '/' || path[i] == '.') {
			return true
		}
	}
	return false
}

func word(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// split splits a path at its last slash, as Python's posixpath.split does.
func split(path string) (parent, name string) {
	i := strings.LastIndexByte(path, '/') + 1
	parent, name = path[:i], path[i:]
	if trimmed := strings.TrimRight(parent, "/"); trimmed != "" {
		parent = trimmed
	}
	return parent, name
}
