package files

import "io/fs"

// mount is a tree that covers a directory of another.
type mount struct {
	fs          *FS
	unavailable bool
}

// mountedAt is a place where a tree is mounted.
type mountedAt struct {
	fs     *FS
	prefix string
}

// Mount makes another tree appear at prefix; missing directories are made, and what was
// there is covered. It is part of how the host is set up, and survives crashes. The root,
// and a place inside of another mount, are ErrBusy.
func (f *FS) Mount(prefix string, store *FS) error {
	prefix = clean(prefix)
	f.commit()
	if err := f.MkdirAll(prefix); err != nil {
		return err
	}
	f.commit()
	p, err := f.find("mount", prefix, followed)
	switch {
	case err != nil:
		return err
	case p.dir == nil || p.fs != f || store == f:
		return pathError("mount", prefix, ErrBusy)
	}
	prefix = clean(p.path)
	p.own()
	f.changes()
	p.entry.mount = &mount{fs: store}
	store.parents = append(store.parents, mountedAt{fs: f, prefix: prefix})
	f.notify(prefix)
	return nil
}

// Unmount takes the tree at prefix away; what it covered is there again. Where nothing is
// mounted it is ErrInvalid.
func (f *FS) Unmount(prefix string) error {
	prefix = clean(prefix)
	e, err := f.mountPoint("unmount", prefix)
	if err != nil {
		return err
	}
	f.changes()
	parents := e.mount.fs.parents
	for i, at := range parents {
		if at.fs == f && at.prefix == prefix {
			e.mount.fs.parents = append(parents[:i:i], parents[i+1:]...)
			break
		}
	}
	e.mount = nil
	f.notify(prefix)
	return nil
}

// SetAvailable makes the mount at prefix answer, or not: while it does not, all that is
// done at or below it fails with ErrUnavailable. Where nothing is mounted it is
// ErrInvalid.
func (f *FS) SetAvailable(prefix string, available bool) error {
	prefix = clean(prefix)
	e, err := f.mountPoint("mount", prefix)
	if err != nil {
		return err
	}
	if e.mount.unavailable == available {
		f.changes()
		e.mount.unavailable = !available
		f.notify(prefix)
	}
	return nil
}

// mountPoint finds the covered directory in the FS's own tree.
func (f *FS) mountPoint(op, prefix string) (*entry, error) {
	e := f.root
	for _, part := range parts(prefix) {
		if e = e.child(part); e == nil {
			return nil, pathError(op, prefix, fs.ErrNotExist)
		}
	}
	if e.mount == nil {
		return nil, pathError(op, prefix, ErrInvalid)
	}
	return e, nil
}
