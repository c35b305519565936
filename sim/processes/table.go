package processes

import (
	"slices"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/files"
)

// firstPid is the pid of a host's first process. Lower pids belong to processes that every
// container has.
const firstPid = 100

// Program is the code of an executable file. It is called once for each process, in an event of
// its own, and must not wait. It calls Process.Main, or sets up callbacks and calls Process.Exit
// later.
type Program func(*Process)

// Table holds the programs and processes of one host.
type Table struct {
	node     *vtime.Node
	tree     *files.FS
	programs []program
	running  []*Process // running is sorted by pid
	nextPid  int
	onStart  []func(*Process)
	onExit   []func(*Process)
	env      func(*Process) *env.Env
}

// NewTable makes the table of a host. Its processes run on node, and its programs are files of
// tree.
func NewTable(node *vtime.Node, tree *files.FS) *Table {
	return &Table{node: node, tree: tree, nextPid: firstPid}
}

type program struct {
	name string
	run  Program
}

// Register adds a program under the base name of its file, and replaces an earlier one. The program
// can be started only if the file also exists in the tree.
func (t *Table) Register(name string, run Program) {
	if i := t.programAt(name); i >= 0 {
		t.programs[i].run = run
		return
	}
	t.programs = append(t.programs, program{name, run})
}

// programAt returns the index of a registered program; -1 if there is none of that name.
func (t *Table) programAt(name string) int {
	return slices.IndexFunc(t.programs, func(p program) bool { return p.name == name })
}

// OnStart adds a function to call when a process has started, before its program runs.
func (t *Table) OnStart(fn func(*Process)) { t.onStart = append(t.onStart, fn) }

// OnExit adds a function to call when a process has ended and its exit code is known. The function
// may run in the middle of a task, so it must not wait.
func (t *Table) OnExit(fn func(*Process)) { t.onExit = append(t.onExit, fn) }

// SetEnv sets the function that makes the env.Env of a forked process. Call it before any fork.
func (t *Table) SetEnv(fn func(*Process) *env.Env) { t.env = fn }

// Running lists the running processes by pid.
func (t *Table) Running() []*Process { return slices.Clone(t.running) }

// Find returns the running process with a pid; nil if there is none.
func (t *Table) Find(pid int) *Process {
	return lists.Find(t.running, func(p *Process) bool { return p.pid == pid })
}

// Of returns the table's process for life. If Start did not create life, as in the engine and in
// tests, Of adds a process for it to the table, under the name of life.
func (t *Table) Of(life *vtime.Process) *Process {
	for _, p := range t.running {
		if p.life == life {
			return p
		}
	}
	p := t.newProcess(life)
	p.args = []string{life.Name()}
	p.dir = "/"
	t.enter(p)
	return p
}

// KillAll kills every process with SIGKILL, as the end of a container does. No task of these
// processes may call it.
func (t *Table) KillAll() {
	for len(t.running) > 0 {
		p := t.running[0]
		p.die(killed)
	}
}

func (t *Table) newProcess(life *vtime.Process) *Process {
	p := &Process{table: t, life: life, pid: t.nextPid}
	t.nextPid++
	return p
}

func (t *Table) enter(p *Process) {
	t.running = append(t.running, p)
	p.life.OnEnd(p.ended)
	for _, fn := range t.onStart {
		fn(p)
	}
}

func (t *Table) leave(p *Process) {
	if i := slices.Index(t.running, p); i >= 0 {
		t.running = slices.Delete(t.running, i, i+1)
	}
	for _, fn := range t.onExit {
		fn(p)
	}
}
