package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/monosim/monosim/engine/wholefile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/descriptorpb"
)

// generatedSuffix ends the name of every generated file.
const generatedSuffix = ".pb.go"

// change is one generated file that has to be written or removed.
type change struct {
	path    string // relative to the .proto root, slash-separated
	content []byte // nil: the file has no source any more
}

// String says whether the file has to be written or removed.
func (c change) String() string {
	if c.content == nil {
		return "remove " + c.path
	}
	return "write " + c.path
}

// compare returns the differences between the files below dir and the wanted files, sorted by path.
func compare(dir string, want map[string][]byte) ([]change, error) {
	paths, err := findFiles(dir, generatedSuffix)
	if err != nil {
		return nil, err
	}
	for path := range want {
		paths = append(paths, path)
	}
	slices.Sort(paths)

	var changes []change
	for _, path := range slices.Compact(paths) {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		content, wanted := want[path]
		if err == nil && wanted && bytes.Equal(got, content) {
			continue
		}
		changes = append(changes, change{path: path, content: content})
	}
	return changes, nil
}

// apply makes the changes below dir.
func apply(dir string, changes []change) error {
	for _, c := range changes {
		path := filepath.Join(dir, filepath.FromSlash(c.path))
		if c.content == nil {
			if err := os.Remove(path); err != nil {
				return err
			}
			continue
		}
		if err := wholefile.Write(path, c.content); err != nil {
			return err
		}
	}
	return nil
}

// writeDescriptors writes the compiled files below dir as a FileDescriptorSet. It leaves out
// comments and positions, which no reader needs, so that a changed comment does not change the
// file.
func writeDescriptors(ctx context.Context, dir, path string) error {
	_, descriptors, err := compile(ctx, dir)
	if err != nil {
		return err
	}
	for _, file := range descriptors {
		file.SourceCodeInfo = nil
	}
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(&descriptorpb.FileDescriptorSet{File: descriptors})
	if err != nil {
		return err
	}
	return wholefile.Write(path, content)
}
