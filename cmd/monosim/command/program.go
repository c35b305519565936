package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
)

// CollectLess makes the garbage collector run less often than by default. A simulated world has
// many small objects that live long, so collecting costs much time and frees little memory. GOGC
// in the environment overrides it.
func CollectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// FindProgram finds a program of this project in the folder of the running one, or else on PATH. If
// the program is missing, the error contains the text how, which says how to get it.
func FindProgram(name, how string) (string, error) {
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", BadInput(fmt.Errorf("found no program %s, want it beside this one or on PATH: %s", name, how))
	}
	return path, nil
}
