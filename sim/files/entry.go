package files

import (
	"maps"
	"slices"
	"time"
)

// entry is a file, a directory or a symbolic link, what Unix calls an inode.
type entry struct {
	dir       bool
	shared    bool // part of an image: it must not be written to
	modUnixMs int64
	// version is the FS's count of changes when the content, or the set of names,
	// changed last.
	version uint64

	// Of a directory.
	children map[string]*entry
	names    []string // sorted; nil when it has to be made again
	mount    *mount   // covers the directory

	target string // of a symbolic link; "" for none

	// Of a file. Slices are never written within their length: holders of an older
	// one keep what they have.
	data      []byte
	sizeBytes int64 // len(data), or what was declared; of a link, len(target)
	// durable is what a crash leaves, unless the write-back has come in between.
	durable          []byte
	durableSizeBytes int64
	dirty            bool
	dirtySince       time.Duration
}

func newDir() *entry { return &entry{dir: true, children: map[string]*entry{}} }

// sorted lists the names in a directory; the slice is never changed.
func (e *entry) sorted() []string {
	if e.names == nil && len(e.children) > 0 {
		e.names = slices.Sorted(maps.Keys(e.children))
	}
	return e.names
}

// hasMount reports whether a mount lies at or below the entry.
func (e *entry) hasMount() bool {
	if e.mount != nil {
		return true
	}
	for _, name := range e.sorted() {
		if e.children[name].hasMount() {
			return true
		}
	}
	return false
}
