// Package env names everything that engine code may touch of the world.
//
// It holds interfaces and plain types only. Agent code is written against an
// [Env] and never learns whether the world behind it is simulated in virtual
// time (engine/vtime with the twins in sim) or real (engine/walltime with real
// backends). That is what makes the code that was explored the code that runs.
//
// Two things to use first:
//
//   - [Env], one value per process: the clock, tasks, hosts, files, processes,
//     network, ZooKeeper and model servers that this process can reach.
//   - [Tasks], the process's threads. All of one process's tasks share one
//     monitor: at most one of them runs at a time, and control changes hands
//     only inside a call on an env interface. Data that only this process's
//     tasks touch therefore needs no lock; a lock is needed only to keep
//     others out across a call that may block (see engine/pysem/threading).
//
// To change what ZooKeeper looks like to agents look in zookeeper.go; files,
// processes, hosts and the network have a file each.
//
// # Death of a process
//
// A process can be killed while its tasks are inside env calls. Such a call
// then does not return: it unwinds the task by a private panic that only the
// runtime recovers. Deferred functions run, but every env call that they make
// unwinds again, so nothing deferred has an effect outside the process. A
// graceful stop unwinds in the same way, but env calls of deferred functions
// still work. Code that recovers must re-panic what it does not know.
package env

import (
	"fmt"
	"time"
)

// Env is what one process may touch of the world. A field is nil when the
// world does not offer it.
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
	// Shared is nil where nothing is shared between processes.
	Shared Shared
	// Python is the interpreter whose behaviour ported code shows.
	Python Python
}

// Python is what can be seen of the interpreter that runs a process of the reference.
type Python struct {
	// Minor is the version's second number: 8 for Python 3.8. 0 means 11.
	Minor int
	// HashSeed is PYTHONHASHSEED, by which sets of strings are ordered. 0 means that they
	// are sorted.
	HashSeed uint32
}

// HashSeeds is how many hash seeds there are to choose from; all beyond them give no
// orders of small sets that these do not.
const HashSeeds = 1 << 16

// DefaultPythonMinor is the version with which expected values were recorded.
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
	// Now is the wall-clock time of the host (Python's time.time).
	Now() time.Time
	// Elapsed is monotonic, from an unspecified start (Python's time.monotonic).
	Elapsed() time.Duration
}

// Random is the process's source of choices. In virtual time each site has its
// own stream, a function of (seed, node, site, use), so that a new call
// somewhere does not change the draws elsewhere.
type Random interface {
	// Intn returns a number in [0, n); n must be positive. 0 is the default
	// outcome, the one that a shrunk run prefers.
	Intn(site string, n int) int
	// Float64 returns a number in [0, 1).
	Float64(site string) float64
}

// Choice fixes one choice of a run: the K-th draw, from 0, of a site on a node.
type Choice struct {
	Node  string `json:"node"`
	Site  string `json:"site"`
	K     uint64 `json:"k"`
	Value uint64 `json:"value"`
}

func (c Choice) String() string {
	return fmt.Sprintf("%s/%s#%d=%d", c.Node, c.Site, c.K, c.Value)
}

// Level is the severity of a log line, with absl's order.
type Level uint8

// The levels in use.
const (
	Debug Level = iota
	Info
	Warning
	Error
)

func (l Level) String() string {
	switch l {
	case Debug:
		return "DEBUG"
	case Info:
		return "INFO"
	case Warning:
		return "WARNING"
	case Error:
		return "ERROR"
	}
	return fmt.Sprintf("Level(%d)", uint8(l))
}

// Log is the process's log.
type Log interface {
	// Enabled reports whether lines of this level go anywhere. Code that runs often
	// asks before it puts a line together.
	Enabled(level Level) bool
	// Logf writes one line; format is as in package fmt, without a line's end.
	Logf(level Level, format string, args ...any)
}
