package loopback

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
)

// ExportVersion adds a version directory of sizeBytes below a base path.
func (c *Cluster) ExportVersion(basePath string, version, sizeBytes int64) error {
	return c.disks.addVersion(basePath, version, sizeBytes)
}

// DeleteVersion removes a version directory, for version 0 the whole base path. It renames
// the directory first, so that readers lose all of its files at once.
func (c *Cluster) DeleteVersion(basePath string, version int64) error {
	dir := c.disks.modelPath(basePath)
	if version != 0 {
		dir = filepath.Join(dir, strconv.FormatInt(version, 10))
	}
	gone, err := os.MkdirTemp(filepath.Join(c.disks.root, modelsDir), ".deleted")
	if err != nil {
		return err
	}
	defer os.RemoveAll(gone)
	err = os.Rename(dir, filepath.Join(gone, "version"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
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
