package files

import "slices"

// Freeze makes reads of files and directories at or below a path fail with ErrIO until Thaw. The
// path need not exist yet.
func (f *FS) Freeze(name string) {
	name = clean(name)
	if !slices.Contains(f.frozen, name) {
		f.changes()
		f.frozen = append(f.frozen, name)
		f.notify(name)
	}
}

// Thaw ends a Freeze of the same path.
func (f *FS) Thaw(name string) {
	name = clean(name)
	if i := slices.Index(f.frozen, name); i >= 0 {
		f.changes()
		f.frozen = slices.Delete(f.frozen, i, i+1)
		f.notify(name)
	}
}

func (f *FS) isFrozen(name string) bool {
	if len(f.frozen) == 0 {
		return false
	}
	name = clean(name)
	return slices.ContainsFunc(f.frozen, func(top string) bool { return within(name, top) })
}
