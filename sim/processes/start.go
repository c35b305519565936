package processes

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// ErrNotAProgram means that the file is not a registered program (ENOEXEC).
var ErrNotAProgram = errors.New("exec format error")

// defaultPath is searched if the environment has no PATH.
const defaultPath = "/usr/local/bin:/usr/bin:/bin"

// Start starts a program on behalf of the engine, not of a process. Without cmd.Env the environment
// is empty, and without cmd.Dir the working directory is the root. An error is an *fs.PathError
// that Python's Popen would report as FileNotFoundError or PermissionError.
func (t *Table) Start(cmd env.Command) (*Process, error) {
	cmd.Dir = cmp.Or(cmd.Dir, "/")
	if len(cmd.Args) == 0 {
		return nil, &fs.PathError{Op: "exec", Err: files.ErrInvalid}
	}
	if err := t.checkDir(cmd.Dir); err != nil {
		return nil, err
	}
	program, err := t.lookUp(cmd)
	if err != nil {
		return nil, err
	}
	output, err := t.openOutput(cmd)
	if err != nil {
		return nil, err
	}
	name := path.Base(cmd.Args[0])
	p := t.newProcess(t.node.NewProcess(name))
	p.args, p.env = cmd.Args, t.environ(cmd.Env)
	p.dir, p.output = path.Clean(cmd.Dir), output
	t.begin(p, program)
	return p, nil
}

// environ returns a list equal to vars for a process to keep. If a running process has an equal
// list, it returns that list to save memory; otherwise a copy.
func (t *Table) environ(vars []string) []string {
	for _, p := range t.running {
		if len(vars) > 0 && slices.Equal(p.env, vars) {
			return p.env
		}
	}
	return slices.Clone(vars)
}

// fork starts a process that runs main and inherits its arguments and output from parent.
func (t *Table) fork(parent *Process, environ []string, dir string, main func(*env.Env) int) *Process {
	p := t.newProcess(t.node.NewProcess(parent.Name()))
	p.args, p.env = parent.args, environ
	p.dir, p.output = dir, parent.output
	t.begin(p, func(p *Process) {
		e := t.env(p)
		p.Main(func() int { return main(e) })
	})
	return p
}

// begin adds a process to the table and schedules its program as an event.
func (t *Table) begin(p *Process, program Program) {
	t.enter(p)
	p.life.Schedule(t.node.World().Now(), kindExec, vtime.Func(func() { p.exec(program) }), uint64(p.pid))
}

func (t *Table) checkDir(dir string) error {
	info, err := t.tree.Stat(dir)
	switch {
	case err != nil:
		return reason("chdir", dir, err)
	case !info.Dir:
		return &fs.PathError{Op: "chdir", Path: dir, Err: files.ErrNotDir}
	}
	return nil
}

// lookUp returns the program of a command: by its path if the name has a slash, else by searching
// PATH.
func (t *Table) lookUp(cmd env.Command) (Program, error) {
	name := cmd.Args[0]
	var candidates []string
	if strings.Contains(name, "/") {
		candidates = []string{absolute(cmd.Dir, name)}
	} else if name != "" {
		for _, dir := range strings.Split(pathOf(cmd.Env), ":") {
			candidates = append(candidates, path.Join(absolute(cmd.Dir, dir), name))
		}
	}
	last := error(fs.ErrNotExist)
	for _, file := range candidates {
		info, err := t.tree.Stat(file)
		switch {
		case err != nil:
			last = err
			continue
		case info.Dir:
			last = fs.ErrPermission
			continue
		}
		at := t.programAt(path.Base(file))
		if at < 0 {
			return nil, &fs.PathError{Op: "exec", Path: name, Err: ErrNotAProgram}
		}
		return t.programs[at].run, nil
	}
	return nil, reason("exec", name, last)
}

func pathOf(environ []string) string {
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			return value
		}
	}
	return defaultPath
}

// openOutput creates or truncates the output file, and returns its absolute path.
func (t *Table) openOutput(cmd env.Command) (string, error) {
	if cmd.Output == "" {
		return "", nil
	}
	file := absolute(cmd.Dir, cmd.Output)
	open := t.tree.WriteFile
	if cmd.Append {
		open = t.tree.AppendFile
	}
	if err := open(file, nil); err != nil {
		return "", reason("open", cmd.Output, err)
	}
	return file, nil
}

func absolute(dir, name string) string {
	if strings.HasPrefix(name, "/") {
		return name
	}
	return path.Join(dir, name)
}

// reason replaces the path in an error of the file tree by the path that the caller gave.
func reason(op, name string, err error) error {
	if e, ok := err.(*fs.PathError); ok {
		err = e.Err
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
