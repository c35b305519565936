package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"

	"github.com/monosim/monosim/features"
)

// featureDir is the folder in which the scenarios of this binary are found where the host
// has no such file.
const featureDir = "features"

// featureFS has the files of the host and, below features, those of this binary.
type featureFS struct{}

// Open opens a path of the host, or of the binary.
func (featureFS) Open(name string) (fs.File, error) {
	file, err := os.Open(name)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	return openEmbedded(name)
}

// embeddedFS has only the scenarios of this binary.
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

// findFeatures returns where to look for the paths; without paths the scenarios of this
// binary are meant.
func findFeatures(paths []string) (fs.FS, []string, error) {
	if len(paths) == 0 {
		return embeddedFS{}, []string{featureDir}, nil
	}
	for _, path := range paths {
		name := lineNumber.ReplaceAllString(path, "")
		file, err := featureFS{}.Open(name)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: found no such file, want a .feature file, a directory of them, or file:line", path)
		}
		file.Close()
	}
	return featureFS{}, paths, nil
}
