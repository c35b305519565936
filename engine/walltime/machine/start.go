package machine

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"github.com/monosim/monosim/engine/env"
)

// errInvalid is the error of a command without arguments.
var errInvalid = errors.New("invalid argument")

// processes implements env.Processes for one process.
type processes struct {
	m       *Machine
	outlive bool
	fork    *Fork

	mu       sync.Mutex // guards handlers and signals, because signals arrive on goroutines of their own
	handlers map[env.Signal]func()
	signals  chan os.Signal
	forks    int // number of forks made so far
}

// Start starts a program with an empty standard input. No other task may write to its output file.
func (s *processes) Start(cmd env.Command) (env.Process, error) {
	s.m.p.Check()
	if s.fork.replaying() {
		panic("machine: a program starts " + strings.Join(cmd.Args, " ") + " before it forks, so that a forked copy of it would start it again")
	}
	if len(cmd.Args) == 0 {
		return nil, &fs.PathError{Op: "exec", Err: errInvalid}
	}
	if cmd.Env == nil {
		cmd.Env = s.m.host.Environ()
	}
	cmd.Dir = s.m.files.inside(cmd.Dir)
	if _, err := directory(cmd.Dir); err != nil {
		return nil, asNamed("chdir", cmd.Dir, err)
	}
	program, err := lookUp(cmd)
	if err != nil {
		return nil, err
	}
	output, err := s.openOutput(cmd)
	if err != nil {
		return nil, err
	}
	child := &exec.Cmd{Path: program, Args: cmd.Args, Env: cmd.Env, Dir: cmd.Dir, Stdout: os.Stdout, Stderr: os.Stderr}
	if !cmd.InheritOutput {
		child.Stdout, child.Stderr = nil, nil
		if output != nil {
			child.Stdout, child.Stderr = output, output
		}
	}
	started, err := s.begin(child)
	if output != nil {
		err = errors.Join(err, output.Close())
	}
	if err != nil {
		return nil, asNamed("exec", cmd.Args[0], err)
	}
	return started, nil
}

// inside returns a path relative to the process's working directory as an absolute path. The empty
// path means that directory.
func (f *files) inside(name string) string {
	if name == "" {
		return f.dir
	}
	return f.abs(name)
}

// lookUp finds the program of a command, as Python's Popen does. A name with a slash is its path.
// Other names are searched along the PATH in the new program's environment.
func lookUp(cmd env.Command) (string, error) {
	name := cmd.Args[0]
	absolute := func(base, name string) string {
		if filepath.IsAbs(name) {
			return name
		}
		return base + string(filepath.Separator) + name
	}
	var candidates []string
	switch {
	case strings.Contains(name, "/"):
		candidates = []string{absolute(cmd.Dir, name)}
	case name != "":
		for _, dir := range filepath.SplitList(pathOf(cmd.Env)) {
			candidates = append(candidates, filepath.Join(absolute(cmd.Dir, dir), name))
		}
	}
	last := error(fs.ErrNotExist)
	for _, file := range candidates {
		info, err := os.Stat(file)
		switch {
		case err != nil:
			last = err
		case info.IsDir() || !executable(info):
			last = fs.ErrPermission
		default:
			return file, nil
		}
	}
	return "", asNamed("exec", name, last)
}

// defaultPath is the search path if the environment has no PATH (Python's os.defpath).
const defaultPath = "/bin:/usr/bin"

func pathOf(environ []string) string {
	path := defaultPath
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = value
		}
	}
	return path
}

// openOutput creates or empties the output file of a command. The starting process opens the file,
// so a relative path counts from the directory of that process.
func (s *processes) openOutput(cmd env.Command) (*os.File, error) {
	if cmd.Output == "" {
		return nil, nil
	}
	mode := os.O_TRUNC
	if cmd.Append {
		mode = os.O_APPEND
	}
	tree, at := s.m.files.in(s.m.files.abs(cmd.Output))
	file, err := tree.OpenFile(at, os.O_WRONLY|os.O_CREATE|mode, fileMode)
	if err != nil {
		return nil, asNamed("open", cmd.Output, err)
	}
	return file, nil
}

// begin starts a child process, and waits in the background to record its end.
func (s *processes) begin(cmd *exec.Cmd) (env.Process, error) {
	if !s.outlive {
		dieWithParent(cmd)
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &child{s: s, process: cmd.Process, exited: s.m.p.NewCond("end of " + filepath.Base(cmd.Args[0]))}
	go func() {
		_ = cmd.Wait() // the error is not looked at, because the process state has it
		c.end(exitCode(cmd.ProcessState))
	}()
	return c, nil
}

// child is a started process.
type child struct {
	s       *processes
	process *os.Process
	exited  env.Cond

	mu   sync.Mutex
	code int
	done bool
}

func (c *child) end(code int) {
	c.mu.Lock()
	c.code, c.done = code, true
	c.mu.Unlock()
	c.exited.Broadcast()
}

func (c *child) Pid() int { return c.process.Pid }

func (c *child) Poll() (code int, done bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.code, c.done
}

func (c *child) Exited() env.Cond { return c.exited }

var _ env.Process = (*child)(nil)
