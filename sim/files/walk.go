package files

import (
	"io/fs"
	"path"
	"strings"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// FS is one tree of files: that of a host, or a store that several hosts mount. Its methods take absolute
// paths. Errors are *fs.PathError around fs.ErrNotExist, fs.ErrExist or an error of this package.
type FS struct {
	w       *vtime.World
	root    *entry
	version uint64

	parents  []mountedAt // the paths at which it is mounted
	watchers []*watcher
	frozen   []string  // the paths at and below which reading fails
	journal  []change  // changes of directories that are not durable, oldest first
	temps    uint64    // how many names TempFile has given out
	contents *contents // shared by the trees of one image; nil without one

	late   []lateness // directories whose names become visible late
	hidden []*hiding  // names that are not visible to all yet, oldest first

	looked leap.Observed // what is read in it, mounted trees included
}

// changes is called before something in the tree changes.
func (f *FS) changes() {
	f.looked.BeforeChange()
	for _, at := range f.parents {
		at.fs.changes()
	}
}

// NewFS makes an empty tree, which has /tmp as every host does. w gives the times of changes.
func NewFS(w *vtime.World) *FS {
	f := &FS{w: w, root: newDir()}
	f.root.setChild("tmp", newDir())
	return f
}

// place is the result of following a path.
type place struct {
	path   string // the path without links, in the tree that was asked; may be untidy
	fs     *FS    // the tree that has the entry
	rel    string // the path inside that tree, with a slash at its beginning
	dir    *entry // the directory that has the entry; nil for the root of a tree
	name   string
	entry  *entry // nil when dir has no such name
	slash  bool   // the path ends in a slash, so only a directory can be meant
	frozen bool
	hidden bool // the entry, or a directory above it, is not visible yet to the tree that was asked
}

// finding says how a link at the end of a path is treated.
type finding uint8

const (
	followed finding = iota // the link is followed, as by stat
	itself                  // the link itself is meant, as by rename and remove
	// created follows the link for open(2) with O_CREAT, which makes only files. A path that
	// ends in a slash is not a file, nor is a link to such a path.
	created
)

// maxLinks is how many links Linux follows in one path.
const maxLinks = 40

// find follows a path. Only its last name may be missing.
func (f *FS) find(op, name string, last finding) (p place, err error) {
	frozen, hidden, noFile := false, false, false
	for at, links := name, 0; ; {
		if last == created && strings.HasSuffix(at, "/") {
			at, last, noFile = strings.TrimRight(at, "/"), itself, true
		}
		next, err := f.walk(&p, at, last)
		frozen = frozen || p.frozen || f.isFrozen(at)
		hidden = hidden || p.hidden
		p.frozen, p.hidden = frozen, hidden
		switch {
		case err != nil:
			return p, pathError(op, name, err)
		case next == "" && noFile:
			return p, pathError(op, name, ErrIsDir)
		case next == "":
			return p, nil
		case p.entry.isLink():
			if links++; links > maxLinks {
				return p, pathError(op, name, ErrLoop)
			}
		}
		at = next
	}
}

// walk sets p to the end of a path, or to the first link or ".." in it. In the second case next is the
// path to follow instead. Empty names and "." are skipped.
func (f *FS) walk(p *place, name string, last finding) (next string, err error) {
	*p = place{path: name, fs: f, rel: name, entry: f.root}
	for rest := name; rest != ""; {
		begin := len(name) - len(rest)
		part, after, slash := strings.Cut(rest, "/")
		rest = after
		if part == "" || part == "." {
			continue
		}
		switch {
		case p.entry == nil:
			return "", fs.ErrNotExist
		case !p.entry.dir:
			return "", ErrNotDir
		case part == "..":
			return path.Dir(path.Clean("/"+name[:begin])) + "/" + rest, nil
		}
		p.dir, p.name, p.slash = p.entry, part, slash
		p.entry = p.dir.child(part)
		p.hidden = p.hidden || p.fs.hides(p.entry, f)
		switch {
		case p.entry == nil:
		case p.entry.mount != nil:
			p.mounted(rest)
		case p.entry.isLink() && (last != itself || !onlySlashes(rest)):
			p.path = name[:begin+len(part)]
			return p.entry.linked(name[:begin], rest, slash), nil
		}
	}
	if last != itself && p.notDir() {
		return "", ErrNotDir
	}
	return "", nil
}

// notDir reports whether the path has a slash behind a file or link.
func (p *place) notDir() bool { return p.slash && p.entry != nil && !p.entry.dir }

// mounted continues in the tree that covers the directory.
func (p *place) mounted(rest string) {
	store := p.entry.mount
	p.fs, p.rel, p.dir, p.entry, p.slash = store, "/"+rest, nil, store.root, false
	p.frozen = p.frozen || store.isFrozen(p.rel)
}

// onlySlashes reports whether the rest of a path has no further name.
func onlySlashes(rest string) bool { return strings.Trim(rest, "/") == "" }

// existing is find for an entry that must exist and be visible.
func (f *FS) existing(op, name string, last finding) (place, error) {
	p, err := f.find(op, name, last)
	if err == nil && (p.entry == nil || p.hidden) {
		err = pathError(op, name, fs.ErrNotExist)
	}
	return p, err
}

// within reports whether name is at or below top. Both are clean and begin with a slash.
func within(name, top string) bool {
	return top == "/" || strings.HasPrefix(name, top) && (len(name) == len(top) || name[len(top)] == '/')
}

// clean returns the tidy absolute form of a path, for comparisons.
func clean(name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Clean("/" + name)
}
