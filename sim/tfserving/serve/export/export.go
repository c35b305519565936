// Package export writes versions of models to a disk, for tests and benchmarks of model servers.
//
// Two things to use first:
//
//   - [Version] exports a saved_model.pb: a real one, such as savedmodel.Small makes, or any other
//     content.
//   - [File] exports another file as a version.
//
// A version appears in one step, because exporters rename a finished directory: a poll sees all of
// it or nothing. To change what a model contains: package savedmodel.
//
// Unstable: any commit may change it.
package export

import (
	"os"
	"path/filepath"
	"strconv"
)

// Version writes model to the file saved_model.pb of a version below base. It creates base and the
// version's directory if needed. If the version's directory exists, the file is added to it.
func Version(base string, version int64, model []byte) error {
	return File(filepath.Join(base, strconv.FormatInt(version, 10), "saved_model.pb"), model)
}

// File writes data to path, as a version that consists of this one file. The version appears in one
// step, so no server sees half of it.
func File(path string, data []byte) error {
	dir, name := filepath.Split(path)
	dir = filepath.Clean(dir)
	base := filepath.Dir(dir)
	if err := os.MkdirAll(base, 0o755); err != nil {
		return err
	}
	// The staging directory is on the same file system, so a rename moves it. It is beside the base
	// path, where no server looks for versions.
	staging, err := os.MkdirTemp(filepath.Dir(base), "export")
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	export := filepath.Join(staging, "export")
	if err := os.Mkdir(export, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(export, name), data, 0o644); err != nil {
		return err
	}
	if _, err := os.Stat(dir); err == nil {
		return os.Rename(filepath.Join(export, name), path)
	}
	return os.Rename(export, dir)
}
