package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
)

// CollectLess makes the collector run less often than by default. Simulated worlds are many small
// objects that live long and few that do not, so memory is cheaper than time. GOGC overrides it.
func CollectLess() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// FindProgram finds a program of this project beside the running one, else on PATH. how
// says how to get it, for the error where it is missing.
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
