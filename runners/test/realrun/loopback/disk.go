package loopback

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/confined"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/process"
)

// directoryPrefix begins the names of the directories of clusters.
const directoryPrefix = "loopback-"

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

// disks maps paths of scenarios and pods to files of this host, and reaches these.
type disks struct {
	root string
	// files is the cluster's directory. Neither a name nor a link leads out of it.
	files *os.Root
	// stores holds the first directories of the models' paths, such as "/models", which all
	// pods share.
	stores map[string]bool
}

// makeDisks makes the directory of a cluster in another one.
func makeDisks(parent string) (disks, error) {
	root, err := os.MkdirTemp(parent, directoryPrefix)
	if err == nil {
		root, err = filepath.Abs(root) // processes have other working directories
	}
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return disks{}, err
	}
	return openDisks(root)
}

// openDisks opens the directory of a cluster.
func openDisks(root string) (disks, error) {
	files, err := os.OpenRoot(root)
	return disks{root: root, files: files, stores: map[string]bool{}}, err
}

// ownerFile says which process the cluster belongs to: its pid and its start time.
const ownerFile = "owner"

// own makes the directory of models, and marks the cluster as one of this process. Clusters
// beside it whose process was killed get back what faults have taken from them.
func (d *disks) own() error {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(d.root), directoryPrefix+"*", ownerFile))
	if err != nil {
		return err
	}
	for _, owner := range left {
		restoreLeft(filepath.Dir(owner))
	}
	if err := d.files.Mkdir(modelsDir, 0o755); err != nil {
		return err
	}
	return d.replace(ownerFile, fmt.Appendf(nil, "%d %s\n", os.Getpid(), process.Started(os.Getpid())))
}

// restoreLeft ends the faults of the files in a directory that no process owns any more. It
// leaves one that it may not open.
func restoreLeft(dir string) {
	left, err := openDisks(dir)
	if err != nil {
		return
	}
	defer left.files.Close()
	var pid int
	var started string
	text, err := left.files.ReadFile(ownerFile)
	if err != nil {
		return
	}
	if _, err := fmt.Sscan(string(text), &pid, &started); err == nil && !process.Runs(pid, started) {
		_ = left.restore() // somebody else may be at it
	}
}

// modelName returns the name below the cluster's directory of a model's base path, or of
// another path that all pods share. The error is about a path that would lead out of there.
func (d *disks) modelName(basePath string) (string, error) {
	scheme, rest, isURI := strings.Cut(basePath, "://")
	if !isURI {
		d.stores[top(basePath)] = true
		name, err := confined.Below(basePath)
		return filepath.Join(modelsDir, name), err
	}
	host, errOfScheme := confined.Below(scheme)
	name, err := confined.Below(rest)
	return filepath.Join(modelsDir, uriDir, host, name), cmp.Or(errOfScheme, err)
}

// modelPath returns a base path as processes of this host read it in a configuration.
func (d *disks) modelPath(basePath string) string {
	d.stores[top(basePath)] = true
	return filepath.Join(d.root, modelsDir, confined.Clamp(basePath))
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

// below returns a path of this host as a name below the cluster's directory.
func (d *disks) below(host string) string { return strings.TrimPrefix(host, d.root+"/") }

// podPath returns the path on this host of a file of a pod, in the shared store or on the pod's
// disk.
func (d *disks) podPath(pod, p string) string {
	if d.stores[top(p)] {
		return d.modelPath(p)
	}
	return filepath.Join(d.podDir(pod), confined.Clamp(p))
}

// podName returns the name of a file of a pod below the cluster's directory. A path that a
// process of the pod has found by itself is one of this host.
func (d *disks) podName(pod, p string) (string, error) {
	if found, ok := strings.CutPrefix(p, d.root+"/"); ok {
		return confined.Below(found)
	}
	if d.stores[top(p)] {
		return d.modelName(p)
	}
	name, err := confined.Below(p)
	return filepath.Join(podsDir, pod, name), err
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

// addVersion exports a version of a base path in one step, as exporters rename a finished
// directory. Its files have a size and no content.
func (d *disks) addVersion(basePath string, version, sizeBytes int64) error {
	dir, err := d.modelName(basePath)
	if err == nil {
		err = d.export(filepath.Join(dir, strconv.FormatInt(version, 10)), sizeBytes)
	}
	return reason(fmt.Sprintf("version %d of %s", version, basePath), err)
}

// export makes the directory of a version, in place of the one that is there.
func (d *disks) export(to string, sizeBytes int64) error {
	temporary, err := d.temporary(".export")
	if err != nil {
		return err
	}
	defer d.files.RemoveAll(temporary)
	whole := filepath.Join(temporary, "version")
	for file, size := range map[string]int64{graphFile: 4096, variablesDir + "/" + variablesFile: sizeBytes, variablesDir + "/" + indexFile: 512} {
		if err := d.addSized(filepath.Join(whole, file), size); err != nil {
			return err
		}
	}
	if err := d.files.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	if err := d.files.RemoveAll(to); err != nil {
		return err
	}
	return d.files.Rename(whole, to)
}

// temporary makes a directory beside the models.
func (d *disks) temporary(prefix string) (string, error) {
	name := filepath.Join(modelsDir, prefix+rand.Text())
	return name, d.files.Mkdir(name, 0o755)
}

// reason is an error of a file told as one about what scenarios know, without the directories
// of this host.
func reason(what string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &file):
		err = file.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// addSized makes a sparse file of a size, which takes no room on disk.
func (d *disks) addSized(name string, sizeBytes int64) error {
	if err := d.files.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	f, err := d.files.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Truncate(sizeBytes), f.Close())
}

// addModel makes the directories of a model.
func (d *disks) addModel(m runners.Model) error {
	for _, g := range m.SubGraphs {
		base := m.SubGraphPath(g.Name)
		if err := d.makeDir(base); err != nil {
			return err
		}
		for _, v := range g.Versions {
			if err := d.addVersion(base, v, g.SizeBytes); err != nil {
				return fmt.Errorf("export: %w", err)
			}
		}
	}
	return nil
}

// makeDir makes a directory that all pods share.
func (d *disks) makeDir(p string) error {
	name, err := d.modelName(p)
	if err == nil {
		err = d.files.MkdirAll(name, 0o755)
	}
	return reason(p, err)
}

// readFile reads a file by its path on this host.
func (d *disks) readFile(host string) ([]byte, error) { return d.files.ReadFile(d.below(host)) }

// read reads a file that all pods share.
func (d *disks) read(p string) ([]byte, error) {
	name, err := d.modelName(p)
	if err != nil {
		return nil, err
	}
	return d.files.ReadFile(name)
}

// write writes a file and makes its directory.
func (d *disks) write(name string, content []byte, mode os.FileMode) error {
	if err := d.files.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return d.files.WriteFile(name, content, mode)
}

// replace writes a file in one step, because it may be read at any time.
func (d *disks) replace(name string, content []byte) error {
	if err := d.write(name+".new", content, 0o644); err != nil {
		return err
	}
	return d.files.Rename(name+".new", name)
}
