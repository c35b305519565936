package files

import (
	"io/fs"
	"path"
	"strings"
)

// WriteFile creates or truncates a file and writes a copy of data. Its directory must exist.
func (f *FS) WriteFile(name string, data []byte) error {
	p, err := f.writable(name)
	if err != nil {
		return err
	}
	p.fs.setContent(p.entry, p.fs.contents.with(nil, data), int64(len(data)))
	p.fs.notify(clean(p.rel))
	return nil
}

// AppendFile appends data to a file, which it creates if needed.
func (f *FS) AppendFile(name string, data []byte) error {
	p, err := f.writable(name)
	if err != nil {
		return err
	}
	p.fs.setContent(p.entry, p.fs.contents.with(p.entry.data, data), p.entry.sizeBytes+int64(len(data)))
	p.fs.notify(clean(p.rel))
	return nil
}

// writable finds a file for writing, and creates the file if it is missing.
func (f *FS) writable(name string) (place, error) {
	p, err := f.find("open", name, created)
	switch {
	case err != nil:
		return p, err
	case p.entry != nil && p.entry.dir:
		return p, pathError("open", name, ErrIsDir)
	}
	if p.own(); p.entry == nil {
		p.entry = &entry{}
		p.fs.link(p.dir, p.name, p.entry)
		p.fs.hide(p.dir, p.entry, p.rel, f)
	}
	return p, nil
}

// MkdirAll makes a directory and its missing parents. A link to a directory is accepted as an
// existing directory.
func (f *FS) MkdirAll(name string) error {
	top := "" // path of the first directory that is created
	var at place
	begin := 1
	if last := strings.LastIndexByte(name, '/'); last > 0 { // most often only the last one is missing
		if parent, err := f.Stat(name[:last]); err == nil && parent.Dir {
			begin = last + 1
		}
	}
	for i := begin; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' {
			continue
		}
		p, made, err := f.mkdir(name[:i])
		if err != nil {
			return err
		}
		if made && top == "" {
			top, at = clean(p.rel), p
		}
	}
	if top != "" {
		at.fs.notify(top)
	}
	return nil
}

// mkdir creates a directory unless it exists. made reports whether it did. A link to anything but
// a directory is an error.
func (f *FS) mkdir(name string) (p place, made bool, err error) {
	p, err = f.find("mkdir", name, itself)
	switch {
	case err != nil:
		return p, false, err
	case p.entry == nil:
		p.own()
		p.entry = newDir()
		p.fs.link(p.dir, p.name, p.entry)
		p.fs.hide(p.dir, p.entry, p.rel, f)
		return p, true, nil
	case p.entry.isLink():
		if p, err = f.existing("mkdir", name, followed); err != nil {
			return p, false, pathError("mkdir", name, fs.ErrExist)
		}
	}
	if !p.entry.dir {
		return p, false, pathError("mkdir", name, ErrNotDir)
	}
	return p, false, nil
}

// Remove removes a file or an empty directory. It removes a link itself, not its target.
func (f *FS) Remove(name string) error {
	p, err := f.existing("remove", name, itself)
	switch {
	case err != nil:
		return err
	case p.notDir():
		return pathError("remove", name, ErrNotDir)
	case p.dir == nil:
		return pathError("remove", name, ErrBusy)
	case len(p.entry.children) > 0:
		return pathError("remove", name, ErrNotEmpty)
	}
	p.own()
	p.fs.link(p.dir, p.name, nil)
	p.fs.notify(clean(p.rel))
	return nil
}

// RemoveAll removes the entry at name and everything below it. It does not follow links. A missing
// entry is not an error.
func (f *FS) RemoveAll(name string) error {
	p, err := f.find("removeall", name, itself)
	switch {
	case isNotExist(err), err == nil && p.entry == nil:
		return nil
	case err != nil:
		return err
	case p.dir == nil || p.entry.hasMount():
		return pathError("removeall", name, ErrBusy)
	}
	p.own()
	p.fs.link(p.dir, p.name, nil)
	p.fs.notify(clean(p.rel))
	return nil
}

// Rename renames an entry, and replaces newName atomically, as rename(2) does. It does not follow
// links.
func (f *FS) Rename(oldName, newName string) error {
	from, err := f.find("rename", oldName, itself)
	if err != nil {
		return err
	}
	to, err := f.find("rename", newName, itself)
	if err != nil {
		return err
	}
	if from.entry == nil {
		return pathError("rename", oldName, fs.ErrNotExist)
	}
	switch err := renameError(from, to); {
	case err != nil:
		return pathError("rename", newName, err)
	case from.entry == to.entry:
		return nil
	}
	from.own()
	to.own()
	from.fs.link(to.dir, to.name, from.entry)
	from.fs.link(from.dir, from.name, nil)
	from.fs.renamed(from, to, f)
	from.fs.notify(clean(from.rel))
	from.fs.notify(clean(to.rel))
	return nil
}

// renameError returns the error with which Linux refuses a rename; nil if Linux allows it.
func renameError(from, to place) error {
	switch {
	case from.dir == nil || to.dir == nil || from.entry.hasMount():
		return ErrBusy
	case from.fs != to.fs:
		return ErrCrossDevice
	case !from.entry.dir && (from.slash || to.slash):
		return ErrNotDir
	case from.entry == to.entry:
		return nil
	case within(clean(to.rel), clean(from.rel)):
		return ErrInvalid
	case within(clean(from.rel), clean(to.rel)):
		return ErrNotEmpty
	case to.entry == nil:
		return nil
	case to.entry.hasMount():
		return ErrBusy
	case from.entry.dir && !to.entry.dir:
		return ErrNotDir
	case !from.entry.dir && to.entry.dir:
		return ErrIsDir
	case len(to.entry.children) > 0:
		return ErrNotEmpty
	}
	return nil
}

// link sets or replaces the entry of a name in dir; a nil entry removes the name. It journals the
// change so that a crash can undo it.
func (f *FS) link(dir *entry, name string, e *entry) {
	f.record(dir, name)
	f.relink(dir, name, e)
}

// relink does what link does, but without the journal.
func (f *FS) relink(dir *entry, name string, e *entry) {
	f.changes()
	dir.setChild(name, e)
	if e != nil && e.version == 0 {
		f.touch(e)
	}
	f.touch(dir)
}

// touch sets a new version and modification time on the entry.
func (f *FS) touch(e *entry) {
	f.version++
	e.version = f.version
	e.modUnixMs = f.w.Time().UnixMilli()
}

func isNotExist(err error) bool {
	e, ok := err.(*fs.PathError)
	return ok && e.Err == fs.ErrNotExist
}

func parts(name string) []string {
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return nil
	}
	return strings.Split(name, "/")
}
