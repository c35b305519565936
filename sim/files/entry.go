package files

import (
	"slices"
	"strings"
	"time"
)

// entry is a file, a directory or a symbolic link, as an inode of Unix. Every pod has some, so rarely
// used fields are behind a pointer.
type entry struct {
	dir       bool
	shared    bool // it belongs to an image, and must not be written to
	modUnixMs int64
	// version is the FS's count of changes when the content, or the set of names, changed
	// last.
	version uint64

	// These fields are for directories.
	children []child   // by name
	names    *[]string // the children's names; nil until they are asked for after a change
	mount    *FS       // the tree that covers the directory; nil for none

	target *string // the target of a symbolic link; nil for other entries

	// These fields are for files. A slice is never changed within its length, so that holders
	// of an older one keep what they have.
	data      []byte
	sizeBytes int64    // len(data), or a declared size; for a link, len(target)
	unsaved   *unsaved // what a crash would restore; nil when the content is durable
}

// child is one name in a directory.
type child struct {
	name  string
	entry *entry
}

// unsaved is the durable state of a file whose content has changed, until the write-back.
type unsaved struct {
	durable   []byte
	sizeBytes int64
	since     time.Duration
}

func newDir() *entry { return &entry{dir: true} }

func (e *entry) find(name string) (place int, ok bool) {
	return slices.BinarySearchFunc(e.children, name, func(c child, name string) int { return strings.Compare(c.name, name) })
}

// child returns the entry of a name in a directory, nil for none.
func (e *entry) child(name string) *entry {
	if at, ok := e.find(name); ok {
		return e.children[at].entry
	}
	return nil
}

// setChild sets the entry of a name; nil removes the name.
func (e *entry) setChild(name string, to *entry) {
	switch at, ok := e.find(name); {
	case ok && to != nil:
		e.children[at].entry = to
	case ok:
		e.children = slices.Delete(e.children, at, at+1)
	case to != nil:
		e.children = slices.Insert(e.children, at, child{name, to})
	}
	e.names = nil
}

// sorted lists the names in a directory. The slice is never changed.
func (e *entry) sorted() []string {
	if len(e.children) == 0 {
		return nil
	}
	if e.names == nil {
		names := make([]string, len(e.children))
		for i, c := range e.children {
			names[i] = c.name
		}
		e.names = &names
	}
	return *e.names
}

// hasMount reports whether something is mounted at or below the entry.
func (e *entry) hasMount() bool {
	return e.mount != nil || slices.ContainsFunc(e.children, func(c child) bool { return c.entry.hasMount() })
}
