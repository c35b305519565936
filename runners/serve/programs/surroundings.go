package programs

import (
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime/machine"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
	"github.com/monosim/monosim/sim/world"
)

// Surroundings are what a program is told of the process that it is. The zero value is
// one at the clock's speed that listens on 127.0.0.1.
type Surroundings struct {
	// Listen is the address that servers listen on; "" is 127.0.0.1.
	Listen string
	// Localhost is the address for which localhost and 127.0.0.1 stand; "" is 127.0.0.1.
	Localhost string
	// Speed is how much faster than the clock time passes; 0 means 1.
	Speed float64
	// Seed decides every choice; 0 is another one for each run.
	Seed uint64
	// Python is the version whose behaviour is shown, as "3.8"; "" is the default.
	Python string
	// Verbosity is absl's: 1 is DEBUG, 0 INFO, -1 WARNING, -2 ERROR.
	Verbosity int
	// Outlive lets the programs that were started live on when this one is killed.
	Outlive bool
	// Log takes log lines; nil is standard error.
	Log io.Writer
}

// Speeds that make sense: gRPC and ZooKeeper clients have a grain of milliseconds.
const (
	slowest = 0.001
	fastest = 1000
)

// Validate says what cannot be meant.
func (s Surroundings) Validate() error {
	if s.Speed != 0 && !(s.Speed >= slowest && s.Speed <= fastest) {
		return fmt.Errorf("speed: found %g, want %g to %g", s.Speed, slowest, float64(fastest))
	}
	if s.Listen != "" && net.ParseIP(strings.Trim(s.Listen, "[]")) == nil {
		return fmt.Errorf("listen: found %q, want an IP address of this machine without a port, as 127.0.0.1", s.Listen)
	}
	if s.Localhost != "" && net.ParseIP(s.Localhost) == nil {
		return fmt.Errorf("localhost: found %q, want an IP address of this machine, as 127.0.0.2", s.Localhost)
	}
	_, err := world.PythonMinor(s.Python)
	return err
}

// program is a program in these surroundings.
func (s Surroundings) program(name string, main func(*env.Env) int) (surroundings.Program, error) {
	if err := s.Validate(); err != nil {
		return surroundings.Program{}, err
	}
	minor, err := world.PythonMinor(s.Python)
	return surroundings.Program{
		Options: surroundings.Options{
			Machine: machine.Options{Outlive: s.Outlive},
			Network: realrun.Options{ListenHost: strings.Trim(s.Listen, "[]"), Localhost: s.Localhost},
			Log:     surroundings.LogOptions{Output: s.Log, Verbosity: surroundings.Verbosity(s.Verbosity)},
			Python:  env.Python{Minor: minor},
		},
		Node: "host", Name: name, Seed: s.Seed, Speed: s.Speed, Main: main,
	}, err
}
