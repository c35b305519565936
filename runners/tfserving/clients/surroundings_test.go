package clients_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/test/realrun"
)

// program is a process that runs the agents' code on the real machine, one step after another.
type program struct {
	t   *testing.T
	w   *walltime.World
	p   *walltime.Process
	e   *env.Env
	log *testLog
}

// startProgram starts a process with the given environment variables. It ends with the test.
func startProgram(t *testing.T, variables map[string]string) *program {
	t.Helper()
	w := walltime.New(walltime.Config{Seed: 1})
	t.Cleanup(w.Close)
	p := w.NewProcess("host", "program")
	network := realrun.NewNetwork(p, realrun.Options{})
	log := &testLog{t: t}
	e := &env.Env{
		Clock: p, Tasks: p, Random: p, Log: log,
		Host: realHost{vars: variables}, Files: realFiles{dir: t.TempDir()}, Processes: &realProcesses{p: p},
		Network: network, Models: realrun.ModelServers{Network: network},
	}
	p.Go("main", func() { p.NewCond("the end").Wait() }) // waits for ever, because a process ends with its last task
	return &program{t, w, p, e, log}
}

// do runs fn as a task and waits for its end.
func (p *program) do(fn func()) {
	p.t.Helper()
	done, ended := make(chan struct{}), false
	p.p.Go("step", func() {
		defer close(done)
		fn()
		ended = true
	})
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		p.t.Fatalf("a step has not ended after %v", patience)
	}
	if !ended {
		p.w.Close()
		p.t.Fatalf("a step has panicked: %v", p.w.Err())
	}
}

// testLog passes the agents' log lines on to the test's log, and keeps them.
type testLog struct {
	t     *testing.T
	mu    sync.Mutex
	lines []string
}

func (l *testLog) Enabled(env.Level) bool { return true }

func (l *testLog) Logf(level env.Level, format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	l.t.Log(level, line)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// count returns how many log lines begin with the given text.
func (l *testLog) count(beginning string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.lines {
		if strings.HasPrefix(line, beginning) {
			n++
		}
	}
	return n
}

// realHost implements only the methods of env.Host that the tested code calls. The others
// panic.
type realHost struct {
	env.Host
	vars map[string]string
}

func (h realHost) LookupEnv(key string) (string, bool) { v, ok := h.vars[key]; return v, ok }
func (h realHost) Setenv(key, value string)            { h.vars[key] = value }
func (h realHost) Unsetenv(key string)                 { delete(h.vars, key) }
func (h realHost) Hostname() string                    { return "localhost" }
func (h realHost) LookupIP() (string, error)           { return "127.0.0.1", nil }
func (h realHost) LookupIPv6() (string, error)         { return "", errors.New("none") }
func (h realHost) RouteIP() (string, error)            { return "", errors.New("none") }

func (h realHost) FreePort() int {
	ports, err := process.FreePorts(1)
	if err != nil {
		panic(err)
	}
	return ports[0]
}

// realFiles reads and writes files of the machine. It implements only the methods that the
// tested code calls.
type realFiles struct {
	env.Files
	dir string
}

func (realFiles) ReadFile(path string) ([]byte, error)     { return os.ReadFile(path) }
func (realFiles) WriteFile(path string, data []byte) error { return os.WriteFile(path, data, 0o644) }
func (realFiles) Remove(path string) error                 { return os.Remove(path) }

func (realFiles) Stat(path string) (env.FileInfo, error) {
	info, err := os.Stat(path)
	if err != nil {
		return env.FileInfo{}, err
	}
	return env.FileInfo{Name: info.Name(), SizeBytes: info.Size(), Dir: info.IsDir(), ModTimeUnixMs: info.ModTime().UnixMilli()}, nil
}

func (realFiles) ReadDir(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(names)
	return names, err
}

func (realFiles) Getwd() string {
	dir, err := os.Getwd()
	if err != nil {
		panic(err)
	}
	return dir
}

func (f realFiles) TempFile() string {
	file, err := os.CreateTemp(f.dir, "temp")
	if err != nil {
		panic(err)
	}
	defer file.Close()
	return file.Name()
}

// realProcesses starts programs of the machine. They are killed when the process ends, if
// not before.
type realProcesses struct {
	env.Processes
	p *walltime.Process
}

func (r *realProcesses) Notify(env.Signal, func()) {} // nothing to do: nobody sends a signal to a test

func (r *realProcesses) Start(c env.Command) (env.Process, error) {
	cmd := exec.CommandContext(r.p.Context(), c.Args[0], c.Args[1:]...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if c.Output != "" {
		output, err := os.Create(c.Output)
		if err != nil {
			return nil, err
		}
		defer output.Close()
		cmd.Stdout, cmd.Stderr = output, output
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	child := &realProcess{cmd: cmd, exited: r.p.NewCond("the end of a child"), waited: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // the error is not looked at: the state says how the process ended
		close(child.waited)
		r.p.Post("child has ended", child.exited.Broadcast)
	}()
	return child, nil
}

// realProcess is a child.
type realProcess struct {
	cmd    *exec.Cmd
	exited env.Cond
	waited chan struct{}
}

func (p *realProcess) Pid() int         { return p.cmd.Process.Pid }
func (p *realProcess) Exited() env.Cond { return p.exited }

func (p *realProcess) Poll() (code int, done bool) {
	select {
	case <-p.waited:
	default:
		return 0, false
	}
	if code = p.cmd.ProcessState.ExitCode(); code < 0 {
		code = -int(env.SIGKILL) // no other signal is sent to it
	}
	return code, true
}

func (p *realProcess) Signal(env.Signal) error { return p.cmd.Process.Kill() }
