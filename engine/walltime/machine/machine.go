package machine

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
)

// Options say what a process is. The zero value is the program that runs, with its
// environment, in its directory, which cannot fork.
type Options struct {
	// Environ is the environment as key=value; nil means that of the program.
	Environ []string
	// Dir is the working directory; empty means that of the program.
	Dir string
	// Outlive lets children live on when the process ends without having ended them.
	Outlive bool
	// Localhost is the address that is localhost to the process, as in a container whose
	// loopback is its own; empty means 127.0.0.1.
	Localhost string
	// Fork says how the program is begun anew; nil means that it cannot fork.
	Fork *Fork
}

// Machine is the machine as one process sees it.
type Machine struct {
	p         *walltime.Process
	files     *files
	host      *host
	processes *processes
}

// New makes the surroundings of p.
func New(p *walltime.Process, o Options) (*Machine, error) {
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, err
	}
	m := &Machine{p: p}
	m.host = &host{p: p, vars: variables(o.Environ), localhost: cmp.Or(o.Localhost, "127.0.0.1")}
	m.files = &files{m: m, dir: dir}
	m.processes = &processes{m: m, outlive: o.Outlive, fork: o.Fork, handlers: map[env.Signal]func(){}}
	p.OnEnd(m.processes.ignoreSignals)
	return m, nil
}

// Files returns the files of the machine.
func (m *Machine) Files() env.Files { return m.files }

// Host returns the machine with its names and addresses, and the variables of the process.
func (m *Machine) Host() env.Host { return m.host }

// Processes starts programs and speaks for the program that runs: Exit ends all of it.
func (m *Machine) Processes() env.Processes { return m.processes }
