package main

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/bufbuild/protocompile"
	"github.com/bufbuild/protocompile/linker"
	"github.com/bufbuild/protocompile/protoutil"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"
)

// findFiles lists the files below dir whose name ends in suffix, as
// slash-separated paths relative to dir, in lexical order.
func findFiles(dir, suffix string) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, suffix) {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		paths = append(paths, filepath.ToSlash(rel))
		return err
	})
	return paths, err
}

// compile compiles every .proto file below dir. It returns their import paths, and the descriptors
// of all files and of their imports. Imports come first, as plugins require. Comments are kept for
// the generated Go code.
func compile(ctx context.Context, dir string) (sources []string, descriptors []*descriptorpb.FileDescriptorProto, err error) {
	sources, err = findFiles(dir, ".proto")
	if err != nil {
		return nil, nil, err
	}
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{ImportPaths: []string{dir}}),
		SourceInfoMode: protocompile.SourceInfoStandard,
	}
	files, err := compiler.Compile(ctx, sources...)
	if err != nil {
		return nil, nil, fmt.Errorf("compile %s: %w", dir, err)
	}
	return sources, importsFirst(files), nil
}

// importsFirst lists the files and their imports, each once and after all files that it imports.
func importsFirst(files linker.Files) []*descriptorpb.FileDescriptorProto {
	var ordered []*descriptorpb.FileDescriptorProto
	seen := map[string]bool{}
	var visit func(protoreflect.FileDescriptor)
	visit = func(file protoreflect.FileDescriptor) {
		if seen[file.Path()] {
			return
		}
		seen[file.Path()] = true
		imports := file.Imports()
		for i := range imports.Len() {
			visit(imports.Get(i).FileDescriptor)
		}
		ordered = append(ordered, protoutil.ProtoFromFileDescriptor(file))
	}
	for _, file := range files {
		visit(file)
	}
	return ordered
}
