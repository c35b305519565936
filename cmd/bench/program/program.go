// Package program builds monosim for the benches that start it, so that each measures the tree
// that it lies in. [Build] does it; package servers uses it to start servers, package tables to
// run clusters of growing size.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds monosim into a folder of its own, which remove deletes. It has to be called in
// the root of the repository.
func Build() (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "monosim-bench")
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.RemoveAll(dir) }
	path = filepath.Join(dir, "monosim")
	if output, err := exec.Command("go", "build", "-o", path, "./cmd/monosim").CombinedOutput(); err != nil {
		remove()
		return "", nil, fmt.Errorf("build monosim: %w\n%s", err, output)
	}
	return path, remove, nil
}
