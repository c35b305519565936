package files

import (
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
)

// entry is a file, a directory or a symbolic link, like an inode of Unix. Every pod has many
// entries, so rarely used fields are behind a pointer to save memory.
type entry struct {
	dir       bool
	shared    bool // shared means that it belongs to an image, and must not be written to
	modUnixMs int64
	// version is the value of the tree's change counter at the last change of the file's content,
	// or of the names in the directory.
	version uint64

	// These fields are for directories.
	children []child   // children is sorted by name
	names    *[]string // names caches the children's names; nil after a change until the next request
	mount    *FS       // mount is the tree that covers the directory; nil for none

	target *string // target is a symbolic link's target; nil for other entries

	// These fields are for files. Bytes within data's length are never overwritten, so a slice that
	// a reader holds keeps its content.
	data      []byte
	sizeBytes int64    // sizeBytes is len(data), or a declared size; for a link, len(target)
	unsaved   *unsaved // unsaved is what a crash restores; nil when the content is durable
}

type child struct {
	name  string
	entry *entry
}

// unsaved holds the last durable state of a file. A file has one while its newer content is not yet
// written back.
type unsaved struct {
	durable   []byte
	sizeBytes int64
	since     time.Duration
}

func newDir() *entry { return &entry{dir: true} }

func (e *entry) find(name string) (place int, ok bool) {
	return slices.BinarySearchFunc(e.children, name, func(c child, name string) int { return strings.Compare(c.name, name) })
}

// child returns the entry of a name in a directory; nil for none.
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

// sorted returns the names in a directory, sorted. The slice is never written to, so callers may
// keep it.
func (e *entry) sorted() []string {
	if len(e.children) == 0 {
		return nil
	}
	if e.names == nil {
		names := lists.Map(e.children, func(c child) string { return c.name })
		e.names = &names
	}
	return *e.names
}

// hasMount reports whether a tree is mounted at or below the entry.
func (e *entry) hasMount() bool {
	return e.mount != nil || slices.ContainsFunc(e.children, func(c child) bool { return c.entry.hasMount() })
}
