// Command gen turns the .proto files below engine/proto into Go, next to their
// source. It compiles them itself and hands the result to the plugins that
// go.mod names as tools, so no protoc is needed and every machine gets the same
// bytes.
//
//	go run ./engine/proto/gen          write the files that differ, remove those without a source
//	go run ./engine/proto/gen -check   list them and exit with 1
//	go run ./engine/proto/gen -descriptors FILE
//	                                   write a FileDescriptorSet, for programs in other languages
//
// To change which plugins run look in plugin.go; how sources are found and
// compiled, compile.go; how results are compared and written, output.go.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// protoDir is the folder of the .proto files, relative to the root of the module.
const protoDir = "engine/proto"

// errStale is the error of -check if generated files are out of date.
var errStale = errors.New("generated files differ from their .proto files; run: go run ./" + protoDir + "/gen")

func main() {
	check := flag.Bool("check", false, "list generated files that differ and exit with 1, write nothing")
	descriptors := flag.String("descriptors", "", "write a FileDescriptorSet to this `file` and nothing else")
	flag.Parse()
	if err := run(context.Background(), *check, *descriptors, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// run does what the flags ask for, in the module that contains the working directory.
func run(ctx context.Context, check bool, descriptors string, out io.Writer) error {
	moduleRoot, err := findModuleRoot()
	if err != nil {
		return err
	}
	dir := filepath.Join(moduleRoot, filepath.FromSlash(protoDir))
	if descriptors != "" {
		return writeDescriptors(ctx, dir, descriptors)
	}
	return regenerate(ctx, dir, check, out)
}

// regenerate generates all files and compares them with the existing ones. It prints a line for
// each difference. With check it only reports the differences, otherwise it writes the files.
func regenerate(ctx context.Context, dir string, check bool, out io.Writer) error {
	want, err := generate(ctx, dir)
	if err != nil {
		return err
	}
	changes, err := compare(dir, want)
	if err != nil {
		return err
	}
	for _, c := range changes {
		fmt.Fprintln(out, c)
	}
	if !check {
		return apply(dir, changes)
	}
	if len(changes) > 0 {
		return errStale
	}
	return nil
}

// findModuleRoot returns the nearest directory with a go.mod, from the working directory upwards.
func findModuleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod at or above %s", start)
		}
	}
}
