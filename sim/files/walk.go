package files

import (
	"io/fs"
	"path"
	"strings"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// FS is one tree of files: the files of a host, or a store that several hosts mount. Its methods
// take absolute paths. Errors are *fs.PathError and wrap fs.ErrNotExist, fs.ErrExist or an error of
// this package.
type FS struct {
	w       *vtime.World
	root    *entry
	version uint64

	parents  []mountedAt // parents holds the paths at which this tree is mounted
	watchers []*watcher
	frozen   []string  // frozen holds the paths at and below which reading fails
	journal  []change  // journal holds non-durable changes of directories, oldest first
	temps    uint64    // temps counts the names returned by TempFile
	contents *contents // contents is shared by the trees of one image; nil without one

	late   []lateness // late holds directories whose names become visible late
	hidden []*hiding  // hidden holds names not yet visible to all, oldest first

	looked leap.Observed // looked tracks the tasks that read the tree, mounted trees included
	moved  uint64        // moved counts the changes of the tree, mounted trees included
}

// Changes returns how often the tree has changed so far. Changes of mounted trees count too.
func (f *FS) Changes() uint64 { return f.moved }

// changes notifies the tasks that read the tree. It must be called before each change of the tree.
func (f *FS) changes() {
	f.moved++
	f.looked.BeforeChange()
	for _, at := range f.parents {
		at.fs.changes()
	}
}

// NewFS makes a tree with only /tmp, which every host has. w supplies the times of changes.
func NewFS(w *vtime.World) *FS {
	f := &FS{w: w, root: newDir()}
	f.root.setChild("tmp", newDir())
	return f
}

type place struct {
	path   string // path has no links, and is absolute in the tree on which find was called; may have "." or "//"
	fs     *FS    // fs is the tree that contains the entry
	rel    string // rel is the path inside fs, with a slash at its beginning
	dir    *entry // dir is the directory that contains the entry; nil for the root of a tree
	name   string
	entry  *entry // entry is nil when dir has no such name
	slash  bool   // slash means that the path ends in a slash, so only a directory is valid
	frozen bool
	hidden bool // hidden means that the tree on which find was called cannot yet see the entry or a parent
}

// finding says how to treat a symbolic link at the end of a path.
type finding uint8

const (
	followed finding = iota // followed resolves the link, as stat does
	itself                  // itself takes the link itself, as rename and remove do
	// created resolves the link as open(2) with O_CREAT does, which creates only files. It refuses
	// a path that ends in a slash, and a link to such a path.
	created
)

// maxLinks is how many links Linux follows in one path.
const maxLinks = 40

// find resolves a path to a place. The last name of the path need not exist, but its parents must.
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

// walk follows a path up to its end, or up to the first link or ".." in it, and stores the place in
// p. After a link or ".." it returns the path to resolve next; otherwise "". It skips empty names
// and ".".
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

// notDir reports whether the path has a slash after something that is not a directory.
func (p *place) notDir() bool { return p.slash && p.entry != nil && !p.entry.dir }

// mounted continues the walk in the tree that is mounted on the present directory. rest is the
// remaining path.
func (p *place) mounted(rest string) {
	store := p.entry.mount
	p.fs, p.rel, p.dir, p.entry, p.slash = store, "/"+rest, nil, store.root, false
	p.frozen = p.frozen || store.isFrozen(p.rel)
}

// onlySlashes reports whether the rest of a path has no further name.
func onlySlashes(rest string) bool { return strings.Trim(rest, "/") == "" }

// existing calls find, and returns fs.ErrNotExist unless the entry exists and is visible.
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

// clean returns a path in its absolute, shortest form, for comparisons.
func clean(name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name)
	}
	return path.Clean("/" + name)
}
