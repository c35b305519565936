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

// directoryPrefix is how the names of all clusters' directories begin.
const directoryPrefix = "loopback-"

// Names of directories inside the cluster's directory.
const (
	modelsDir = "models"
	podsDir   = "pods"
	logsDir   = "logs"
	// programsDir contains monosim under the name tensorflow_model_server.
	programsDir = "bin"
)

// uriDir is the directory in modelsDir that holds the files of URIs, with one subdirectory
// for each scheme.
const uriDir = ".store"

// disks maps paths in scenarios and pods to files of this host, and reads and writes those
// files.
type disks struct {
	root string
	// files opens the cluster's directory as a root, so that no name or link leads out of it.
	files *os.Root
	// stores holds the top-level directories of all model paths, such as "/models". All pods
	// share them.
	stores map[string]bool
}

// makeDisks makes a new directory for a cluster in parent.
func makeDisks(parent string) (disks, error) {
	root, err := os.MkdirTemp(parent, directoryPrefix)
	if err == nil {
		root, err = filepath.Abs(root) // made absolute, because processes have working directories of their own
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

// ownerFile names the file that records the owner of a cluster: its process's pid and start
// time.
const ownerFile = "owner"

// own makes the directory of models and marks the cluster as owned by this process. It also ends
// the file faults that killed processes have left in clusters of the same parent directory.
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

// restoreLeft ends the file faults in a directory whose owner is gone. It skips a directory
// that it may not open.
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
		_ = left.restore() // the error is not looked at: another program may be restoring it, too
	}
}

// modelName maps a path that all pods share, such as a model's base path, to a name below
// the cluster's directory. A path that would lead out of that directory is an error.
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

// modelPath returns the path on this host for a base path, to write into a process's config.
func (d *disks) modelPath(basePath string) string {
	d.stores[top(basePath)] = true
	return filepath.Join(d.root, modelsDir, confined.Clamp(basePath))
}

// toHost returns the form of a base path to write into a config. A path becomes a path on
// this host, a URI stays as it is.
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

// podDir returns the directory on this host that stands for a pod's own disk.
func (d *disks) podDir(pod string) string { return filepath.Join(d.root, podsDir, pod) }

// below converts a path on this host to a name below the cluster's directory.
func (d *disks) below(host string) string { return strings.TrimPrefix(host, d.root+"/") }

// podPath maps a path that a pod uses to a path on this host: in the store that pods share,
// or on the pod's own disk.
func (d *disks) podPath(pod, p string) string {
	if d.stores[top(p)] {
		return d.modelPath(p)
	}
	return filepath.Join(d.podDir(pod), confined.Clamp(p))
}

// podName maps a path that a pod uses to a name below the cluster's directory. A path inside
// that directory, which a process may have found by itself, is taken as it is.
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

// plain removes directories of this host from a text, so that it looks as in a simulation.
// The directory of programs is removed as well, because a pod knows programs by their names
// alone.
func (d *disks) plain(pod string, text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte(filepath.Join(d.root, modelsDir)), nil)
	text = bytes.ReplaceAll(text, []byte(filepath.Join(d.root, programsDir)+"/"), nil)
	if pod != "" {
		text = bytes.ReplaceAll(text, []byte(d.podDir(pod)), nil)
	}
	return text
}

// Files of an exported version. sim/files writes the same files.
const (
	graphFile     = "saved_model.pb"
	variablesDir  = "variables"
	variablesFile = "variables.data-00000-of-00001"
	indexFile     = "variables.index"
)

// addVersion exports a version below a base path atomically: it renames a finished directory, as
// exporters do. The version's files have a size but no content.
func (d *disks) addVersion(basePath string, version, sizeBytes int64) error {
	dir, err := d.modelName(basePath)
	if err == nil {
		err = d.export(filepath.Join(dir, strconv.FormatInt(version, 10)), sizeBytes)
	}
	return reason(fmt.Sprintf("version %d of %s", version, basePath), err)
}

// export makes the directory of a version. It replaces a directory that exists already.
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

// temporary makes a directory with a random name beside the models.
func (d *disks) temporary(prefix string) (string, error) {
	name := filepath.Join(modelsDir, prefix+rand.Text())
	return name, d.files.Mkdir(name, 0o755)
}

// reason rewords a file error for the user: it names the scenario's object and omits
// directories of this host.
func reason(what string, err error) error {
	var file *fs.PathError
	var link *os.LinkError
	switch {
	case err == nil:
		return nil
	case confined.LeadsOut(err):
		err = errors.New("found a link that leads out of the cluster's directory, want a directory")
	case errors.As(err, &file):
		err = file.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("%s: %w", what, err)
}

// addSized makes a sparse file of the given size, which takes no space on disk.
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

// write writes a file, and makes its directory first if that is missing.
func (d *disks) write(name string, content []byte, mode os.FileMode) error {
	if err := d.files.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	return d.files.WriteFile(name, content, mode)
}

// replace writes a file atomically, because a process may read it at any time.
func (d *disks) replace(name string, content []byte) error {
	if err := d.write(name+".new", content, 0o644); err != nil {
		return err
	}
	return d.files.Rename(name+".new", name)
}
