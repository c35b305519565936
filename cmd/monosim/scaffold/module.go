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

// monosim is the module path of this project, which a generated module requires.
const monosim = "github.com/monosim/monosim"

//go:embed module/cluster_test.go.txt
var clusterTest []byte

// moduleFiles returns the files of a Go module for the folder dir. The module uses the clone of
// monosim in source, and its go.mod lists all that monosim requires. So it builds at once, without
// `go mod tidy`.
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

// builtIn returns the root of the clone in which this program was built. It returns "" if that
// clone is gone, or if the program was built without file paths.
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

// readModule reads the go.mod of the clone of monosim in the folder source.
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

// requiring returns the text of a go.mod that uses the clone of monosim in source.
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

// modulePath derives a module path from the name of a folder.
func modulePath(name string) string {
	name = cmp.Or(strings.Trim(notInPaths.ReplaceAllString(name, "-"), "-"), "cluster")
	return "example.com/" + name
}
