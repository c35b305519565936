package machinetest

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/monosim/monosim/engine/env"
)

// World is a machine under test, on which processes run. Tests of a machine implement it.
type World interface {
	// Dir returns a directory of the machine, which is empty at the beginning.
	Dir() string
	// Program returns the path of the program with the given name in [Programs].
	Program(name string) string
	// Process runs main as the main task of a process, and waits until the process has ended. The
	// process has the directory Dir and the given environment.
	Process(environ []string, main func(e *env.Env))
}

// Program is a program that cases start. args begins with the path of the program. It returns its
// exit code.
type Program func(e *env.Env, args []string) int

// Programs maps file names to the programs that a machine must have.
var Programs = map[string]Program{"teller": tell, "ender": end, "waiter": wait, "forker": forkSome}

// Run runs all cases as subtests of t. For each case it calls start to make a new world. start
// should free the world when the test ends that is passed to it.
func Run(t *testing.T, start func(t *testing.T) World) {
	for _, c := range slices.Concat(fileCases, hostCases, processCases, forkCases) {
		t.Run(c.name, func(t *testing.T) {
			r := &trial{T: t, World: start(t)}
			ran := false
			r.Process(append([]string{"A=1"}, c.environ...), func(e *env.Env) {
				r.e = e
				c.run(r)
				ran = true
			})
			if !ran {
				t.Error("the case did not come to its end")
			}
		})
	}
}

type testCase struct {
	name    string
	environ []string
	run     func(r *trial)
}

// patience is how long a case waits for something that takes no time on an idle machine.
const patience = time.Minute

// trial is one case in one world.
type trial struct {
	*testing.T
	World
	e *env.Env
}

// must ends the case if err is not nil.
func (r *trial) must(err error) {
	r.Helper()
	if err != nil {
		r.Error(err)
		panic(err)
	}
}

// want fails the case unless got equals want.
func (r *trial) want(what string, got, want any) {
	r.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		r.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// wantErr fails the case unless err is an error about exactly this path, for the given reason. nil
// accepts any reason.
func (r *trial) wantErr(err error, path string, reason error) {
	r.Helper()
	var failed *fs.PathError
	if !errors.As(err, &failed) || failed.Path != path || reason != nil && !errors.Is(err, reason) {
		r.Errorf("got %v, want a *fs.PathError of %q around %v", err, path, reason)
	}
}

func (r *trial) write(path, text string) {
	r.Helper()
	r.must(r.e.Files.WriteFile(path, []byte(text)))
}

func (r *trial) read(path string) string {
	r.Helper()
	data, err := r.e.Files.ReadFile(path)
	r.must(err)
	return string(data)
}

// await waits until the function met returns true. It fails the case after a minute.
func (r *trial) await(what string, met func() bool) {
	r.Helper()
	for from := r.e.Clock.Elapsed(); !met(); r.e.Tasks.Sleep(5 * time.Millisecond) {
		if r.e.Clock.Elapsed()-from > patience {
			r.must(errors.New(what + " has not come"))
		}
	}
}

// awaitLines waits until a file has n complete lines, and returns its lines.
func (r *trial) awaitLines(path string, n int) (lines []string) {
	r.Helper()
	r.await("line "+path, func() bool {
		data, err := r.e.Files.ReadFile(path)
		lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		return err == nil && strings.Count(string(data), "\n") >= n
	})
	return lines
}

// start starts a program.
func (r *trial) start(cmd env.Command) env.Process {
	r.Helper()
	child, err := r.e.Processes.Start(cmd)
	r.must(err)
	return child
}

// codeOf waits for the end of a child and returns its exit code.
func (r *trial) codeOf(child env.Process) int {
	r.Helper()
	for {
		code, done := child.Poll()
		if done {
			return code
		}
		if !child.Exited().WaitFor(patience) {
			if code, done := child.Poll(); done {
				return code
			}
			r.must(errors.New("the child has not ended"))
		}
	}
}
