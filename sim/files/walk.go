package files

import (
	"io/fs"
	"path"
	"strings"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// FS is one tree of files: that of a host, or a store that several hosts mount. Its
// methods take absolute paths. Errors are *fs.PathError around fs.ErrNotExist,
// fs.ErrExist or one of this package.
type FS struct {
	w       *vtime.World
	root    *entry
	version uint64

	parents  []mountedAt // where it is mounted
	watchers []*watcher
	frozen   []string  // paths at and below which reading fails
	journal  []change  // of directories, that are not durable, oldest first
	temps    uint64    // names given out by TempFile
	contents *contents // that trees of one image share; nil for nothing

	late   []lateness // directories in which names become visible late
	hidden []*hiding  // names that are not visible to all yet, oldest first

	looked leap.Observed // what is read in it, mounted trees included
}

// changes is called before something in the tree does.
func (f *FS) changes() {
	f.looked.BeforeChange()
	for _, at := range f.parents {
		at.fs.changes()
	}
}

// NewFS makes an empty tree, which has /tmp as every host has. w gives the time of
// changes.
func NewFS(w *vtime.World) *FS {
	f := &FS{w: w, root: newDir()}
	f.root.setChild("tmp", newDir())
	return f
}

// place is where a path leads.
type place struct {
	path   string // without links, as the tree that was asked has it; may be untidy
	fs     *FS    // whose tree the entry is in
	rel    string // the path inside of it, beginning with a slash
	dir    *entry // that holds the entry; nil for the root of a tree
	name   string
	entry  *entry // nil when dir has no such name
	slash  bool   // a slash is at the end: only a directory can be meant
	frozen bool
	hidden bool // the entry, or one above it, is not visible yet to the tree that was asked
}

// finding says what becomes of a link that a path ends in.
type finding uint8

const (
	followed finding = iota // it is followed, as stat does
	itself                  // it is what is meant, as for rename and remove
	// created is followed for open(2) with O_CREAT, which makes files only: a path
	// that ends in a slash is none, nor is a link to such a path.
	created
)

// maxLinks is how many links Linux follows in one path.
const maxLinks = 40

// find follows a path. Only the last name may be missing.
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

// walk sets p to the end of a path, or to the first link or ".." in it, which make
// another path of the rest: next. Empty names and "." count for nothing.
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
			if err := p.mounted(rest); err != nil {
				return "", err
			}
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

// notDir reports whether a file or link is where the path has a slash after it.
func (p *place) notDir() bool { return p.slash && p.entry != nil && !p.entry.dir }

// mounted goes on in the tree that covers the directory.
func (p *place) mounted(rest string) error {
	m := p.entry.mount
	if m.unavailable {
		return ErrUnavailable
	}
	p.fs, p.rel, p.dir, p.entry, p.slash = m.fs, "/"+rest, nil, m.fs.root, false
	p.frozen = p.frozen || m.fs.isFrozen(p.rel)
	return nil
}

// onlySlashes reports whether no further name is in the rest of a path.
func onlySlashes(rest string) bool { return strings.Trim(rest, "/") == "" }

// existing is find for an entry that must be there.
func (f *FS) existing(op, name string, last finding) (place, error) {
	p, err := f.find(op, name, last)
	if err == nil && (p.entry == nil || p.hidden) {
		err = pathError(op, name, fs.ErrNotExist)
	}
	return p, err
}

// within reports whether name is at or below top; both begin with a slash and are
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
