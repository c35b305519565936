package machine

import (
	"cmp"
	"os"
	"path/filepath"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
)

// Options configures the machine of one process. With the zero value the process has the program's
// environment and directory, and cannot fork.
type Options struct {
	// Environ is the environment as key=value entries. nil means the program's.
	Environ []string
	// Dir is the working directory. Empty means the program's.
	Dir string
	// Root is the only directory in which files may be changed. Empty means that all files may be.
	Root string
	// Outlive lets child processes live on when this process ends before them.
	Outlive bool
	// Localhost is the address of localhost, 127.0.0.1 if empty. A process in a container may have
	// a loopback address of its own.
	Localhost string
	// Fork lets the program fork. If it is nil, forking is an error.
	Fork *Fork
}

// Machine is the machine as one process sees it.
type Machine struct {
	p         *walltime.Process
	files     *files
	host      *host
	processes *processes
}

// New makes the machine of process p.
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
	if o.Root != "" {
		if m.files.root, err = openRoot(o.Root); err != nil {
			return nil, err
		}
	}
	m.processes = &processes{m: m, outlive: o.Outlive, fork: o.Fork, handlers: map[env.Signal]func(){}}
	p.OnEnd(m.processes.ignoreSignals)
	return m, nil
}

// Files returns the files of the machine.
func (m *Machine) Files() env.Files { return m.files }

// Host returns the names and addresses of the machine, and the variables of the process.
func (m *Machine) Host() env.Host { return m.host }

// Processes returns the interface for starting programs and sending signals. Its Exit ends the
// whole program.
func (m *Machine) Processes() env.Processes { return m.processes }
