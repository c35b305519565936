package training

import (
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

// FindMain finds the directory that contains the code base's folder monolith, from the path of one
// of its files: in a bazel run, in site-packages, or in a checkout (path_utils.py:21). A relative
// path counts from the working directory. A file in none of these is a ValueError.
//
// Cost: a search grows with the length of the path, and looks at the file system once.
func FindMain(files env.Files, file string) (string, error) {
	file = pysem.AbsPath(files.Getwd(), file)
	if main, ok := mainOf(file); ok && env.Exists(files, pysem.JoinStrings(main, "monolith")) {
		return main, nil
	}
	return "", pysem.Raise("ValueError", "Unable to find the monolith base directory. "+
		"This file directory is %s. Are you running under bazel structure?", file)
}

func mainOf(file string) (string, bool) {
	for _, marker := range []string{"__main__", "site-packages"} {
		if end := strings.LastIndex(file, "/"+marker+"/"); end >= 0 {
			return pysem.JoinStrings(file[:end], marker), true
		}
	}
	if end := strings.LastIndex(file, "/monolith/"); end >= 0 {
		return file[:end], true
	}
	return "", false
}

// LibopsPath returns the path of a library of the code base. name is its path below mainDir, the
// result of [FindMain].
func LibopsPath(mainDir, name string) string { return pysem.JoinStrings(mainDir, name) }
