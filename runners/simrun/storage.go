package simrun

import (
	"fmt"
	"path"
	"strconv"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/files"
)

// aside is where what a fault hides is kept.
func aside(dir string) string { return "/.aside" + dir }

// FailStorage begins a fault of a base path.
func (c *Cluster) FailStorage(basePath string, fault runners.StorageFault) error {
	fs, dir := c.world.StoreOf(basePath)
	switch fault {
	case runners.PathMissing:
		if err := fs.MkdirAll(path.Dir(aside(dir))); err != nil {
			return err
		}
		return fs.Rename(dir, aside(dir))
	case runners.ListsNothing:
		return moveChildren(fs, dir, aside(dir))
	}
	fs.Freeze(dir)
	return nil
}

// HealStorage ends it.
func (c *Cluster) HealStorage(basePath string, fault runners.StorageFault) error {
	fs, dir := c.world.StoreOf(basePath)
	switch fault {
	case runners.PathMissing:
		return fs.Rename(aside(dir), dir)
	case runners.ListsNothing:
		return moveChildren(fs, aside(dir), dir)
	}
	fs.Thaw(dir)
	return nil
}

func moveChildren(fs *files.FS, from, to string) error {
	if err := fs.MkdirAll(to); err != nil {
		return err
	}
	names, err := fs.ReadDir(from)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := fs.Rename(path.Join(from, name), path.Join(to, name)); err != nil {
			return err
		}
	}
	return nil
}

// ExportWithout writes a version that needs its variables, but for one part.
func (c *Cluster) ExportWithout(basePath string, version, sizeBytes int64, part runners.VersionPart) error {
	if part == runners.GraphPart {
		return c.exportPart(basePath, version, sizeBytes, runners.VariablesPart)
	}
	return c.exportPart(basePath, version, sizeBytes, runners.GraphPart)
}

// ExportRest writes that part.
func (c *Cluster) ExportRest(basePath string, version, sizeBytes int64, part runners.VersionPart) error {
	return c.exportPart(basePath, version, sizeBytes, part)
}

func (c *Cluster) exportPart(basePath string, version, sizeBytes int64, part runners.VersionPart) error {
	fs, base := c.world.StoreOf(basePath)
	dir := path.Join(base, strconv.FormatInt(version, 10))
	switch part {
	case runners.GraphPart:
		return fs.WriteTree(map[string]string{dir + "/saved_model.pb": `{"variables": ["w"]}`})
	case runners.VariablesPart:
		return fs.AddSized(dir+"/variables/variables.data-00000-of-00001", sizeBytes)
	}
	return fmt.Errorf("part of a version: found %d, want the graph or the variables", part)
}

var _ runners.Storage = (*Cluster)(nil)
