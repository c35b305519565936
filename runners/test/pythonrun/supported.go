package pythonrun

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/agentrun"
)

// modules lists the Python modules that the reference's agent imports and that the launcher
// does not replace.
const modules = "absl, dataclasses_json, google.protobuf, grpc, kazoo, six"

// check checks the checkout and the interpreter, makes their paths absolute, and returns
// the interpreter's version.
func check(o *Options) (minor string, err error) {
	if o.Source == "" {
		return "", errors.New("found no MONOLITH_SRC, want it to name a checkout of bytedance/monolith")
	}
	agent := filepath.Join(o.Source, "monolith", "agent_service", "agent.py")
	if _, err := os.Stat(agent); err != nil {
		return "", fmt.Errorf("MONOLITH_SRC: %w; want a checkout of bytedance/monolith", err)
	}
	if o.Source, err = filepath.Abs(o.Source); err != nil {
		return "", err
	}
	path, err := exec.LookPath(o.Python)
	if err != nil {
		return "", fmt.Errorf("the reference's interpreter: %w; PYTHON names another", err)
	}
	if o.Python, err = filepath.Abs(path); err != nil {
		return "", err
	}
	out, err := exec.Command(o.Python, "-c", "import "+modules+", sys; print('%d.%d' % sys.version_info[:2])").CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		said := lines[len(lines)-1]
		if said == "" {
			said = err.Error()
		}
		return "", fmt.Errorf("%s: %s; want a Python with what runners/diff/python/requirements.txt lists, which PYTHON names", o.Python, said)
	}
	return strings.TrimSpace(string(out)), nil
}

// Build makes a cluster in which only ZooKeeper has started. It returns
// runners.ErrUnsupported for a spec that repairs quirks of the agents, or that wants another
// Python version than the interpreter's.
func (r *Runner) Build(spec runners.Spec) (runners.Cluster, error) {
	if err := agentrun.Kept(spec); err != nil {
		return nil, err
	}
	if spec.Python != "" && spec.Python != r.minor {
		return nil, fmt.Errorf("agents on Python %s, and the interpreter is %s: %w", spec.Python, r.minor, runners.ErrUnsupported)
	}
	return r.Runner.Build(spec)
}
