package pysem

import (
	"path"
	"strings"
)

// Join returns os.path.join of POSIX systems. An absolute part replaces all parts before it, and an
// empty last part adds a trailing slash. A part of None is a TypeError.
func Join(base Opt[string], parts ...Opt[string]) (string, error) {
	if !base.Set {
		return "", Raise("TypeError", "expected str, bytes or os.PathLike object, not NoneType")
	}
	for _, p := range parts {
		if !p.Set {
			return "", Raise("TypeError",
				"join() argument must be str, bytes, or os.PathLike object, not 'NoneType'")
		}
	}
	joined := base.V
	for _, p := range parts {
		joined = join2(joined, p.V)
	}
	return joined, nil
}

// JoinTypes returns the TypeError that os.path.join raises for parts beside a str, if any is no str.
// It names the first that is no path, and if all are, bytes do not mix with a str.
func JoinTypes(parts ...any) error {
	mixed := false
	for _, p := range parts {
		switch p.(type) {
		case string:
		case []byte:
			mixed = true
		default:
			return Raise("TypeError", "join() argument must be str, bytes, or os.PathLike object, not '%s'", TypeName(p))
		}
	}
	if mixed {
		return Raise("TypeError", "Can't mix strings and bytes in path components")
	}
	return nil
}

// JoinStrings is [Join] for parts that are never None.
func JoinStrings(base string, parts ...string) string {
	for _, p := range parts {
		base = join2(base, p)
	}
	return base
}

func join2(a, b string) string {
	switch {
	case strings.HasPrefix(b, "/"):
		return b
	case a == "" || strings.HasSuffix(a, "/"):
		return a + b
	}
	return a + "/" + b
}

// Basename returns os.path.basename: the text after the last slash.
func Basename(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// Dirname returns os.path.dirname: the text before the last slash. Trailing slashes are removed,
// unless there is nothing but slashes.
func Dirname(name string) string {
	head := name[:strings.LastIndexByte(name, '/')+1]
	if trimmed := strings.TrimRight(head, "/"); trimmed != "" {
		return trimmed
	}
	return head
}

// AbsPath returns os.path.abspath of POSIX systems. A relative name is below cwd. Empty parts, "."
// and ".." are resolved. Two leading slashes stay two, but three or more become one.
func AbsPath(cwd, name string) string {
	name = join2(cwd, name)
	clean := path.Clean(name)
	if strings.HasPrefix(name, "//") && !strings.HasPrefix(name, "///") {
		return "/" + clean
	}
	return clean
}
