package files

import (
	"io/fs"
	"path"
	"strings"

	"github.com/monosim/monosim/engine/vtime"
)

// FS is one tree of files: that of a host, or a store that several hosts mount.
type FS struct {
	w       *vtime.World
	root    *entry
	version uint64

	parents  []mountedAt // where it is mounted
	watchers []*watcher
	frozen   []string // paths at and below which reading fails
	journal  []change // of directories, that are not durable, oldest first
	temps    uint64   // names given out by TempFile
}

// NewFS makes an empty tree, which has /tmp as every host has.
func NewFS(w *vtime.World) *FS {
	f := &FS{w: w, root: newDir()}
	f.root.children["tmp"] = newDir()
	return f
}

// place is where a path leads.
type place struct {
	fs     *FS    // whose tree the entry is in
	rel    string // the path inside of it, beginning with a slash
	dir    *entry // that holds the entry; nil for the root of a tree
	name   string
	entry  *entry // nil when dir has no such name
	frozen bool
}

// find follows a path. Only the last name may be missing. Empty names and "."
// count for nothing; ".." is resolved by the text, as there are no links.
func (f *FS) find(op, name string) (place, error) {
	if strings.Contains(name, "..") {
		name = path.Clean("/" + name)
	}
	p := place{fs: f, rel: name, entry: f.root, frozen: f.isFrozen(name)}
	for rest := name; ; {
		part := ""
		for part == "" || part == "." {
			if rest == "" {
				return p, nil
			}
			part, rest, _ = strings.Cut(rest, "/")
		}
		switch {
		case p.entry == nil:
			return p, pathError(op, name, fs.ErrNotExist)
		case !p.entry.dir:
			return p, pathError(op, name, ErrNotDir)
		}
		p.dir, p.name = p.entry, part
		p.entry = p.dir.children[part]
		if p.entry == nil || p.entry.mount == nil {
			continue
		}
		m := p.entry.mount
		if m.unavailable {
			return p, pathError(op, name, ErrUnavailable)
		}
		p.fs, p.rel, p.dir, p.entry = m.fs, "/"+rest, nil, m.fs.root
		p.frozen = p.frozen || m.fs.isFrozen(p.rel)
	}
}

// existing is find for an entry that must be there.
func (f *FS) existing(op, name string) (place, error) {
	p, err := f.find(op, name)
	if err == nil && p.entry == nil {
		err = pathError(op, name, fs.ErrNotExist)
	}
	return p, err
}

// within says whether name is at or below top; both begin with a slash and are
// clean.
func within(name, top string) bool {
	return top == "/" || strings.HasPrefix(name, top) && (len(name) == len(top) || name[len(top)] == '/')
}

// clean is the absolute form of a path for comparisons.
func clean(name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Clean("/" + name)
}
