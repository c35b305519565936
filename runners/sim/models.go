package sim

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/monosim/monosim/runners"
)

// exportedGraph is an exported sub-graph: a folder that holds one subfolder for each version.
type exportedGraph struct {
	dir string // folder below that of the models, with slashes
	runners.SubGraph
}

// readModels finds the exported graphs below a folder: every folder with at least one
// subfolder whose name is a number. The size of a graph is that of its largest version.
func readModels(root string) ([]exportedGraph, error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, fmt.Errorf("models directory %s: %w", root, reasonOf(err))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("models directory %s: found a file, want a directory of <sub_graph>/<version>/saved_model.pb", root)
	}
	byDir := map[string]*exportedGraph{}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("models directory %s: %w", path, reasonOf(err))
		}
		version, isVersion := versionOf(entry.Name())
		if path == root || !entry.IsDir() || !isVersion {
			return nil
		}
		size, err := treeSizeBytes(path)
		if err != nil {
			return err
		}
		g := addVersion(byDir, root, filepath.Dir(path), version, size)
		if !isExport(path) {
			g.Incomplete = append(g.Incomplete, version)
		}
		return fs.SkipDir
	})
	if err != nil {
		return nil, err
	}
	if len(byDir) == 0 {
		return nil, fmt.Errorf("models directory %s: found no version directory in it, want <sub_graph>/<number>/saved_model.pb", root)
	}
	graphs := make([]exportedGraph, 0, len(byDir))
	for _, g := range byDir {
		sort.Slice(g.Versions, func(i, j int) bool { return g.Versions[i] < g.Versions[j] })
		graphs = append(graphs, *g)
	}
	sort.Slice(graphs, func(i, j int) bool { return graphs[i].dir < graphs[j].dir })
	return graphs, nil
}

// isExport reports whether a version directory has a saved_model.pb or saved_model.pbtxt,
// which a model server needs to load it.
func isExport(dir string) bool {
	return slices.ContainsFunc([]string{"saved_model.pb", "saved_model.pbtxt"}, func(name string) bool {
		info, err := os.Stat(filepath.Join(dir, name))
		return err == nil && !info.IsDir()
	})
}

func addVersion(byDir map[string]*exportedGraph, root, dir string, version, sizeBytes int64) *exportedGraph {
	below, err := filepath.Rel(root, dir)
	if err != nil {
		panic(err) // cannot happen: the walk has found dir below root
	}
	g := byDir[dir]
	if g == nil {
		name := filepath.Base(dir)
		if below == "." {
			name = filepath.Base(filepath.Clean(root))
		}
		g = &exportedGraph{dir: filepath.ToSlash(below), SubGraph: runners.SubGraph{Name: name}}
		byDir[dir] = g
	}
	g.Versions = append(g.Versions, version)
	g.SizeBytes = max(g.SizeBytes, sizeBytes)
	return g
}

func versionOf(name string) (int64, bool) {
	n, err := strconv.ParseInt(name, 10, 64)
	return n, err == nil && n > 0
}

func treeSizeBytes(root string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("models directory %s: %w", path, reasonOf(err))
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		sum += info.Size()
		return nil
	})
	return sum, err
}

// reasonOf strips the path from the error of a file operation, because the caller adds the
// path itself.
func reasonOf(err error) error {
	if e, ok := err.(*fs.PathError); ok {
		return e.Err
	}
	return err
}

// modelOf returns the name of the model that a graph belongs to: the folder above it, skipping
// "exported_models" and "saved_models". For a graph right below the root it returns fallback.
func (g exportedGraph) modelOf(fallback string) string {
	parts := strings.Split(g.dir, "/")
	for i := len(parts) - 2; i >= 0; i-- {
		if parts[i] != "exported_models" && parts[i] != "saved_models" {
			return parts[i]
		}
	}
	return fallback
}
