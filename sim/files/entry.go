package files

import (
	"slices"
	"strings"
	"time"
)

// entry is a file, a directory or a symbolic link, what Unix calls an inode. Each pod has
// some, so that what few of them need is behind a pointer.
type entry struct {
	dir       bool
	shared    bool // part of an image: it must not be written to
	modUnixMs int64
	// version is the FS's count of changes when the content, or the set of names,
	// changed last.
	version uint64

	// Of a directory.
	children []child   // by name
	names    *[]string // of the children; nil when nobody has asked since they changed
	mount    *mount    // covers the directory

	target *string // of a symbolic link; nil for none

	// Of a file. Slices are never written within their length: holders of an older
	// one keep what they have.
	data      []byte
	sizeBytes int64    // len(data), or what was declared; of a link, len(target)
	unsaved   *unsaved // when a crash would lose the content
}

// child is one name in a directory.
type child struct {
	name  string
	entry *entry
}

// unsaved is what a crash leaves of a file, unless the write-back has come in between.
type unsaved struct {
	durable   []byte
	sizeBytes int64
	since     time.Duration
}

func newDir() *entry { return &entry{dir: true} }

func (e *entry) find(name string) (place int, ok bool) {
	return slices.BinarySearchFunc(e.children, name, func(c child, name string) int { return strings.Compare(c.name, name) })
}

// child is what a name in a directory means, nil for nothing.
func (e *entry) child(name string) *entry {
	if at, ok := e.find(name); ok {
		return e.children[at].entry
	}
	return nil
}

// setChild gives a name its meaning; nil takes the name away.
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

// sorted lists the names in a directory; the slice is never changed.
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

// hasMount reports whether a mount lies at or below the entry.
func (e *entry) hasMount() bool {
	return e.mount != nil || slices.ContainsFunc(e.children, func(c child) bool { return c.entry.hasMount() })
}
