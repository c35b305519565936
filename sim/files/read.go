package files

import (
	"bytes"
	"slices"

	"github.com/monosim/monosim/engine/env"
)

// Content returns the content of a file without a copy; the caller must not change it. version
// changes whenever the content does, so that pollers can compare numbers. Versions of different
// trees are not comparable. A file that was added with only a size has nil content. The error for a
// frozen file is ErrIO.
func (f *FS) Content(name string) (content []byte, version uint64, err error) {
	p, err := f.existing("open", name, followed)
	switch {
	case err != nil:
		return nil, 0, err
	case p.frozen:
		return nil, 0, pathError("read", name, ErrIO)
	case p.entry.dir:
		return nil, 0, pathError("read", name, ErrIsDir)
	}
	return p.entry.data, p.entry.version, nil
}

// ReadFile returns a copy of a file's content.
func (f *FS) ReadFile(name string) ([]byte, error) {
	content, _, err := f.Content(name)
	if err != nil {
		return nil, err
	}
	if content == nil {
		return []byte{}, nil
	}
	return bytes.Clone(content), nil
}

// Names returns the names in a directory, sorted, without a copy; the caller must not change it.
// version changes with the names. The error for a frozen directory is ErrIO.
func (f *FS) Names(name string) (names []string, version uint64, err error) {
	p, err := f.existing("open", name, followed)
	switch {
	case err != nil:
		return nil, 0, err
	case p.frozen:
		return nil, 0, pathError("readdir", name, ErrIO)
	case !p.entry.dir:
		return nil, 0, pathError("readdir", name, ErrNotDir)
	}
	return p.visible(f), p.entry.version, nil
}

// ReadDir returns a copy of the names in a directory, sorted.
func (f *FS) ReadDir(name string) ([]string, error) {
	names, _, err := f.Names(name)
	return slices.Clone(names), err
}

// Stat describes a file or directory, or the target of a link. It does not read content, so it
// works on frozen entries too.
func (f *FS) Stat(name string) (env.FileInfo, error) {
	p, err := f.existing("stat", name, followed)
	if err != nil {
		return env.FileInfo{}, err
	}
	return p.info(name), nil
}
