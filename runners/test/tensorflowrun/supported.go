package tensorflowrun

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/runners"
)

// modules lists the Python modules that the processes import and that the launcher does not
// replace.
const modules = "absl, dataclasses_json, google.protobuf, grpc, kazoo, tensorflow, tensorflow_estimator"

// check checks the checkout and the interpreter, and makes their paths absolute.
func check(o *Options) error {
	if o.Source == "" {
		return errors.New("found no MONOLITH_SRC, want it to name a checkout of bytedance/monolith")
	}
	if o.Python == "" {
		return errors.New("found no TENSORFLOW_PYTHON, want it to name a Python 3.8 with what runners/diff/python/requirements-tensorflow.txt lists")
	}
	training := filepath.Join(o.Source, "monolith", "native_training", "cpu_training.py")
	if _, err := os.Stat(training); err != nil {
		return fmt.Errorf("MONOLITH_SRC: %w; want a checkout of bytedance/monolith", err)
	}
	var err error
	if o.Source, err = filepath.Abs(o.Source); err != nil {
		return err
	}
	path, err := exec.LookPath(o.Python)
	if err != nil {
		return fmt.Errorf("TENSORFLOW_PYTHON: %w", err)
	}
	if o.Python, err = filepath.Abs(path); err != nil {
		return err
	}
	cmd := exec.Command(o.Python, "-c", "import "+modules)
	cmd.Env = append(os.Environ(), "TF_CPP_MIN_LOG_LEVEL=3")
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s: %s; want what runners/diff/python/requirements-tensorflow.txt lists", o.Python, lines[len(lines)-1])
	}
	return nil
}

// Build makes a cluster in which ZooKeeper has started and the Python interpreters are
// loaded. It returns a *runners.BackendError for a spec without a training job, or for one
// that the reference cannot run without its own TensorFlow operations. A comparison then
// counts the scenario with that reason.
func (r *Runner) Build(spec runners.Spec) (runners.Cluster, error) {
	if why := unsupported(spec); why != "" {
		return nil, &runners.BackendError{Reason: why}
	}
	return r.Runner.Build(spec)
}

// unsupported says why a spec cannot be built. It returns "" if it can.
func unsupported(spec runners.Spec) string {
	job := spec.Training
	switch {
	case job == nil:
		return "nothing of it is TensorFlow's: it has no training job"
	case spec.Quirks != "" && spec.Quirks != "python":
		return "the reference keeps all of its quirks"
	case job.ApplicationMaster:
		return "the application master is one of the simulation"
	case job.Evaluator:
		return "an evaluator runs on TPU"
	case job.ExportDir != "":
		return "an export is of the graphs of the reference's own operations"
	case job.DefectivePSBarrier:
		return "the service of PS is the Rust port's"
	case job.Discovery == cluster.DiscoveryMLP:
		return "all processes of MLP listen on one port, and on one machine they cannot"
	case job.ClearNN:
		return "which variables are the model's is known of the reference's own graph"
	}
	return ""
}
