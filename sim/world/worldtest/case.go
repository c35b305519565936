package worldtest

import (
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/processes"
	"github.com/monosim/monosim/sim/tfserving/node"
)

// Dir is the working directory of a case's program.
const Dir = "/case"

const binary = Dir + "/case"

// Limit is the longest virtual time that [Case.Run] may last. It also applies to Run and RunInPod.
const Limit = 3 * time.Hour

// Case is one host in its own world, and the program that runs on it.
type Case struct {
	T       *testing.T
	World   *vtime.World
	Machine *hosts.Machine
	// Env is the env of the running program; nil before it runs.
	Env *env.Env
	// IP is the result of looking up the host's own name; "" makes the look-up fail. RouteIP always
	// fails.
	IP string

	vars []string
}

// New makes a case whose program will have the given environment variables. The host has one IPv4 and
// one IPv6 address, a /proc/meminfo, and the directory [Dir]. The world is closed at the end of the
// test.
func New(t *testing.T, vars map[string]string) *Case {
	t.Helper()
	// NoLeaps is set because the test doubles do not report when their answers change, so the
	// engine must not skip turns of loops.
	c := &Case{T: t, World: vtime.New(vtime.Config{Seed: 1, CheckOwner: true, NoLeaps: true}), IP: "192.0.2.10"}
	t.Cleanup(c.World.Close)
	for _, key := range slices.Sorted(maps.Keys(vars)) {
		c.vars = append(c.vars, key+"="+vars[key])
	}
	net := network.New(c.World, network.DefaultLatency())
	c.Machine = hosts.NewMachine(net, hosts.Config{Name: "host", IPs: []string{c.IP, "2001:db8::10"}})
	c.Write(map[string]string{
		"/proc/meminfo": "MemTotal: 13671874 kB\nMemFree: 6835937 kB\nMemAvailable: 6835937 kB\n",
		binary:          "the program",
	})
	return c
}

// Run makes a case and runs fn as its program. It fails the test if fn takes longer than [Limit].
func Run(t *testing.T, vars map[string]string, fn func(c *Case)) {
	t.Helper()
	c := New(t, vars)
	c.Run(func() { fn(c) })
}

// Run runs fn as the case's program until it returns, for [Limit] at most.
func (c *Case) Run(fn func()) {
	c.T.Helper()
	done := false
	c.Start(func() int {
		fn()
		done = true
		return 0
	})
	runUntil(c.T, c.World, &done)
}

// runUntil advances virtual time until done is set. It fails the test after Limit.
func runUntil(t *testing.T, w *vtime.World, done *bool) {
	t.Helper()
	if _, err := w.Run(vtime.Limits{Until: Limit, Done: func() bool { return *done }}); err != nil {
		t.Fatal(err)
	}
	if !*done {
		t.Fatalf("not done within %s; waiting: %v", Limit, w.Blocked())
	}
}

// Start starts the case's program. Its main task calls program, whose result is the exit code. No
// virtual time passes in Start: program begins to run with the next [Case.Pass].
func (c *Case) Start(program func() int) *processes.Process {
	c.T.Helper()
	c.Machine.Procs.Register("case", func(p *processes.Process) {
		c.Env = c.Machine.Env(p.Life(), nil)
		c.Env.Host = lookUps{c.Env.Host, c}
		c.Env.Models = &node.Clients{Proc: p.Life(), Host: c.Machine.Net}
		p.Main(program)
	})
	p, err := c.Machine.Start(env.Command{Args: []string{binary}, Env: c.vars, Dir: Dir})
	c.Must(err)
	return p
}

// Pass advances virtual time to an instant, counted from the start of the world.
func (c *Case) Pass(until time.Duration) {
	c.T.Helper()
	_, err := c.World.Run(vtime.Limits{Until: until})
	c.Must(err)
}

// Write writes files by their absolute paths, and the directories above them.
func (c *Case) Write(tree map[string]string) {
	c.T.Helper()
	c.Must(c.Machine.FS.WriteTree(tree))
}

// Must fails the test if err is not nil. The case's program may call it too, because FailNow ends a
// task of the engine correctly.
func (c *Case) Must(err error) {
	c.T.Helper()
	Must(c.T, err)
}

// Must fails the test at once if err is not nil.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// lookUps replaces the host's name look-up and route look-up by those of the case.
type lookUps struct {
	env.Host
	c *Case
}

func (h lookUps) LookupIP() (string, error) {
	if h.c.IP == "" {
		return "", hosts.ErrNoName
	}
	return h.c.IP, nil
}

func (h lookUps) RouteIP() (string, error) { return "", hosts.ErrNoRoute }

func (h lookUps) FreePort() int { return 59999 }
