package programs

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime/machine"
	"github.com/monosim/monosim/runners/test/realrun"
	"github.com/monosim/monosim/runners/test/realrun/surroundings"
	"github.com/monosim/monosim/sim/world"
)

// Surroundings has the options that all programs share. The zero value means wall time and servers
// on 127.0.0.1. Sets are iterated in the order that Python has with the environment's
// PYTHONHASHSEED.
type Surroundings struct {
	// Listen is the address on which servers listen; "" means Localhost.
	Listen string
	// Localhost replaces localhost and 127.0.0.1 in addresses to dial; "" means 127.0.0.1.
	Localhost string
	// Speed is the speed of the program's time as a multiple of wall time. 0 means 1.
	Speed float64
	// Seed determines all random choices. 0 means a new seed for each run.
	Seed uint64
	// Python is the Python version whose behaviour the program imitates, for example "3.8". "" means
	// the default version.
	Python string
	// Verbosity is the log level in absl's numbering: 1 is DEBUG, 0 INFO, -1 WARNING, -2 ERROR.
	Verbosity int
	// Outlive means that child processes go on if this program dies.
	Outlive bool
	// Log is where log lines are written. nil means standard error.
	Log io.Writer
}

// These are the limits of Speed. Clients of gRPC and ZooKeeper measure time in milliseconds, which
// a higher speed would round to 0.
const (
	slowest = 0.001
	fastest = 1000
)

// Validate returns an error for invalid options, such as a Speed outside its limits.
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
	if _, err := hashSeed(); err != nil {
		return err
	}
	_, err := world.PythonMinor(s.Python)
	return err
}

// hashSeed returns the number in PYTHONHASHSEED. Without a number it returns 0, and sets are
// iterated in sorted order. Python would use a random seed then.
func hashSeed() (uint32, error) {
	text := os.Getenv("PYTHONHASHSEED")
	if text == "" || text == "random" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 32)
	if err != nil {
		return 0, fmt.Errorf("PYTHONHASHSEED: found %q, want \"random\" or an integer from 0 to 4294967295", text)
	}
	return uint32(n), nil
}

// listenHost returns the address on which servers listen; "" means 127.0.0.1.
func (s Surroundings) listenHost() string { return cmp.Or(strings.Trim(s.Listen, "[]"), s.Localhost) }

// program makes a program with these options and the function main.
func (s Surroundings) program(name string, main func(*env.Env) int) (surroundings.Program, error) {
	if err := s.Validate(); err != nil {
		return surroundings.Program{}, err
	}
	seed, err := hashSeed()
	if err != nil {
		return surroundings.Program{}, err
	}
	minor, err := world.PythonMinor(s.Python)
	return surroundings.Program{
		Options: surroundings.Options{
			Machine: machine.Options{Outlive: s.Outlive},
			Network: realrun.Options{ListenHost: s.listenHost(), Localhost: s.Localhost},
			Log:     surroundings.LogOptions{Output: s.Log, Verbosity: surroundings.Verbosity(s.Verbosity)},
			Python:  env.Python{Minor: minor, HashSeed: seed},
		},
		Node: "host", Name: name, Seed: s.Seed, Speed: s.Speed, Main: main,
	}, err
}
