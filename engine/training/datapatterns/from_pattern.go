package datapatterns

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/tfrecord"
	"github.com/monosim/monosim/engine/training/session"
)

// FromPattern lists files as the Rust port's data set of TFRecords does (tfrecord.rs, TRN-4.9): those
// of a list with commas, or, behind an @, of the lines of a file but for empty ones and those that
// begin with a #. An entry with one of *?[{ is a glob, in which ** is any directories. What is not
// there is left out; the rest is sorted, each once. When nothing is left that is a NotFoundError.
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

// comparePaths orders paths part by part, as the Rust port's set of paths does.
func comparePaths(a, b string) int {
	return slices.Compare(strings.Split(a, "/"), strings.Split(b, "/"))
}

// entriesOf returns the entries of a pattern.
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

// glob finds files part by part.
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

// below returns the paths in a directory whose name matches a part of a glob.
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
	var found []string
	for _, name := range names(f, directory) {
		if pysem.Fnmatch(name, part) {
			found = append(found, pysem.JoinStrings(directory, name))
		}
	}
	return found
}

// names returns those in a directory, none where there is no such directory.
func names(f env.Files, directory string) []string {
	if directory == "" {
		directory = "."
	}
	list, err := f.ReadDir(directory)
	if err != nil {
		return nil
	}
	return list
}

// directories returns all that are below a directory.
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

// Records reads the records of files one after the other. A record is good until the next. Damage
// ends the reading of its file with an error that names it, behind the records before it; the files
// after it follow.
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
