package scaffold

import (
	"cmp"
	_ "embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"golang.org/x/mod/modfile"
)

// monosim is the path of the module that a written one requires.
const monosim = "github.com/monosim/monosim"

//go:embed module/cluster_test.go.txt
var clusterTest []byte

// moduleFiles returns the files of a Go module in a directory. It takes monosim from a clone,
// and lists what that requires, so that it builds as it is, without `go mod tidy`.
func moduleFiles(dir, source string) ([]File, error) {
	if source == "" {
		source = builtIn()
	}
	if source == "" {
		return nil, fmt.Errorf("--source: found none, want the directory of a clone of monosim")
	}
	source, err := filepath.Abs(source)
	if err != nil {
		return nil, err
	}
	theirs, err := readModule(source)
	if err != nil {
		return nil, err
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	mod, err := requiring(theirs, modulePath(filepath.Base(dir)), filepath.ToSlash(source))
	if err != nil {
		return nil, err
	}
	feature, err := project.ReadFile(path.Join(projectRoot, firstFeature))
	return []File{
		{Name: "go.mod", Text: mod}, {Name: "go.sum", Text: sums},
		{Name: "cluster_test.go", Text: clusterTest}, {Name: firstFeature, Text: feature},
	}, err
}

// builtIn returns the root of the clone that this program was built in, or "" where it is
// gone, or the program was built without paths.
func builtIn() string {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..", "..")
	if !filepath.IsAbs(file) {
		return ""
	}
	if _, err := readModule(root); err != nil {
		return ""
	}
	return root
}

// readModule reads the go.mod of a clone of monosim.
func readModule(source string) (*modfile.File, error) {
	name := filepath.Join(source, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("--source: %w, want the directory of a clone of monosim", err)
	}
	mod, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, err
	}
	if mod.Module == nil || mod.Module.Mod.Path != monosim {
		return nil, fmt.Errorf("--source: %s is not of module %s, want the directory of a clone of it", name, monosim)
	}
	return mod, nil
}

// requiring returns the go.mod of a module that takes monosim from a clone.
func requiring(theirs *modfile.File, name, source string) ([]byte, error) {
	mod := &modfile.File{}
	if err := mod.AddModuleStmt(name); err != nil {
		return nil, err
	}
	if err := mod.AddGoStmt(theirs.Go.Version); err != nil {
		return nil, err
	}
	mod.AddNewRequire(monosim, "v0.0.0", false)
	for _, r := range theirs.Require {
		mod.AddNewRequire(r.Mod.Path, r.Mod.Version, true)
	}
	if err := mod.AddReplace(monosim, "", source, ""); err != nil {
		return nil, err
	}
	mod.Cleanup()
	text, err := mod.Format()
	if err != nil {
		return nil, err
	}
	comment := "// A clone of monosim; a path relative to this file will do, too.\nreplace "
	return []byte(strings.Replace(string(text), "replace ", comment, 1)), nil
}

var notInPaths = regexp.MustCompile(`[^A-Za-z0-9_-]+`)

// modulePath returns the path of a module in a directory with that name.
func modulePath(name string) string {
	name = cmp.Or(strings.Trim(notInPaths.ReplaceAllString(name, "-"), "-"), "cluster")
	return "example.com/" + name
}
