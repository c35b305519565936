package datapatterns

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/engine/training/session"
)

// FromPattern lists files as the Rust port's TFRecord data set does (tfrecord.rs, TRN-4.9). The
// pattern is a comma-separated list, or an @ followed by the name of a file with one entry per
// line. Empty lines and lines that begin with # are skipped. An entry with one of *?[{ is a glob,
// in which ** matches any directories. Missing files are left out. The result is sorted without
// duplicates. An empty result raises a NotFoundError.
func FromPattern(f env.Files, pattern string) ([]string, error) {
	var found []string
	entries, err := entriesOf(f, pattern)
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		switch {
		case strings.ContainsAny(entry, "*?[{"):
			found = append(found, glob(f, entry)...)
		case env.Exists(f, entry):
			found = append(found, entry)
		}
	}
	if len(found) == 0 {
		return nil, session.Raise("NotFoundError", "No files matched pattern: %s", pattern)
	}
	slices.SortFunc(found, comparePaths)
	return slices.Compact(found), nil
}

// comparePaths compares paths name by name, as the Rust port's ordered set does.
func comparePaths(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// entriesOf returns the entries of a list with commas. If the pattern begins with @, the rest of it
// is the path of a file with one entry a line.
func entriesOf(f env.Files, pattern string) ([]string, error) {
	list, isFile := strings.CutPrefix(pattern, "@")
	separator, comment := ",", "\x00"
	if isFile {
		data, err := f.ReadFile(list)
		if err != nil {
			return nil, fmt.Errorf("file list %s: %w", list, session.FileError(list, err))
		}
		if list, err = pysem.DecodeUTF8(data); err != nil {
			return nil, fmt.Errorf("file list %s: %w", strings.TrimPrefix(pattern, "@"), err)
		}
		separator, comment = "\n", "#"
	}
	var entries []string
	for entry := range strings.SplitSeq(list, separator) {
		if entry = strings.TrimSpace(entry); entry != "" && !strings.HasPrefix(entry, comment) {
			entries = append(entries, entry)
		}
	}
	return entries, nil
}

// glob returns the files that match a glob. It expands the glob directory by directory.
func glob(f env.Files, pattern string) []string {
	found := []string{""}
	parts := strings.Split(pattern, "/")
	if parts[0] == "" {
		found, parts = []string{"/"}, parts[1:]
	}
	for _, part := range parts {
		var next []string
		for _, directory := range found {
			next = append(next, below(f, directory, part)...)
		}
		slices.Sort(next)
		found = slices.Compact(next)
	}
	return found
}

// below returns the paths in a directory whose names match one component of a glob.
func below(f env.Files, directory, part string) []string {
	if part == "**" {
		return append([]string{directory}, directories(f, directory)...)
	}
	if !strings.ContainsAny(part, "*?[") {
		if path := pysem.JoinStrings(directory, part); env.Exists(f, path) {
			return []string{path}
		}
		return nil
	}
	return lists.Select(names(f, directory), func(name string) (string, bool) {
		return pysem.JoinStrings(directory, name), pysem.Fnmatch(name, part)
	})
}

// names returns the names in a directory, or none if the directory is missing.
func names(f env.Files, directory string) []string {
	directory = cmp.Or(directory, ".")
	list, err := f.ReadDir(directory)
	if err != nil {
		return nil
	}
	return list
}

// directories returns all directories below a directory.
func directories(f env.Files, directory string) []string {
	var found []string
	for _, name := range names(f, directory) {
		path := pysem.JoinStrings(directory, name)
		if info, err := env.Lstat(f, path); err == nil && info.Dir {
			found = append(append(found, path), directories(f, path)...)
		}
	}
	return found
}

// Records iterates over the records of the files, one file after another. A record is valid until
// the next one. A damaged file yields the records before the damage and then an error that names
// the file. The following files are still read.
func Records(f env.Files, paths []string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, path := range paths {
			if !recordsOf(f, path, yield) {
				return
			}
		}
	}
}

func recordsOf(f env.Files, path string, yield func([]byte, error) bool) bool {
	content, err := env.ReadShared(f, path)
	if err != nil {
		return yield(nil, session.FileError(path, err))
	}
	for r := tfrecord.NewReader(bytes.NewReader(content)); ; {
		record, err := r.Next()
		switch {
		case errors.Is(err, io.EOF):
			return true
		case err != nil:
			return yield(nil, fmt.Errorf("%s: %w", path, err))
		case !yield(record, nil):
			return false
		}
	}
}
