package files

import (
	"io/fs"
	"slices"
)

// mount is a tree that covers a directory of another tree.
type mount struct {
	fs          *FS
	unavailable bool
}

// mountedAt is a path at which a tree is mounted.
type mountedAt struct {
	fs     *FS
	prefix string
}

// Mount makes another tree appear at prefix. It makes missing directories, and covers what was there. A
// mount belongs to the setup of the host and survives crashes. The root, and a path inside another
// mount, are ErrBusy.
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

// Unmount removes the tree at prefix, and what it covered appears again. Where nothing is mounted it
// returns ErrInvalid.
func (f *FS) Unmount(prefix string) error {
	prefix = clean(prefix)
	e, err := f.mountPoint("unmount", prefix)
	if err != nil {
		return err
	}
	f.changes()
	e.mount.fs.parents = slices.DeleteFunc(slices.Clone(e.mount.fs.parents), func(at mountedAt) bool {
		return at.fs == f && at.prefix == prefix
	})
	e.mount = nil
	f.notify(prefix)
	return nil
}

// SetAvailable makes the mount at prefix answer or not. While it does not, everything at or below it
// fails with ErrUnavailable. Where nothing is mounted it returns ErrInvalid.
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

// mountPoint finds the covered directory in f's own tree.
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
