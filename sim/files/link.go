package files

import (
	"io/fs"
	"path"
	"strings"

	"github.com/monosim/monosim/engine/env"
)

// Symlink makes name a symbolic link to target, as symlink(2) does. A relative target starts at
// the directory of the link, an absolute one at the root of the tree in which the path is looked
// up. The target need not exist. The error for an existing name is fs.ErrExist.
func (f *FS) Symlink(target, name string) error {
	bare := strings.TrimRight(name, "/")
	p, err := f.find("symlink", bare, itself)
	switch {
	case err != nil:
		return err
	case p.entry != nil || p.dir == nil:
		return pathError("symlink", name, fs.ErrExist)
	case target == "" || bare != name:
		return pathError("symlink", name, fs.ErrNotExist)
	}
	p.own()
	p.fs.link(p.dir, p.name, &entry{target: &target, sizeBytes: int64(len(target))})
	p.fs.notify(clean(p.rel))
	return nil
}

// Readlink returns the target of a symbolic link, unresolved. The error for anything but a link is
// ErrInvalid.
func (f *FS) Readlink(name string) (target string, err error) {
	p, err := f.existing("readlink", name, lastOf(name))
	switch {
	case err != nil:
		return "", err
	case p.frozen:
		return "", pathError("readlink", name, ErrIO)
	case !p.entry.isLink():
		return "", pathError("readlink", name, ErrInvalid)
	}
	return *p.entry.target, nil
}

// Lstat does what [FS.Stat] does, but describes the link itself if the path ends in one.
func (f *FS) Lstat(name string) (env.FileInfo, error) {
	p, err := f.existing("lstat", name, lastOf(name))
	if err != nil {
		return env.FileInfo{}, err
	}
	return p.info(name), nil
}

// lastOf returns how lstat and readlink treat a link at the end of a path. They follow the link
// only if a slash comes after it.
func lastOf(name string) finding {
	if strings.HasSuffix(name, "/") {
		return followed
	}
	return itself
}

func (p place) info(name string) env.FileInfo {
	return env.FileInfo{
		Name: path.Base(name), Dir: p.entry.dir, Link: p.entry.isLink(),
		SizeBytes: p.entry.sizeBytes, ModTimeUnixMs: p.entry.modUnixMs,
	}
}

func (e *entry) isLink() bool { return e != nil && e.target != nil }

// linked replaces the link e in a path by its target and returns the path to resolve next. dir is
// the link's directory and rest the remaining path. slash means that a slash followed the link.
func (e *entry) linked(dir, rest string, slash bool) string {
	to := *e.target
	if to[0] != '/' {
		to = dir + "/" + to
	}
	if slash {
		to += "/" + rest
	}
	return to
}
