package processes

import (
	"io/fs"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

// View returns the env.Processes of a running process. environ and getwd return its present
// environment and working directory, which children inherit.
func (t *Table) View(life *vtime.Process, environ func() []string, getwd func() string) env.Processes {
	return &view{p: t.Of(life), environ: environ, getwd: getwd}
}

type view struct {
	p       *Process
	environ func() []string
	getwd   func() string
}

// Start starts a program as a child of this process.
func (v *view) Start(cmd env.Command) (env.Process, error) {
	v.p.life.Acts()
	if cmd.Env == nil {
		cmd.Env = v.environ()
	}
	if cmd.Dir == "" {
		cmd.Dir = v.getwd()
	} else {
		cmd.Dir = absolute(v.getwd(), cmd.Dir)
	}
	// The parent opens the file, so a relative path starts at the parent's directory.
	output := cmd.Output
	if output != "" {
		cmd.Output = absolute(v.getwd(), output)
	}
	p, err := v.p.table.Start(cmd)
	if failed, ok := err.(*fs.PathError); ok && failed.Op == "open" {
		failed.Path = output
	}
	if err != nil {
		return nil, err
	}
	if cmd.InheritOutput {
		p.output = v.p.output
	}
	return &child{Process: p, parent: v.p.life}, nil
}

// Fork starts a copy of this process that runs main. The result of main is the exit code.
func (v *view) Fork(main func(*env.Env) int) (env.Process, error) {
	v.p.life.Acts()
	p := v.p.table.fork(v.p, v.environ(), v.getwd(), main)
	return &child{Process: p, parent: v.p.life}, nil
}

// Pid returns this process's number.
func (v *view) Pid() int { return v.p.pid }

// Exit ends this process at once; it does not return.
func (v *view) Exit(code int) { v.p.Exit(code) }

// Notify sets the handler of a signal to this process, and replaces an earlier one.
func (v *view) Notify(sig env.Signal, handler func()) { v.p.Notify(sig, handler) }

type child struct {
	*Process
	parent *vtime.Process
	exited env.Cond
}

// Exited returns a condition that tasks of the parent can wait for. It is broadcast when the child
// ends.
func (c *child) Exited() env.Cond {
	if c.exited == nil {
		c.exited = c.parent.NewCond("end of " + c.Name())
		if !c.done {
			c.conds = append(c.conds, c.exited)
		}
	}
	return c.exited
}

// Poll does what Process.Poll does. It also records that the parent's present turn depends on
// whether the child runs.
func (c *child) Poll() (code int, done bool) {
	leap.Depend(c.parent, &c.running)
	return c.Process.Poll()
}

// Signal sends a signal to the child. For an ended child it returns ErrFinished.
func (c *child) Signal(sig env.Signal) error {
	c.parent.Acts()
	return c.Process.Signal(sig)
}
