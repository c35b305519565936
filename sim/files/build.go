package files

import (
	"maps"
	"path"
	"slices"
	"strconv"
)

// WriteTree creates files and their parent directories, all of them durable. contents maps absolute
// paths to file contents. The files are created in the order of the paths. A path that ends in a
// slash creates a directory. After an error the earlier files remain.
func (f *FS) WriteTree(contents map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(contents)) {
		if err := f.add(name, []byte(contents[name]), int64(len(contents[name]))); err != nil {
			return err
		}
	}
	return nil
}

// AddSized creates a file and its parents, durably. The file has a size but no content, so that a
// large one costs no memory.
func (f *FS) AddSized(name string, sizeBytes int64) error { return f.add(name, nil, sizeBytes) }

// AddModelVersion exports one model version, durably and in one step, as exporters do. It creates
// the directory <model>/<version> with a saved_model.pb and with variables of sizeBytes bytes.
// None of the files has content. model is a path.
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

// exported returns a version's complete directory, which the caller links into the tree in one
// step.
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
	dir := path.Dir(name) // parent directory; for "/a/" it is "/a" itself
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
