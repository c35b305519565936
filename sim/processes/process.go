package processes

import (
	"path"
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
)

var kindExec, kindReap = vtime.NewKind("process.exec"), vtime.NewKind("process.returned")

// These exit codes are set by the process table, not by a program.
const (
	killed   = -int(env.SIGKILL)
	returned = 0
)

// Process is one process of a host, running or ended.
type Process struct {
	table  *Table
	life   *vtime.Process
	pid    int
	args   []string
	env    []string
	dir    string
	output string // output is an absolute path; "" discards the output

	hasMain  bool
	handlers map[env.Signal]func()
	code     int
	hasCode  bool // hasCode means that code is decided
	done     bool
	conds    []env.Cond // conds are broadcast when the process ends
	running  leap.Observed
}

// Life returns the process's representation in virtual time: its tasks, clock and random choices.
func (p *Process) Life() *vtime.Process { return p.life }

// Pid returns the process's number on its host.
func (p *Process) Pid() int { return p.pid }

// Name returns the base name of the program.
func (p *Process) Name() string { return path.Base(p.args[0]) }

// Args returns the program and its arguments; the caller must not change the slice.
func (p *Process) Args() []string { return p.args }

// Environ returns the environment at the process's start, as key=value.
func (p *Process) Environ() []string { return slices.Clone(p.env) }

// SharedEnviron returns Environ's list without a copy; the caller must not change it.
func (p *Process) SharedEnviron() []string { return p.env }

// Dir returns the process's initial working directory.
func (p *Process) Dir() string { return p.dir }

// Output returns the file to which the process's output is written; "" for none.
func (p *Process) Output() string { return p.output }

// Main runs fn as the process's main thread. When fn returns, the process ends with all its tasks,
// and the result is the exit code. If fn ends in a vtime Rest, the process ends only after that
// rest. A Program calls Main at most once.
func (p *Process) Main(fn func() int) {
	p.hasMain = true
	p.life.Start("main", func() {
		code := fn()
		p.life.AfterRest(func() { p.Exit(code) })
	})
}

// exec runs the program. A process without a main thread stays until it exits or is killed: a
// resting task keeps it alive. Otherwise it would end with the first task that handles a request
// or a signal.
func (p *Process) exec(program Program) {
	program(p)
	if !p.hasMain && !p.done {
		p.life.Start("main", func() { p.life.Rest("what comes", func() {}, nil) })
	}
}

// Exit ends the process at once. If a task of the process calls it, it does not return.
func (p *Process) Exit(code int) {
	p.life.Check()
	p.die(code)
}

// Print appends a line to the output file. It ignores errors, because a process does not check
// whether its logging succeeds.
func (p *Process) Print(line string) {
	if p.output != "" && !p.done {
		_ = p.table.tree.AppendFile(p.output, append([]byte(line), '\n'))
	}
}

// Poll returns the exit code, and whether the process has ended. Before the end the code has no
// meaning.
func (p *Process) Poll() (code int, done bool) { return p.code, p.done }

// die ends the process with a code, unless it already has one.
func (p *Process) die(code int) {
	if p.done {
		return
	}
	if !p.hasCode {
		p.code, p.hasCode = code, true
	}
	p.life.Crash()
}

// ended handles the end of the process after a crash or the return of its last task. The engine of
// virtual time calls it.
func (p *Process) ended() {
	if !p.hasCode {
		p.code, p.hasCode = returned, true
		if p.life.Dead() {
			p.code = killed
		}
	}
	p.running.BeforeChange()
	p.done = true
	if !p.life.Dead() {
		// Timers of the process may remain and must end too. Its last task is still running, so the
		// crash that ends them is a separate event.
		p.table.node.After(0, kindReap, p.life.Crash)
	}
	p.table.leave(p)
	for _, c := range p.conds {
		c.Broadcast()
	}
	p.conds = nil
}
