package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/monosim/monosim/cmd/monosim/project"
	"github.com/monosim/monosim/features"
	"github.com/monosim/monosim/features/steps"
)

const (
	// featureDir is the folder whose scenarios run where no path is given.
	featureDir = "features"
	// builtin is the prefix of paths to scenarios in this binary, as
	// builtin:features/startup.feature.
	builtin = "builtin:"
)

// featureFS is a file system with the host's files. Names that begin with builtin: are files in
// this binary.
type featureFS struct{}

// Open opens a file of the host, or of the binary if the name begins with builtin:. It never tries
// the other source when a file is missing.
func (featureFS) Open(name string) (fs.File, error) {
	if inside, ok := strings.CutPrefix(name, builtin); ok {
		return openEmbedded(inside)
	}
	return os.Open(name)
}

// embeddedFS gives access to the scenarios in this binary, which are below the folder features.
type embeddedFS struct{}

func (embeddedFS) Open(name string) (fs.File, error) { return openEmbedded(name) }

func openEmbedded(name string) (fs.File, error) {
	switch inside, ok := strings.CutPrefix(name, featureDir+"/"); {
	case name == featureDir:
		return features.FS.Open(".")
	case ok:
		return features.FS.Open(inside)
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

var lineNumber = regexp.MustCompile(`:\d+$`)

// findFeatures checks that the paths exist. Without paths it returns the folder features, if there
// is a scenario in it. Scenarios of this binary run only if a path begins with builtin:.
func findFeatures(paths []string) ([]string, error) {
	if len(paths) == 0 {
		if !hasFeatures(featureDir) {
			return nil, fmt.Errorf("%s: found no such folder with a .feature file, and no path was given; want a PATH, or write a first scenario by monosim init, or take those of this binary by %s", featureDir, builtin)
		}
		return []string{featureDir}, nil
	}
	found := make([]string, len(paths))
	for i, path := range paths {
		if path == builtin {
			path += featureDir
		}
		file, err := featureFS{}.Open(lineNumber.ReplaceAllString(path, ""))
		if err != nil {
			return nil, errors.New(path + ": " + missing(path, err))
		}
		file.Close()
		found[i] = path
	}
	return found, nil
}

// missing says why a path cannot be opened, and suggests what the user may have meant.
func missing(path string, err error) string {
	if !errors.Is(err, fs.ErrNotExist) {
		return err.Error()
	}
	text := "found no such file, want a .feature file, a directory of them, or file:line"
	inside, ofBinary := strings.CutPrefix(path, builtin)
	if ofBinary {
		return text + " below " + builtin + featureDir
	}
	inside = filepath.ToSlash(filepath.Clean(inside))
	if file, err := openEmbedded(lineNumber.ReplaceAllString(inside, "")); err == nil {
		file.Close()
		text += "; this binary has " + builtin + inside
	}
	return text
}

// hasFeatures reports whether a folder has a .feature file at any depth.
func hasFeatures(dir string) bool {
	has := false
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, ".feature") {
			has = true
			return fs.SkipAll
		}
		return nil
	})
	return has
}

// ranListener records which scenarios ran, and whether each failed with any seed.
type ranListener map[project.Scenario]bool

// Begin does nothing.
func (ran ranListener) Begin(steps.Plan) error { return nil }

// Add records the result of one run. A scenario counts as failed if one of its runs failed.
func (ran ranListener) Add(r *steps.Result) error {
	one := project.Scenario{Path: r.Path, Name: r.Name}
	ran[one] = ran[one] || r.Status == steps.Failed
	return nil
}

// End does nothing.
func (ran ranListener) End(*steps.Summary) error { return nil }

// whose counts the runs of scenarios that are built into this binary.
type whose struct{ runs int }

// Begin does nothing.
func (w *whose) Begin(steps.Plan) error { return nil }

// Add counts a run.
func (w *whose) Add(r *steps.Result) error {
	if strings.HasPrefix(r.Path, builtin) {
		w.runs++
	}
	return nil
}

// End does nothing.
func (w *whose) End(*steps.Summary) error { return nil }

// of says in words how many of the given number of runs had scenarios that are built into this
// binary. It returns "" if none had.
func (w *whose) of(runs int) string {
	switch w.runs {
	case 0:
		return ""
	case runs:
		return " of this binary"
	}
	return fmt.Sprintf(", %d of this binary and %d yours", w.runs, runs-w.runs)
}
