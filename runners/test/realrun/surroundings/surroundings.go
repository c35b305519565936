// Package surroundings makes the env.Env of a real process: the wall clock, the files, names and
// programs of the host, sockets, ZooKeeper and model servers over the network, and a log on
// standard error. A program that was written against env, such as an agent, runs with it as a
// program of the operating system.
//
// Two things to use first:
//
//   - [Run] runs a program in this operating system process until it ends, forks and signals
//     included.
//   - [New] makes the Env of one process of engine/walltime, to run several in one program.
//
// To change
//
//   - what an Env is made of: surroundings.go
//   - how a program runs and forks: run.go
//   - the form of log lines: log.go
//
// Unstable: any commit may change it.
package surroundings

import (
	"cmp"
	"os"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
	"github.com/monosim/monosim/runners/test/realrun"
)

// Options describes a process. With the zero value the process has this program's
// environment variables and working directory, listens on 127.0.0.1, and logs to standard
// error from INFO on.
type Options struct {
	// Machine holds the environment variables, the working directory, and the rules for
	// children. If its Localhost is "", Network's is used.
	Machine machine.Options
	// Network says on which addresses servers listen.
	Network realrun.Options
	// Log says which log lines are written, and where to.
	Log LogOptions
	// Python is the Python version whose behaviour ported code follows.
	Python env.Python
	// Furnish, when set, is called with each Env before its first use, and may replace parts of
	// it.
	Furnish func(*env.Env)
}

// New makes the Env of a process. The process connects to the ZooKeeper servers that its own
// configuration names. New fails if the working directory cannot be determined.
func New(p *walltime.Process, o Options) (*env.Env, error) {
	o.Machine.Localhost = cmp.Or(o.Machine.Localhost, o.Network.Localhost)
	m, err := machine.New(p, o.Machine)
	if err != nil {
		return nil, err
	}
	if o.Log.Output == nil {
		o.Log.Output = os.Stderr
	}
	e := &env.Env{
		Clock: p, Tasks: p, Random: p,
		Host: m.Host(), Files: m.Files(), Processes: m.Processes(),
		Network: realrun.NewNetwork(p, o.Network),
		Log:     newLog(p, o.Log, o.Machine.Fork),
		Python:  o.Python,
	}
	e.Models = realrun.ModelServers{Network: e.Network}
	e.ZooKeeper = &realrun.ZooKeepers{Env: e, Proc: p}
	if o.Furnish != nil {
		o.Furnish(e)
	}
	return e, nil
}
