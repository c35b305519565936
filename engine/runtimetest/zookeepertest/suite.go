package zookeepertest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/eventlog"
)

// Tick is the server's tick: sessions last 2 to 20 of them.
const Tick = 500 * time.Millisecond

// World is what is under test: processes, a server, and the line between them. The
// test implements it; any task of a case may call it.
type World interface {
	// NewProcess begins a process without tasks, on a host of its own.
	NewProcess(name string) Process
	// Cut breaks the connections of the process and lets no new ones through, until
	// Heal.
	Cut(of Process)
	Heal(of Process)
	// Reset breaks the connections that the process has.
	Reset(of Process)
	// LoseAnswer lets the server apply the next request of the process, and breaks
	// the connection instead of bringing the answer.
	LoseAnswer(of Process)
	// Expire ends the sessions of the process on the server.
	Expire(of Process)
	// Wait waits until every task has ended; it gives up after a generous limit.
	Wait() error
}

// Process is one process of the world.
type Process interface {
	env.Clock
	env.Tasks
	// ZooKeepers makes clients that reach the server whatever hosts they are told.
	ZooKeepers() env.ZooKeepers
	// Crash ends the process at once. It may be called by tasks of other processes.
	Crash()
}

// Run runs all cases as subtests of t. It calls start for a fresh world before each,
// which is freed at the end of the t that it was given.
func Run(t *testing.T, start func(t *testing.T) World) {
	for _, group := range []struct {
		name  string
		cases []testCase
	}{
		{"znodes", znodeCases},
		{"sessions", sessionCases},
		{"losses", lossCases},
		{"watches", watchCases},
		{"recipes", recipeCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					root := "/" + strings.ReplaceAll(c.name, " ", "-")
					r := &trial{T: t, World: start(t), root: root, marks: map[string]bool{}}
					c.run(r)
				})
			}
		})
	}
}

type testCase struct {
	name string
	run  func(r *trial)
}

const (
	// short is a session timeout for cases that wait for an expiry, long for those
	// in which none must happen.
	short = 2 * Tick
	long  = 20 * Tick
)

// trial is one case in one world.
type trial struct {
	*testing.T
	World
	root string

	log eventlog.Log

	mu    sync.Mutex // tasks of several processes mark
	marks map[string]bool
}

// client is a process with a client.
type client struct {
	Process
	env.ZooKeeper
	r *trial
}

// program runs fn in a process of its own with a started client, which is stopped
// at the end. The root of the case is there.
func (r *trial) program(name string, timeout time.Duration, fn func(c *client)) Process {
	return r.bare(name, env.ZooKeeperOptions{Timeout: timeout}, func(c *client) {
		c.must(c.Start(0))
		c.must(c.EnsurePath(r.root))
		fn(c)
		c.Stop()
	})
}

// bare returns program with a client that is not started.
func (r *trial) bare(name string, o env.ZooKeeperOptions, fn func(c *client)) Process {
	p := r.NewProcess(name)
	p.Go("main", func() {
		fn(&client{Process: p, ZooKeeper: p.ZooKeepers().NewClient("zookeeper:2181", o), r: r})
	})
	return p
}

// path returns the path of a znode below the root of the case.
func (r *trial) path(name string) string { return r.root + "/" + name }

// must ends the case's world when something fails that is not the case's subject.
func (c *client) must(err error) {
	if err != nil {
		panic(err)
	}
}

// create makes a persistent znode, ephemeral one that goes with the session.
func (c *client) create(name, data string) {
	_, err := c.Create(c.r.path(name), []byte(data), env.CreateOptions{})
	c.must(err)
}

func (c *client) ephemeral(name string) {
	_, err := c.Create(c.r.path(name), nil, env.CreateOptions{Ephemeral: true})
	c.must(err)
}

func (c *client) set(name, data string) {
	c.must(c.Set(c.r.path(name), []byte(data), -1))
}

func (c *client) delete(name string) { c.must(c.Delete(c.r.path(name), env.AnyVersion)) }

// there reports whether a znode exists.
func (c *client) there(name string) bool {
	stat, err := c.Exists(c.r.path(name))
	c.must(err)
	return stat != nil
}

// What happens to the client's process; see World.
func (c *client) cut()        { c.r.Cut(c.Process) }
func (c *client) heal()       { c.r.Heal(c.Process) }
func (c *client) reset()      { c.r.Reset(c.Process) }
func (c *client) loseAnswer() { c.r.LoseAnswer(c.Process) }
func (c *client) expire()     { c.r.Expire(c.Process) }

// noteStates notes every state with the name.
func (c *client) noteStates(name string) {
	c.AddListener(func(s env.SessionState) bool {
		c.r.note("%s%s", name, s)
		return false
	})
}

// await looks until fn is true: processes know nothing else of one another.
func (c *client) await(fn func() bool) {
	for !fn() {
		c.Sleep(5 * time.Millisecond)
	}
}

// awaitState waits for a state of the client.
func (c *client) awaitState(s env.SessionState) {
	c.await(func() bool { return c.State() == s })
}

// mark notes that something has happened; awaitMark waits until it has.
func (r *trial) mark(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.marks[what] = true
}

func (c *client) awaitMark(what string) {
	c.await(func() bool {
		c.r.mu.Lock()
		defer c.r.mu.Unlock()
		return c.r.marks[what]
	})
}

// awaitLines waits until that much was noted.
func (c *client) awaitLines(n int) { c.await(func() bool { return len(c.r.log.All()) >= n }) }

func (r *trial) note(format string, args ...any) {
	r.log.Addf("%s", strings.ReplaceAll(fmt.Sprintf(format, args...), r.root, "R"))
}

// want waits for the end of all and compares the log, in which R is the root.
func (r *trial) want(lines ...string) {
	r.Helper()
	if err := r.Wait(); err != nil {
		r.Fatalf("%v\nthe log: %q", err, r.log.All())
	}
	r.log.Want(r, lines...)
}
