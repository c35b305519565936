package files

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
	p.entry.mount = store
	store.parents = append(store.parents, mountedAt{fs: f, prefix: prefix})
	f.notify(prefix)
	return nil
}
