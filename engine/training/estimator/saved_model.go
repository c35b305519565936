package estimator

import (
	"cmp"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/training/session"
)

// SavedModelDir returns the directory that import_saved_model reads (estimator.py:571-584). This is
// the path itself if its name is a number, otherwise the highest version below it. A directory
// without versions raises a RuntimeError.
func SavedModelDir(f env.Files, path string) (string, error) {
	if pysem.IsNumeric(pysem.Basename(path)) {
		return path, nil
	}
	names, err := f.ReadDir(path)
	if err != nil {
		return "", session.FileError(path, err)
	}
	var versions []int
	for _, name := range names {
		if !pysem.IsNumeric(name) {
			continue
		}
		n, err := pysem.ParseInt(name)
		if err != nil {
			return "", err
		}
		versions = append(versions, pysem.Saturate(pysem.Int(n)))
	}
	if len(versions) == 0 {
		return "", pysem.Raise("RuntimeError", "no models in dir %s", path)
	}
	return pysem.JoinStrings(path, pysem.Str(slices.MaxFunc(versions, cmp.Compare))), nil
}
