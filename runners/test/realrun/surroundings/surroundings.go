// Package surroundings makes the env.Env of a real process: the wall clock, the files,
// names and programs of the machine, sockets, ZooKeeper and model servers over the
// network, and a log on standard error. With it a program that was written against env,
// such as an agent, is a program of the operating system.
//
// Two things to use first:
//
//   - [Run] runs a program in this operating system process until it ends, forks and
//     signals included.
//   - [New] makes the Env of one process of engine/walltime, for who runs several in one
//     program.
//
// To change what an Env is made of look in surroundings.go; how a program is run and
// forked, run.go; the form of log lines, log.go.
package surroundings

import (
	"os"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
	"github.com/monosim/monosim/engine/walltime/machine"
	"github.com/monosim/monosim/runners/test/realrun"
)

// Options say what a process is like. The zero value is a process as this program is,
// which listens on 127.0.0.1 and logs from INFO on to standard error.
type Options struct {
	// Machine is its environment and directory, and what becomes of its children. Its
	// Localhost, if "", is that of Network.
	Machine machine.Options
	// Network says where its servers listen.
	Network realrun.Options
	// Log takes its log lines.
	Log LogOptions
	// Python is the interpreter whose behaviour ported code shows.
	Python env.Python
	// Furnish, when set, is given each Env before it is used, and may replace parts of it.
	Furnish func(*env.Env)
}

// New makes the Env of a process. ZooKeeper servers are those that the program names,
// as it has them from its configuration. The error is of a working directory that cannot
// be told.
func New(p *walltime.Process, o Options) (*env.Env, error) {
	if o.Machine.Localhost == "" {
		o.Machine.Localhost = o.Network.Localhost
	}
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
