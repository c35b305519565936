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

// Directories of a cluster, below its own.
const (
	modelsDir = "models"
	podsDir   = "pods"
	logsDir   = "logs"
	// programsDir has monosim under the name of a model server.
	programsDir = "bin"
)

// uriDir is the directory below the models' that holds the files of URIs, by scheme.
const uriDir = ".store"

// disks maps paths of scenarios and pods to directories of this host.
type disks struct {
	root string
	// stores holds the first directories of the models' paths, such as "/models", which all
	// pods share.
	stores map[string]bool
}

// modelPath returns the path on this host of a model's base path.
func (d *disks) modelPath(basePath string) string {
	if scheme, rest, ok := strings.Cut(basePath, "://"); ok {
		return filepath.Join(d.root, modelsDir, uriDir, scheme, filepath.FromSlash(rest))
	}
	d.stores[top(basePath)] = true
	return filepath.Join(d.root, modelsDir, filepath.FromSlash(basePath))
}

// toHost returns the base path to write into a configuration: a path on this host; a URI
// stays as it is.
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

// podDir returns the directory that is the own disk of a pod.
func (d *disks) podDir(pod string) string { return filepath.Join(d.root, podsDir, pod) }

// podPath returns the path on this host of a file of a pod, in the shared store or on the pod's
// disk. A path that a process of the pod has found by itself is one of this host already.
func (d *disks) podPath(pod, p string) string {
	switch {
	case strings.HasPrefix(p, d.root+"/"):
		return p
	case d.stores[top(p)]:
		return filepath.Join(d.root, modelsDir, filepath.FromSlash(p))
	}
	return filepath.Join(d.podDir(pod), filepath.FromSlash(p))
}

// plain removes from a text the directories of this host, which pods of a simulation do not have,
// among them that of programs, which a pod finds by their names.
func (d *disks) plain(pod string, text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte(filepath.Join(d.root, modelsDir)), nil)
	text = bytes.ReplaceAll(text, []byte(filepath.Join(d.root, programsDir)+"/"), nil)
	if pod != "" {
		text = bytes.ReplaceAll(text, []byte(d.podDir(pod)), nil)
	}
	return text
}

// These are the files of a version; sim/files writes the same ones.
const (
	graphFile     = "saved_model.pb"
	variablesDir  = "variables"
	variablesFile = "variables.data-00000-of-00001"
	indexFile     = "variables.index"
)

// addVersion exports a version in one step, as exporters rename a finished directory. Its
// files have a size and no content.
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

// addSized makes a sparse file of a size, which takes no room on disk.
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

// write writes a file of this host and makes its directory.
func write(name string, content []byte, mode os.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return os.WriteFile(name, content, mode)
}
