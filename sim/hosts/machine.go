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

// Machine is one host: a machine or a container.
type Machine struct {
	Node  *vtime.Node
	Net   *network.Host
	FS    *files.FS
	Procs *processes.Table
	// Logs receives the log lines of all processes. If nil, lines go only to their output files.
	Logs *Logs

	vars []string
	skew time.Duration
}

// Config describes a machine.
type Config struct {
	// Name is the host name and the name of the host's node.
	Name string
	// IPs holds the host's addresses, v4 or v6; it may be empty.
	IPs []string
	// Env is the environment, as key=value, of processes that are started without one.
	Env []string
	// Skew is how far the host's wall clock is ahead of the world's.
	Skew time.Duration
	// Logs receives the log lines of all processes; nil drops them.
	Logs *Logs
	// Image is the initial content of the host's disk; nil for an empty disk.
	Image *files.Image
}

// NewMachine adds a machine to the network. Without an Image its file system contains only /tmp.
func NewMachine(n *network.Network, cfg Config) *Machine {
	m := &Machine{
		Net:  n.AddHost(cfg.Name, cfg.Name, cfg.IPs...),
		FS:   files.NewFSFrom(n.World(), cfg.Image),
		Logs: cfg.Logs,
		vars: append([]string{}, cfg.Env...),
		skew: cfg.Skew,
	}
	m.Node = m.Net.Node()
	m.Procs = processes.NewTable(m.Node, m.FS)
	m.Procs.OnStart(func(p *processes.Process) { p.Life().SetSkew(m.skew) })
	m.Procs.SetEnv(func(p *processes.Process) *env.Env { return m.Env(p.Life(), nil) })
	return m
}

// Env returns the env.Env of a process. vars holds the environment variables of the process as
// key=value. If vars is nil, Env takes the variables with which the table started the process, or
// the machine's variables if the table did not start it. The fields Models and ZooKeeper are nil.
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
	}
}

// Start starts a program as the container's runtime does. Without cmd.Env the program gets the
// machine's environment.
func (m *Machine) Start(cmd env.Command) (*processes.Process, error) {
	if cmd.Env == nil {
		cmd.Env = m.vars
	}
	return m.Procs.Start(cmd)
}

// SetSkew sets how far the machine's wall clock is ahead of the world's. It applies to running
// processes and to later ones.
func (m *Machine) SetSkew(skew time.Duration) {
	m.skew = skew
	for _, p := range m.Procs.Running() {
		p.Life().SetSkew(skew)
	}
}

// Crash models a power failure. The host falls silent, its processes die, and its files lose all
// changes that are not durable. The host stays down until Boot. The engine calls Crash, never a
// task of the machine.
func (m *Machine) Crash() {
	// The network goes down first. Otherwise the dying processes' sockets would be closed in order,
	// and peers would notice that.
	m.setDown(true)
	m.Procs.KillAll()
	m.FS.HostCrash()
}

// Boot brings a crashed machine up again, without processes.
func (m *Machine) Boot() { m.setDown(false) }

// KillAll kills all processes of the machine, as the end of a container does. The host stays on
// the network, so that peers notice.
func (m *Machine) KillAll() { m.Procs.KillAll() }

func (m *Machine) setDown(down bool) {
	set := m.Net.Network().HostUp
	if down {
		set = m.Net.Network().HostDown
	}
	if err := set(m.Net.Name()); err != nil {
		panic(err) // cannot happen: the machine itself has added the host
	}
}
