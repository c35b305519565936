package loopback

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners"
)

// Where the directories of a cluster are, below its own.
const (
	modelsDir = "models"
	podsDir   = "pods"
	logsDir   = "logs"
)

// The schemes of URIs have their files below this directory of the models.
const uriDir = ".store"

// disks are the directories of a cluster.
type disks struct {
	root string
	// stores are the first directories of the paths of models, as "/models", which all
	// pods share.
	stores map[string]bool
}

// modelPath is where a base path lies on this machine.
func (d *disks) modelPath(basePath string) string {
	if scheme, rest, ok := strings.Cut(basePath, "://"); ok {
		return filepath.Join(d.root, modelsDir, uriDir, scheme, filepath.FromSlash(rest))
	}
	d.stores[top(basePath)] = true
	return filepath.Join(d.root, modelsDir, filepath.FromSlash(basePath))
}

// toHost is what a process is told of a base path: a URI stays as it is.
func (d *disks) toHost(basePath string) string {
	if strings.Contains(basePath, "://") || !strings.HasPrefix(basePath, "/") {
		return basePath
	}
	return d.modelPath(basePath)
}

func top(p string) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(p, "/"), "/")
	return "/" + first
}

// podDir is the own disk of a pod.
func (d *disks) podDir(pod string) string { return filepath.Join(d.root, podsDir, pod) }

// podPath is where a file of a pod lies: in the store that all share or on its own disk. A
// path that a process of the pod has found by itself is that of this machine already.
func (d *disks) podPath(pod, p string) string {
	switch {
	case strings.HasPrefix(p, d.root+"/"):
		return p
	case d.stores[top(p)]:
		return filepath.Join(d.root, modelsDir, filepath.FromSlash(p))
	}
	return filepath.Join(d.podDir(pod), filepath.FromSlash(p))
}

// plain takes from a text what pods do not know of this machine's directories.
func (d *disks) plain(pod string, text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte(filepath.Join(d.root, modelsDir)), nil)
	if pod != "" {
		text = bytes.ReplaceAll(text, []byte(d.podDir(pod)), nil)
	}
	return text
}

// The files of a version (sim/files writes the same ones).
const (
	graphFile     = "saved_model.pb"
	variablesDir  = "variables"
	variablesFile = "variables.data-00000-of-00001"
	indexFile     = "variables.index"
)

// addVersion exports a version: it appears in one step, as exporters rename a finished
// one. Its files have a size and no content.
func (d *disks) addVersion(basePath string, version, sizeBytes int64) error {
	dir := d.modelPath(basePath)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	temporary, err := os.MkdirTemp(filepath.Join(d.root, modelsDir), ".export")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temporary)
	whole := filepath.Join(temporary, "version")
	if err := addSized(filepath.Join(whole, graphFile), 4096); err != nil {
		return err
	}
	if err := addSized(filepath.Join(whole, variablesDir, variablesFile), sizeBytes); err != nil {
		return err
	}
	if err := addSized(filepath.Join(whole, variablesDir, indexFile), 512); err != nil {
		return err
	}
	to := filepath.Join(dir, strconv.FormatInt(version, 10))
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	return os.Rename(whole, to)
}

// addSized makes a file of a size that takes no room.
func addSized(name string, sizeBytes int64) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := f.Truncate(sizeBytes); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// export makes the directories of a model.
func (d *disks) export(m runners.Model) error {
	for _, g := range m.SubGraphs {
		base := strings.TrimSuffix(m.BasePath, "/") + "/" + g.Name
		if err := os.MkdirAll(d.modelPath(base), 0o755); err != nil {
			return err
		}
		for _, v := range g.Versions {
			if err := d.addVersion(base, v, g.SizeBytes); err != nil {
				return fmt.Errorf("export version %d of %s: %w", v, base, err)
			}
		}
	}
	return nil
}

// write writes a file below a directory of this machine.
func write(name string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, mode)
}
