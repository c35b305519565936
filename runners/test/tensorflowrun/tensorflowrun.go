// Package tensorflowrun runs training jobs on TensorFlow itself: chief, workers and PS are processes
// of a stock TensorFlow 2.4.4 that run the reference's distributed_train with its own modules, beside
// the ZooKeeper and the Consul of runners/test/realrun/loopback. Only the model is a toy, because the
// reference's hash tables are operations in C++; its variables are where the reference's are.
//
// Two things to use first:
//
//   - [New] makes the runners.Runner, named "tensorflow", from a checkout of the reference and an
//     interpreter that has runners/diff/python/requirements-tensorflow.txt.
//   - [Options] names both.
//
// To change:
//
//   - what a process does, and what it tells: trainer.py
//   - the model, where its variables are, and the hooks: graph.py
//   - which jobs are unsupported: supported.go
//
// Unstable: any commit may change it.
package tensorflowrun

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/diff/python"
	"github.com/monosim/monosim/runners/test/pythonrun"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// Options names the reference's checkout and interpreter, and describes the clusters.
type Options struct {
	// Source is the path of a checkout of the reference. "" stands for the value of MONOLITH_SRC.
	Source string
	// Python is the interpreter. "" stands for the value of TENSORFLOW_PYTHON.
	Python string
	// Loopback describes everything but the job's processes. Its Name and Trainer are ignored.
	// Its TimeScale is at least [pythonrun.FastestTimeScale], the limit of gRPC. Waits inside
	// TensorFlow's C++ code are not scaled.
	Loopback loopback.Options
}

// Runner builds clusters whose training jobs run the reference on real TensorFlow. New makes
// it.
type Runner struct {
	*loopback.Runner
	options Options
}

// Name is "tensorflow".
const Name = "tensorflow"

// New makes a runner. Its error says what is missing: the checkout, the interpreter, or a Python
// package.
func New(o Options) (*Runner, error) {
	o.Source = cmp.Or(o.Source, os.Getenv("MONOLITH_SRC"))
	o.Python = cmp.Or(o.Python, os.Getenv("TENSORFLOW_PYTHON"))
	if scale := o.Loopback.TimeScale; scale != 0 && scale < pythonrun.FastestTimeScale {
		return nil, fmt.Errorf("time scale: found %g, want %g at least: gRPC's back-off cannot be faster", scale, pythonrun.FastestTimeScale)
	}
	if err := check(&o); err != nil {
		return nil, err
	}
	r := &Runner{options: o}
	o.Loopback.Name, o.Loopback.Trainer = Name, r.program
	r.Runner = loopback.New(o.Loopback)
	return r, nil
}

//go:embed *.py
var launcher embed.FS

// process is the description of a process that the launcher trainer.py reads, as JSON.
type process struct {
	Role      string               `json:"role"`
	Index     int                  `json:"index"`
	IP        string               `json:"ip"`
	ZooKeeper string               `json:"zookeeper"`
	Events    string               `json:"events"`
	Variables string               `json:"variables"`
	Speed     float64              `json:"speed"`
	Job       runners.TrainingSpec `json:"job"`
}

// program returns the program of a training process: the launcher, unpacked to the process's
// disk.
func (r *Runner) program(c loopback.TrainerContainer) (loopback.Program, error) {
	dir := filepath.Join(c.Dir, "launcher")
	for _, files := range []fs.FS{launcher, python.Sources, pythonrun.Clock} {
		if err := pythonrun.Unpack(files, dir); err != nil {
			return loopback.Program{}, fmt.Errorf("unpack the launcher: %w", err)
		}
	}
	text, err := json.Marshal(process{
		Role: c.Role, Index: c.Index, IP: c.IP, ZooKeeper: c.ZooKeeper, Events: c.Events, Variables: c.Variables, Speed: 1 / c.TimeScale, Job: c.Job,
	})
	if err != nil {
		return loopback.Program{}, err
	}
	file, ready := filepath.Join(c.Dir, "job.json"), filepath.Join(c.Dir, "trainer.ready")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return loopback.Program{}, err
	}
	env := append(placed(c.Env), "MONOLITH_SRC="+r.options.Source, "MONOSIM_READY="+ready, "GRPC_FAIL_FAST="+strconv.FormatBool(*c.Job.FailFast),
		"CUDA_VISIBLE_DEVICES=", "TF_CPP_MIN_LOG_LEVEL=1", "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1")
	return loopback.Program{Args: []string{r.options.Python, filepath.Join(dir, "trainer.py"), file}, Env: env, Dir: c.Dir, Ready: ready}, nil
}

var placeOfAll = regexp.MustCompile(`127\.(\d+)\.(\d+)\.(\d+):2222`)

// placed gives each process in TF_CONFIG a port of its own instead of their common port.
// TensorFlow's server listens on all addresses of the machine, so equal ports would collide.
func placed(env []string) []string {
	list := make([]string, len(env))
	for i, variable := range env {
		list[i] = placeOfAll.ReplaceAllStringFunc(variable, func(place string) string {
			m := placeOfAll.FindStringSubmatch(place)
			at := 0
			for _, octet := range m[1:] {
				n, _ := strconv.Atoi(octet)
				at = at*256 + n
			}
			return fmt.Sprintf("127.%s.%s.%s:%d", m[1], m[2], m[3], 10000+at%20000)
		})
	}
	return list
}

var _ runners.Runner = (*Runner)(nil)
