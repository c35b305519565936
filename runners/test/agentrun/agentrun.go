// Package agentrun runs clusters whose agents are a command of the user's, in any language:
// each pod's agent is that command, as a process on the loopback, with the same ZooKeeper and
// model servers as in runners/test/realrun/loopback. What the command gets and what is wanted
// of it is runners/diff/testee/AGENT.md.
//
// Two things to use first:
//
//   - [New] makes the runners.Runner, named "agent", from a command line.
//   - [Options] has that line, and says whether the agent waits to begin.
//
// To change:
//
//   - what the command gets: [Flags] and [Variables], and with them AGENT.md
//   - which scenarios are unsupported: [Kept]
//   - an agent that was written from AGENT.md alone: testdata/agent.mjs
//
// Unstable: any commit may change it.
package agentrun

import (
	"errors"
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/realrun/loopback"
)

// Options names the command and describes the clusters.
type Options struct {
	// Command is a shell command that starts an agent, such as "node agent.mjs" or "env A=b
	// ./my-agent". It runs in the working directory of this program, with the agent's flags
	// appended.
	Command string
	// Waits says that the agent creates the file MONOSIM_READY once it is loaded, and starts its
	// work when it reads a line from standard input. Such an agent is launched before its pod
	// starts, so that loading it costs no cluster time.
	Waits bool
	// Loopback describes everything but the agents. Its Name and Agent are ignored.
	Loopback loopback.Options
}

// Runner builds clusters whose agents are started by the command in Options. New returns one.
type Runner struct{ *loopback.Runner }

// Name is "agent".
const Name = "agent"

// New makes a runner. Its error says what is wrong with the command.
func New(o Options) (*Runner, error) {
	if strings.TrimSpace(o.Command) == "" {
		return nil, errors.New("found no command for the agents, want one as --agent './my-agent'")
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	o.Loopback.Name = Name
	o.Loopback.Agent = func(c loopback.Container) (loopback.Program, error) { return program(o, dir, c), nil }
	return &Runner{loopback.New(o.Loopback)}, nil
}

// Build makes a cluster in which only ZooKeeper has started. It returns
// runners.ErrUnsupported for a spec that no implementation of the reference's agent can
// satisfy.
func (r *Runner) Build(spec runners.Spec) (runners.Cluster, error) {
	if err := Kept(spec); err != nil {
		return nil, err
	}
	if spec.Python != "" {
		return nil, fmt.Errorf("agents on Python %s: %w", spec.Python, runners.ErrUnsupported)
	}
	return r.Runner.Build(spec)
}

// ReadsLess returns true, so that fewer reads than in the simulation are no difference. An agent in
// another language has a ZooKeeper client of its own, which may cache what it has read.
func (r *Runner) ReadsLess() bool { return true }

// Kept returns an error for a spec that only this project can run: one that repairs quirks of the
// agents, or one that has a training job.
func Kept(spec runners.Spec) error {
	switch spec.Quirks {
	case "", "python", "Q25=fork", "python,Q25=fork":
	default:
		return fmt.Errorf("the reference keeps all of its quirks, not %s: %w", spec.Quirks, runners.ErrUnsupported)
	}
	if spec.Training != nil {
		return fmt.Errorf("the reference's training needs its own build of TensorFlow: %w", runners.ErrUnsupported)
	}
	return nil
}

// program returns the program that starts an agent's process. The shell replaces itself by
// the command (exec), so that signals reach the agent.
func program(o Options, dir string, c loopback.Container) loopback.Program {
	p := loopback.Program{
		Args: append([]string{"/bin/sh", "-c", "exec " + o.Command + ` "$@"`, "agent"}, Flags(c)...),
		Env:  append(inherited(c.Env), Variables(c)...),
		Dir:  dir,
	}
	if o.Waits {
		p.Ready = ReadyFile(c)
	}
	return p
}

// Flags returns the flags for a pod's agent, the same that the reference's agent.py takes.
func Flags(c loopback.Container) []string {
	return []string{"--conf=" + c.Conf, "--tfs_log=" + filepath.Join(c.Dir, "var", "log", "tfs.std.log")}
}

// ReadyFile returns the path of the file that an agent creates once it is loaded, see
// [Options].Waits.
func ReadyFile(c loopback.Container) string { return filepath.Join(c.Dir, "agent.ready") }

// Variables returns the environment variables, as key=value, that an agent gets in addition
// to those of the reference's containers.
func Variables(c loopback.Container) []string {
	list := []string{
		"MONOSIM_POD=" + c.Name,
		"MONOSIM_IP=" + c.IP,
		"MONOSIM_HOME=" + c.Home,
		"MONOSIM_READY=" + ReadyFile(c),
		"MONOSIM_SPEED=" + strconv.FormatFloat(1/c.TimeScale, 'g', -1, 64),
		"MONOSIM_SEED=" + Seed(c),
	}
	if strings.HasSuffix(c.Quirks, "Q25=fork") {
		list = append(list, "MONOSIM_LATEST_ONCE=1")
	}
	return list
}

// Seed derives a number from the run's seed and the pod's name, in the range of Python's
// hash seed. Equal inputs give equal numbers.
func Seed(c loopback.Container) string {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s", c.Seed, c.Name)
	return strconv.FormatUint(uint64(h.Sum32()), 10)
}

// fromHere lists the environment variables that are passed on from this program, because a
// command needs them to find its own programs and modules.
var fromHere = []string{"PATH", "HOME", "LANG"}

// inherited returns a pod's environment in which this program's values of fromHere replace
// the pod's.
func inherited(env []string) []string {
	here := lists.Filter(lists.Map(fromHere, func(key string) string { return key + "=" + os.Getenv(key) }),
		func(line string) bool { return !strings.HasSuffix(line, "=") })
	return append(slices.DeleteFunc(slices.Clone(env), func(line string) bool {
		return slices.ContainsFunc(here, func(h string) bool {
			key, _, _ := strings.Cut(h, "=")
			return strings.HasPrefix(line, key+"=")
		})
	}), here...)
}

var (
	_ runners.Runner  = (*Runner)(nil)
	_ runners.Thrifty = (*Runner)(nil)
)
