// Package env has interfaces for everything in the world that engine code may use. It holds
// interfaces and plain types only. Agent code only knows an [Env], and cannot tell whether the
// world behind it is simulated in virtual time (engine/vtime with the twins in sim) or real
// (engine/walltime with real backends). So the code that was explored is the code that runs.
//
//   - [Env] has one value per process: the clock, tasks, host, files, processes, network,
//     ZooKeeper and model servers that this process can reach.
//   - [Tasks] are the process's threads. At most one task of a process runs at a time, and
//     another one can only run during a call of an env interface. So data that only tasks
//     of this process use needs no lock. A lock is only needed to keep others out during a
//     call that may block (see engine/pysem/threading).
//
// # Death of a process
//
// A process can be killed while its tasks are inside env calls. Such a call then does not return:
// it unwinds the task by a private panic that only the runtime recovers. Deferred functions run,
// but every env call that they make unwinds again, so nothing deferred has an effect outside the
// process. A graceful stop unwinds in the same way, but env calls of deferred functions still work.
// Code that recovers must panic again with any value that it does not know.
//
// Unstable: any commit may change it.
package env

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/enum"
)

// Env gives one process access to the world. A field is nil if the world does not offer that kind
// of access.
type Env struct {
	Clock     Clock
	Tasks     Tasks
	Random    Random
	Host      Host
	Files     Files
	Processes Processes
	Network   Network
	Models    ModelServers
	ZooKeeper ZooKeepers
	Log       Log
	// Python is the interpreter whose behaviour the ported code reproduces.
	Python Python
}

// Python describes the interpreter of one of the reference's processes, as far as its programs
// depend on it.
type Python struct {
	// Minor is the second number of the version, such as 8 for Python 3.8. 0 means 11.
	Minor int
	// HashSeed is the value of PYTHONHASHSEED, which decides the order of sets of strings. With 0
	// the sets are sorted.
	HashSeed uint32
}

// HashSeeds is the number of hash seeds to choose from. These seeds already give every order of a
// small set that any higher seed would give.
const HashSeeds = 1 << 16

// DefaultPythonMinor is the minor version of the Python with which the tests' expected values were
// recorded.
const DefaultPythonMinor = 11

// Before reports whether the interpreter is older than Python 3.minor.
func (p Python) Before(minor int) bool {
	if p.Minor == 0 {
		return DefaultPythonMinor < minor
	}
	return p.Minor < minor
}

// Clock tells the time of the process's host.
type Clock interface {
	// Now returns the wall-clock time of the host (Python's time.time).
	Now() time.Time
	// Elapsed returns the monotonic time since an unspecified start (Python's time.monotonic).
	Elapsed() time.Duration
}

// Random makes the random choices of a process. Each call names its site, the place in the code. In
// virtual time a choice depends only on the seed, the node, the site, and how many choices were
// made at that site before. So a new site changes no choice at other sites.
type Random interface {
	// Intn returns a number in [0, n); n must be positive. 0 should be the ordinary outcome,
	// because shrinking a failed run replaces choices by 0.
	Intn(site string, n int) int
	// Float64 returns a number in [0, 1).
	Float64(site string) float64
}

// Choice fixes one random choice of a run: the choice with number K, from 0, at a site on a node.
type Choice struct {
	Node  string `json:"node"`
	Site  string `json:"site"`
	K     uint64 `json:"k"`
	Value uint64 `json:"value"`
}

func (c Choice) String() string {
	return fmt.Sprintf("%s/%s#%d=%d", c.Node, c.Site, c.K, c.Value)
}

// Level is the severity of a log line, in the order of absl's levels.
type Level uint8

// The levels in use.
const (
	Debug Level = iota
	Info
	Warning
	Error
)

var levelNames = []string{"DEBUG", "INFO", "WARNING", "ERROR"}

func (l Level) String() string { return enum.Listed(levelNames, l) }

// Log is the process's log.
type Log interface {
	// Enabled reports whether lines of this level are kept. Code that runs often calls it before it
	// formats a line.
	Enabled(level Level) bool
	// Logf writes one line. format is as in package fmt, and needs no newline.
	Logf(level Level, format string, args ...any)
}
