package loopback

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
)

// ExportVersion adds a version directory of sizeBytes below a base path.
func (c *Cluster) ExportVersion(basePath string, version, sizeBytes int64) error {
	return c.disks.addVersion(basePath, version, sizeBytes)
}

// Versions returns the versions below a base path, in ascending order. A base path that is absent
// has none.
func (c *Cluster) Versions(basePath string) ([]int64, error) {
	names, err := c.StoredNames(basePath)
	var versions []int64
	for _, name := range names {
		if version, err := strconv.ParseInt(name, 10, 64); err == nil {
			versions = append(versions, version)
		}
	}
	slices.Sort(versions)
	return versions, reason(basePath, err)
}

// DeleteVersion removes a version directory, or the whole base path for version 0. It
// renames the directory first, so that readers lose all of its files at once.
func (c *Cluster) DeleteVersion(basePath string, version int64) error {
	dir, err := c.disks.modelName(basePath)
	if err != nil {
		return err
	}
	if version != 0 {
		dir = filepath.Join(dir, strconv.FormatInt(version, 10))
	}
	gone, err := c.disks.temporary(".deleted")
	if err == nil {
		err = c.disks.files.Rename(dir, filepath.Join(gone, "version"))
		defer c.disks.files.RemoveAll(gone)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return reason(basePath, err)
}

// StartPod starts a pod that has ended.
func (c *Cluster) StartPod(pod string) error {
	p, err := c.findPod(pod)
	if err != nil {
		return err
	}
	if err := p.start(); err != nil || p.bare == nil {
		return err
	}
	return p.awaitServer() // the pod's process has to serve before it can be called
}
