package machine

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
)

// forkVariable tells a program that it is a forked copy, and by which forks. Each process counts
// its forks from 1. So "2" is a copy by the second fork, and "2.1" a copy by the first fork of that
// copy.
const forkVariable = "MONOSIM_FORK"

// Fork lets a program fork, though Go has no fork. A copy of the program is started, which runs up
// to the same fork. Make it with [NewFork], once in a program.
type Fork struct {
	// Args is the command line of the copies. Empty means the command line of this program.
	Args []string
	// Run runs main in a new process of engine/walltime, with an env.Env of its own, and returns at
	// once. When main returns an exit code, the caller of Run must end the operating system process
	// with this code.
	Run func(main func(*env.Env) int)

	mu   sync.Mutex
	path []int // numbers of the forks that still lie before this copy of the process
	gone []int // numbers of the forks that led to this process
}

// NewFork reads forkVariable, which tells whether this program is a forked copy. It then removes
// the variable from the environment.
func NewFork(run func(main func(*env.Env) int)) (*Fork, error) {
	f := &Fork{Run: run}
	text, ok := os.LookupEnv(forkVariable)
	if !ok {
		return f, nil
	}
	for _, word := range strings.Split(text, ".") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%s: found %q, want numbers from 1 on with dots between; the variable is for copies of a program that forks, so unset it", forkVariable, text)
		}
		f.path = append(f.path, n)
	}
	return f, os.Unsetenv(forkVariable)
}

// Replaying reports whether the program is a copy that has not reached its fork yet. Until then it
// repeats the output of the process that forked it.
func (f *Fork) Replaying() bool { return f.replaying() }

func (f *Fork) replaying() bool {
	if f == nil {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.path) > 0
}

// Fork starts a copy of this program that runs main. In the copy, the same call of Fork runs main
// itself and does not return.
func (s *processes) Fork(main func(*env.Env) int) (env.Process, error) {
	s.m.p.Check()
	if s.fork == nil {
		return nil, fmt.Errorf("fork: this program cannot be begun anew")
	}
	s.forks++
	if s.fork.replaying() {
		return s.replay(main), nil
	}
	args := s.fork.Args
	if len(args) == 0 {
		args = os.Args
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path: self, Args: args, Dir: s.m.files.dir, Stdout: os.Stdout, Stderr: os.Stderr,
		Env: append(s.m.host.Environ(), forkVariable+"="+s.fork.to(s.forks)),
	}
	return s.begin(cmd)
}

// to returns the value of forkVariable for a copy made by this fork. It lists the numbers of the
// forks that lead to the copy.
func (f *Fork) to(fork int) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return strings.Join(lists.MapOrNil(append(f.gone, fork), strconv.Itoa), ".")
}

// replay handles a fork in a copy that has not reached its own fork. If this fork leads to the
// copy, replay runs main in a new process and ends the current one. If not, replay returns a child
// that belongs to another process.
func (s *processes) replay(main func(*env.Env) int) env.Process {
	f := s.fork
	f.mu.Lock()
	through := f.path[0] == s.forks
	if through {
		f.gone, f.path = append(f.gone, s.forks), f.path[1:]
	}
	f.mu.Unlock()
	if through {
		f.Run(main)
		s.m.p.Crash() // does not return
	}
	return elsewhere{s.m.p.NewCond("end of a process that is not a child of this one")}
}

// elsewhere is the child of a fork that a copy repeats but did not make. For the copy the child
// never ends, because the copy reaches its own fork before it could ask.
type elsewhere struct{ exited env.Cond }

func (elsewhere) Pid() int                    { return 0 }
func (elsewhere) Poll() (code int, done bool) { return 0, false }
func (e elsewhere) Exited() env.Cond          { return e.exited }
func (elsewhere) Signal(env.Signal) error     { return errFinished }

var _ env.Processes = (*processes)(nil)
