package conformance

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/runners/diff/testee"
	"github.com/monosim/monosim/vectors/golden"
	"github.com/monosim/monosim/vectors/scope"
)

// Reference is the repository and commit of monolith from which vectors are recorded.
var Reference = golden.Source{Repo: "https://github.com/bytedance/monolith", Commit: "135c491a52b151772b976af989d8bc938c44d210"}

// modulePaths maps the modules outside of agent_service to their files, and python to agent_v3.py.
var modulePaths = map[string]string{
	"python":        "monolith/agent_service/agent_v3.py",
	"path_utils":    "monolith/path_utils.py",
	"mem_profiling": "monolith/common/python/mem_profiling.py",
}

// trainingModules lists the modules below native_training that need no real TensorFlow.
var trainingModules = []string{
	"net_utils", "zk_utils", "env_utils", "yarn_runtime", "mlp_utils", "service_discovery", "consul",
}

// tensorFlowModules maps modules that need the real TensorFlow to their files below
// native_training.
var tensorFlowModules = map[string]string{
	"barrier_ops": "barrier_ops", "sync_hooks": "sync_hooks", "ps_check_hooks": "hooks/ps_check_hooks", "server_lib": "hooks/server/server_lib",
	"client_lib": "hooks/server/client_lib", "controller_hooks": "hooks/controller_hooks", "ckpt_hooks": "hooks/ckpt_hooks",
	"hook_utils": "hooks/hook_utils", "session_hooks": "hooks/session_hooks", "session_run_hooks": "session_run_hooks",
	"save_utils": "save_utils", "cluster_manager": "cluster_manager", "export_state_utils": "model_export/export_state_utils",
	"monolith_utils": "../utils", "base_runner": "../base_runner", "tpu_runner": "../tpu_runner", "model_registry": "../core/model_registry", "datasets": "data/datasets",
	"nested_tensors": "nested_tensors", "prefetch_queue": "prefetch_queue",
	"runner_utils": "runner_utils", "gflags_utils": "gflags_utils", "cpu_training": "cpu_training",
	"estimator": "estimator", "hvd_lib": "hvd_lib", "distribution_utils": "distribution_utils", "export_hooks": "model_export/export_hooks",
	"saved_model_exporters": "model_export/saved_model_exporters",
}

// tensorFlow names the versions with which tensorFlowModules are recorded, as in
// runners/diff/python/requirements-tensorflow.txt.
const tensorFlow = "tensorflow 2.4.4 on Python 3.8"

// WantsTensorFlow reports whether a module is recorded with the real TensorFlow.
func WantsTensorFlow(module string) bool { return tensorFlowModules[module] != "" }

func pathOf(module string) string {
	if file, ok := tensorFlowModules[module]; ok {
		return path.Join("monolith/native_training", file+".py")
	}
	if p, ok := modulePaths[module]; ok {
		return p
	}
	if slices.Contains(trainingModules, module) {
		return "monolith/native_training/" + module + ".py"
	}
	return "monolith/agent_service/" + module + ".py"
}

// Record asks the testee all cases of the files and returns suites with its answers. It fails
// if the testee does not answer a case.
func Record(t testee.Testee, files []golden.CaseFile) ([]*golden.Suite, error) {
	quirks, err := scope.Quirks()
	if err != nil {
		return nil, err
	}
	var suites []*golden.Suite
	for _, f := range files {
		s, err := recordSuite(t, f, quirks)
		if err != nil {
			return nil, err
		}
		suites = append(suites, s)
	}
	return suites, nil
}

func recordSuite(t testee.Testee, f golden.CaseFile, quirks []scope.Quirk) (*golden.Suite, error) {
	s := &golden.Suite{Name: f.Suite, Source: Reference, Notes: map[string]string{}}
	s.Source.Path, s.Source.Symbol = pathOf(f.Suite), symbols(f)
	if WantsTensorFlow(f.Suite) {
		s.Source.With = tensorFlow
	}
	for i := range f.Inputs {
		in := &f.Inputs[i]
		c, err := CaseOf(&in.Question)
		if err != nil {
			return nil, fmt.Errorf("cases of %s: %w", f.Suite, err)
		}
		v, err := ToVector(c, t.Answer(c), in.About, in.Flags)
		if err != nil {
			return nil, err
		}
		for _, flag := range in.Flags {
			note, diverges, err := noteOf(flag, quirks)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", in.ID, err)
			}
			s.Notes[flag] = note
			if diverges {
				v.Verdict = scope.Diverge
			}
		}
		s.Cases = append(s.Cases, v)
	}
	return s, nil
}

// symbols lists the functions and methods that the cases of a file ask for, in the file's order.
func symbols(f golden.CaseFile) string {
	var list []string
	for _, in := range f.Inputs {
		_, symbol, _ := strings.Cut(in.Op, ".")
		if !slices.Contains(list, symbol) {
			list = append(list, symbol)
		}
	}
	return strings.Join(list, ", ")
}

// flagNotes explains the flags of cases that name no quirk.
var flagNotes = map[string]string{
	"drawn": "the input was drawn at random by the generator of its operation and kept",
}

// noteOf returns the explanation of a case's flag. diverges means that the flag names a quirk in
// which the port differs from the reference on purpose.
func noteOf(flag string, quirks []scope.Quirk) (note string, diverges bool, err error) {
	if note, ok := flagNotes[flag]; ok {
		return note, false, nil
	}
	for _, q := range quirks {
		if q.ID == flag {
			return q.Effect, q.Decision == scope.Diverge, nil
		}
	}
	return "", false, fmt.Errorf("found the flag %q, want a quirk of quirks.yaml or one of drawn", flag)
}
