// Package program builds monosim for the benches that start it, so that a bench measures the
// sources of the checkout in which it runs.
//
// Two things to know first: [Build] makes the program, and returns a function that deletes it
// again. Package servers starts the program as servers, package tables runs it with clusters of
// growing size.
//
// To change how it is built: program.go, the only file.
//
// Unstable: any commit may change it.
package program

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build builds monosim into a new folder, which remove deletes. Call it in the root of the
// repository.
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
