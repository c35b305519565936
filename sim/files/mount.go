package files

// mountedAt is a path in another tree at which this tree is mounted.
type mountedAt struct {
	fs     *FS
	prefix string
}

// Mount mounts another tree at prefix. It creates missing directories, and covers existing
// content. A mount belongs to the setup of the host and survives crashes. The error for the root,
// and for a path inside another mount, is ErrBusy.
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
