// Package confined keeps names that come from outside in the folder that they are for.
//
// Two things to use first:
//
//   - [Name] and [Path] say of a name and of a path, before anything is touched, whether they
//     can be entries of a folder.
//   - [Below] turns a path into the name that an [os.Root] takes. The root then keeps links
//     from leading out, which no look at a name can. [Within] does so for paths on this host.
//
// To change what a name may be look in [Name]. Package confinedtest has names to try.
//
// Unstable: any commit may change it.
package confined

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"
)

// longest is the most bytes that a name can have on common file systems.
const longest = 255

// Name returns an error unless the text is the plain name of one entry of a folder, on Linux and on
// Windows. It also refuses names that begin with a dot, because folders store their own files under
// such names.
func Name(name string) error {
	want := "the name of one folder, as ctr"
	switch {
	case name == "":
		want = "one, as ctr"
		return fmt.Errorf("found no name, want %s", want)
	case len(name) > longest:
		return fmt.Errorf("found a name of %d bytes, want at most %d", len(name), longest)
	case strings.ContainsAny(name, `/\`):
		want += ", without separators"
	case strings.HasPrefix(name, "."):
		want += ", which does not begin with a dot"
	case strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name):
		want += ", without control characters"
	case filepath.IsLocal(name):
		return nil
	}
	return fmt.Errorf("found %q, want %s", name, want)
}

// Path returns an error unless p is a path from the root, as /models/ctr. Each part has to be
// valid for [Name]. One slash at the end is allowed.
func Path(p string) error {
	if !strings.HasPrefix(p, "/") || p == "/" {
		return fmt.Errorf("found %q, want a path from the root, as /models/ctr", short(p))
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(p[1:], "/"), "/") {
		if Name(part) != nil {
			return fmt.Errorf("found %q, want a path from the root whose parts are plain names, as /models/ctr", short(p))
		}
	}
	return nil
}

// short cuts a long text, for error messages.
func short(text string) string {
	const most = 200
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}

// Below converts an absolute path inside of some tree to the name of an entry below the tree's
// folder. It returns an error for a path that names the folder itself or leads out of it.
func Below(p string) (string, error) {
	name := filepath.FromSlash(strings.TrimLeft(p, "/"))
	if strings.ContainsRune(name, 0) || !filepath.IsLocal(name) || filepath.Clean(name) == "." {
		return "", fmt.Errorf("found %q, want a path that stays below its folder", short(p))
	}
	return filepath.Clean(name), nil
}

// Within returns the path abs relative to a folder. ok is false if abs is not below that folder.
// Both paths are absolute paths on this host.
func Within(folder, abs string) (name string, ok bool) {
	name, err := filepath.Rel(folder, abs)
	return name, err == nil && filepath.IsLocal(name)
}

// LeadsOut reports whether an [os.Root] has refused a name because a link on its way leads out of the
// folder. Package os does not export that error, so its text is compared.
func LeadsOut(err error) bool {
	return err != nil && strings.HasSuffix(err.Error(), "path escapes from parent")
}

// Clamp converts an absolute path to a name below the tree's folder, as Below does. But ".." at the
// top stays at the top, as in a root directory. Use it only for paths that are not opened.
func Clamp(p string) string { return filepath.FromSlash(path.Clean("/" + p)[1:]) }
