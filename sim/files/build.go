package files

import (
	"maps"
	"path"
	"slices"
	"strconv"
)

// WriteTree makes files with their parents, durably, from their contents by absolute
// path, in the order of the paths. A path that ends in a slash makes a directory. An error
// leaves what was made before it.
func (f *FS) WriteTree(contents map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		if err := f.add(name, []byte(contents[name]), int64(len(contents[name]))); err != nil {
			return err
		}
	}
	return nil
}

// AddSized makes a file and its parents, durably, that has a size but no content: a large
// file that costs no memory.
func (f *FS) AddSized(name string, sizeBytes int64) error { return f.add(name, nil, sizeBytes) }

// AddModelVersion makes the directory of one exported model version, durably and in one
// step, as exporters do: <model>/<version> with a saved_model.pb and variables of that
// size in bytes, none of which have content. model is the path of the model.
func (f *FS) AddModelVersion(model string, version int64, sizeBytes int64) error {
	dir := path.Join(model, strconv.FormatInt(version, 10))
	if err := f.MkdirAll(model); err != nil {
		return err
	}
	p, err := f.find("mkdir", dir, followed)
	if err != nil {
		return err
	}
	p.own()
	p.fs.commit()
	whole := p.fs.exported(sizeBytes)
	p.fs.relink(p.dir, p.name, whole)
	p.fs.hide(p.dir, whole, p.rel, f)
	p.fs.notify(clean(p.rel))
	return nil
}

// exported is the directory of a version. It appears in one step, as exporters
// rename a finished one.
func (f *FS) exported(sizeBytes int64) *entry {
	whole, variables := newDir(), newDir()
	whole.setChild("saved_model.pb", f.sized(4096))
	whole.setChild("variables", variables)
	variables.setChild("variables.data-00000-of-00001", f.sized(sizeBytes))
	variables.setChild("variables.index", f.sized(512))
	f.touch(variables)
	return whole
}

func (f *FS) sized(sizeBytes int64) *entry {
	e := &entry{sizeBytes: sizeBytes}
	f.touch(e)
	return e
}

func (f *FS) add(name string, data []byte, sizeBytes int64) error {
	dir := path.Dir(name) // of "/a/" it is "/a"
	if err := f.MkdirAll(dir); err != nil {
		return err
	}
	at := dir
	if name[len(name)-1] != '/' {
		at = name
		p, err := f.writable(name)
		if err != nil {
			return err
		}
		p.fs.setContent(p.entry, data, sizeBytes)
		p.fs.notify(clean(p.rel))
	}
	return f.Sync(at)
}
