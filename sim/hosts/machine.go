package hosts

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/files"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/processes"
)

// Machine is one host, a machine or a container.
type Machine struct {
	Node  *vtime.Node
	Net   *network.Host
	FS    *files.FS
	Procs *processes.Table
	// Logs takes what processes log; nil leaves it to their output files.
	Logs *Logs
	// Shared is what its processes share with others of the world; nil for nothing.
	Shared env.Shared

	vars []string
	skew time.Duration
}

// Config says what a machine is like.
type Config struct {
	// Name is its host name, and the name of its node.
	Name string
	// IPs are its addresses, v4 or v6, possibly none.
	IPs []string
	// Env is the environment of processes that nobody else gives one, as key=value.
	Env []string
	// Skew is what its wall clock is ahead of the world's.
	Skew time.Duration
	// Logs takes what its processes log; nil means nobody does.
	Logs *Logs
	// Shared is what its processes share with others of the world; nil for nothing.
	Shared env.Shared
	// Image is what its disk begins with; nil for nothing.
	Image *files.Image
}

// NewMachine adds a machine to the network. Its file system is empty but for
// /tmp.
func NewMachine(n *network.Network, cfg Config) *Machine {
	m := &Machine{
		Net:    n.AddHost(cfg.Name, cfg.Name, cfg.IPs...),
		FS:     files.NewFSFrom(n.World(), cfg.Image),
		Logs:   cfg.Logs,
		Shared: cfg.Shared,
		vars:   append([]string{}, cfg.Env...),
		skew:   cfg.Skew,
	}
	m.Node = m.Net.Node()
	m.Procs = processes.NewTable(m.Node, m.FS)
	m.Procs.OnStart(func(p *processes.Process) { p.Life().SetSkew(m.skew) })
	m.Procs.SetEnv(func(p *processes.Process) *env.Env { return m.Env(p.Life(), nil) })
	return m
}

// Env is what the process may touch. vars is its environment as key=value; nil
// means the one it was started with, and for a process that the table did not
// start, the machine's. Models and ZooKeeper are nil.
func (m *Machine) Env(life *vtime.Process, vars []string) *env.Env {
	p := m.Procs.Of(life)
	if vars == nil {
		vars = p.SharedEnviron()
	}
	if vars == nil {
		vars = m.vars
	}
	host := &hostView{m: m, p: life, vars: NewVars(vars)}
	tree := files.NewView(life, m.FS, p.Dir())
	return &env.Env{
		Clock: life, Tasks: leap.Tasks{Process: life}, Random: life,
		Host:      host,
		Files:     tree,
		Processes: m.Procs.View(life, host.vars.List, tree.Getwd),
		Network:   m.Net.Env(life),
		Log:       &logView{m: m, p: p},
		Shared:    m.Shared,
	}
}

// Start starts a program as the container's runtime does, with the machine's
// environment when cmd has none.
func (m *Machine) Start(cmd env.Command) (*processes.Process, error) {
	if cmd.Env == nil {
		cmd.Env = m.vars
	}
	return m.Procs.Start(cmd)
}

// SetSkew sets what the wall clock of the machine's processes is ahead of the world's,
// from now on: of those that run and of those that start later.
func (m *Machine) SetSkew(skew time.Duration) {
	m.skew = skew
	for _, p := range m.Procs.Running() {
		p.Life().SetSkew(skew)
	}
}

// Crash is a power failure: the host falls silent, its processes are gone, and
// its files lose what was not yet written back. It stays down until Boot. The
// engine calls it, not a task of the machine.
func (m *Machine) Crash() {
	// The network first: a process that dies on a host that is up has its sockets
	// closed in order, and peers would hear of it.
	m.setDown(true)
	m.Procs.KillAll()
	m.FS.HostCrash()
}

// Boot brings a crashed machine back, with no process running.
func (m *Machine) Boot() { m.setDown(false) }

// KillAll kills all processes of the machine, as the end of a container does; the
// host stays on the network, so that peers hear of it.
func (m *Machine) KillAll() { m.Procs.KillAll() }

func (m *Machine) setDown(down bool) {
	set := m.Net.Network().HostUp
	if down {
		set = m.Net.Network().HostDown
	}
	if err := set(m.Net.Name()); err != nil {
		panic(err) // the machine has added the host itself
	}
}
