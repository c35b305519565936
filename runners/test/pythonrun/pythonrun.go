// Package pythonrun runs clusters whose agents are the reference's own: its AgentV1 and
// AgentV3 with their replica manager and backends, unmodified, as processes on the
// loopback, with the same ZooKeeper and model servers as in runners/test/realrun/loopback. Of
// model servers without an agent it has the one that the reference has: its FakeTFServing.
//
// Two things to use first:
//
//   - [New] makes the runners.Runner, named "python", from a checkout of the reference and
//     an interpreter that has runners/diff/python/requirements.txt.
//   - [Options] names both.
//
// What cannot be installed is supplied from outside, as for recorded cases: the finder, the
// protos and the stand-ins of runners/diff/python.
//
// To change:
//
//   - how the agent's module is loaded: agent.py
//   - the fake model server: fake.py
//   - how time passes faster: clock.py
//   - what a pod's host is: host.py
//   - which scenarios are unsupported: supported.go
//
// Unstable: any commit may change it.
package pythonrun

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/diff/python"
	"github.com/monosim/monosim/runners/test/agentrun"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// Options names the reference's checkout and interpreter, and describes the clusters.
type Options struct {
	// Source is the path of a checkout of the reference. "" stands for the value of MONOLITH_SRC.
	Source string
	// Python is the interpreter. "" stands for the value of PYTHON, or else python3.
	Python string
	// Loopback describes everything but the agents. Its Name and Agent are ignored. Its
	// TimeScale is at least 0.1, because gRPC's back-off cannot be faster (clock.py).
	Loopback loopback.Options
}

// Runner builds clusters whose agents are the reference's Python program. New returns one.
type Runner struct {
	*loopback.Runner
	options Options
	// minor is the version of the interpreter, as "3.11".
	minor string
}

// Name is "python".
const Name = "python"

// FastestTimeScale is the smallest time scale: one cluster second takes at least 0.1 s of
// wall time.
const FastestTimeScale = 0.1

// New makes a runner. Its error says what is missing: the checkout, the interpreter, or a
// Python package.
func New(o Options) (*Runner, error) {
	if o.Source == "" {
		o.Source = os.Getenv("MONOLITH_SRC")
	}
	if o.Python == "" {
		o.Python = os.Getenv("PYTHON")
	}
	o.Python = cmp.Or(o.Python, "python3")
	if scale := o.Loopback.TimeScale; scale != 0 && scale < FastestTimeScale {
		return nil, fmt.Errorf("time scale: found %g, want %g at least: gRPC's back-off cannot be faster", scale, FastestTimeScale)
	}
	minor, err := check(&o)
	if err != nil {
		return nil, err
	}
	r := &Runner{options: o, minor: minor}
	o.Loopback.Name, o.Loopback.Agent, o.Loopback.Fake = Name, r.Program, r.fake
	r.Runner = loopback.New(o.Loopback)
	return r, nil
}

//go:embed *.py
var launcher embed.FS

// Clock holds the file clock.py, which makes time pass faster in a Python process.
//
//go:embed clock.py
var Clock embed.FS

// Program returns the program of a pod's agent: the launcher, unpacked on the pod's disk.
func (r *Runner) Program(c loopback.Container) (loopback.Program, error) {
	return r.program(c, "agent.py", agentrun.Flags(c))
}

// fake returns the program of the reference's fake model server.
func (r *Runner) fake(c loopback.Container) (loopback.Program, error) {
	p, err := r.program(c, "fake.py", c.Flags)
	p.Env = append(p.Env, "MONOSIM_SERVERS="+c.Servers)
	return p, err
}

// program returns the program that runs one of the launcher's Python scripts.
func (r *Runner) program(c loopback.Container, script string, flags []string) (loopback.Program, error) {
	dir := filepath.Join(c.Dir, "launcher")
	for _, files := range []fs.FS{launcher, python.Sources} {
		if err := Unpack(files, dir); err != nil {
			return loopback.Program{}, fmt.Errorf("unpack the launcher: %w", err)
		}
	}
	// if the scenario sets the variable too, its value comes later and wins
	env := []string{"PYTHONHASHSEED=" + agentrun.Seed(c)}
	env = append(append(env, c.Env...), agentrun.Variables(c)...)
	env = append(env, "MONOLITH_SRC="+r.options.Source, "PYTHONDONTWRITEBYTECODE=1", "PYTHONUNBUFFERED=1")
	return loopback.Program{
		Args:  append([]string{r.options.Python, filepath.Join(dir, script)}, flags...),
		Env:   env,
		Dir:   filepath.Join(c.Home, "bin"),
		Ready: agentrun.ReadyFile(c),
	}, nil
}

// Unpack writes files below a directory and overwrites those that exist.
func Unpack(files fs.FS, dir string) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err != nil || d.IsDir() {
			return errors.Join(err, os.MkdirAll(to, 0o755))
		}
		data, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, data, 0o644)
	})
}

var _ runners.Runner = (*Runner)(nil)
