package processes

import (
	"path"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
)

var kindExec, kindReap = vtime.NewKind("process.exec"), vtime.NewKind("process.returned")

// Exit codes that the table itself gives.
const (
	killed   = -int(env.SIGKILL)
	returned = 0
)

// Process is one running, or ended, process of a host.
type Process struct {
	table  *Table
	life   *vtime.Process
	pid    int
	args   []string
	env    []string
	dir    string
	output string // absolute path; empty discards

	hasMain  bool
	handlers map[env.Signal]func()
	code     int
	hasCode  bool // an end was decided on
	done     bool
	conds    []env.Cond // to broadcast at the end
}

// Life is the process in virtual time: its tasks, clock and choices.
func (p *Process) Life() *vtime.Process { return p.life }

// Pid is the number of the process on its host.
func (p *Process) Pid() int { return p.pid }

// Name is the base name of the program.
func (p *Process) Name() string { return path.Base(p.args[0]) }

// Args are the program and its arguments; the slice must not be changed.
func (p *Process) Args() []string { return p.args }

// Environ is the environment that it was started with, as key=value.
func (p *Process) Environ() []string { return slices.Clone(p.env) }

// SharedEnviron is Environ without the copy: it must not be changed.
func (p *Process) SharedEnviron() []string { return p.env }

// Dir is the working directory that it was started in.
func (p *Process) Dir() string { return p.dir }

// Output is the file that takes its output, empty for none.
func (p *Process) Output() string { return p.output }

// Main runs fn as the process's main thread. When fn returns the process ends, with
// all its tasks, and what it returned is the exit code; when it returns in order to rest,
// the process ends once it rests no more. A Program calls it once at most.
func (p *Process) Main(fn func() int) {
	p.hasMain = true
	p.life.Start("main", func() {
		code := fn()
		p.life.AfterRest(func() { p.Exit(code) })
	})
}

// exec runs the program. One without a main thread stays until it exits or is
// killed: without the task that waits here, its life would end with the first
// request or signal that it handles in a task.
func (p *Process) exec(program Program) {
	program(p)
	if !p.hasMain && !p.done {
		p.life.Start("main", func() { p.life.Rest("what comes", func() {}, nil) })
	}
}

// Exit ends the process at once. Called by a task of the process it does not
// return.
func (p *Process) Exit(code int) {
	p.life.Check()
	p.die(code)
}

// Print appends a line to the output file. A file that cannot be written loses
// it, as a process does not look at the result of its logging.
func (p *Process) Print(line string) {
	if p.output != "" && !p.done {
		_ = p.table.tree.AppendFile(p.output, append([]byte(line), '\n'))
	}
}

// Poll returns the exit code, and whether the process has ended; before that the code
// means nothing.
func (p *Process) Poll() (code int, done bool) { return p.code, p.done }

func (p *Process) die(code int) {
	if p.done {
		return
	}
	if !p.hasCode {
		p.code, p.hasCode = code, true
	}
	p.life.Crash()
}

// ended is called by the life: crashed, or returned from its last task.
func (p *Process) ended() {
	if !p.hasCode {
		p.code, p.hasCode = returned, true
		if p.life.Dead() {
			p.code = killed
		}
	}
	p.done = true
	if !p.life.Dead() {
		// What a process leaves behind that only returned, such as timers, ends
		// too; its last task is still on its way out.
		p.table.node.After(0, kindReap, p.life.Crash)
	}
	p.table.leave(p)
	for _, c := range p.conds {
		c.Broadcast()
	}
	p.conds = nil
}
