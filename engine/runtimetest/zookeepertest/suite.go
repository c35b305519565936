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

// Tick is the server's tick time. A session timeout is 2 to 20 ticks.
const Tick = 500 * time.Millisecond

// World is the subject of the tests: processes, a server, and the connections between them. The
// runtime's test implements it. Any task of a case may call its methods.
type World interface {
	// NewProcess makes a process without tasks, on a host of its own.
	NewProcess(name string) Process
	// Cut breaks the connections of a process and prevents new ones until Heal is called.
	Cut(of Process)
	Heal(of Process)
	// Reset breaks the current connections of a process.
	Reset(of Process)
	// LoseAnswer lets the server execute the next request of a process, but breaks the connection
	// before the answer is delivered.
	LoseAnswer(of Process)
	// Expire makes the server expire the sessions of a process.
	Expire(of Process)
	// Wait waits until every task has ended. It returns an error after a generous time limit.
	Wait() error
}

// Process is one process of the world.
type Process interface {
	env.Clock
	env.Tasks
	// ZooKeepers returns a maker of clients that connect to the server, whatever hosts they are
	// given.
	ZooKeepers() env.ZooKeepers
	// Crash ends the process at once. Tasks of other processes may call it.
	Crash()
}

// Run runs all cases as subtests of t. It calls start for each case to make a new world. start
// should free the world when the test ends that is passed to it.
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
	// short is the session timeout of cases that wait for a session to expire. long is the session
	// timeout of cases in which none may expire.
	short = 2 * Tick
	long  = 20 * Tick
)

// trial is one case in one world.
type trial struct {
	*testing.T
	World
	root string

	log eventlog.Log

	mu    sync.Mutex // guards the marks, which the tasks of several processes set
	marks map[string]bool
}

// client is a process together with its ZooKeeper client.
type client struct {
	Process
	env.ZooKeeper
	r *trial
}

// program runs fn in a new process with a client. It starts the client and creates the case's
// root before fn, and stops the client after fn.
func (r *trial) program(name string, timeout time.Duration, fn func(c *client)) Process {
	return r.bare(name, env.ZooKeeperOptions{Timeout: timeout}, func(c *client) {
		c.must(c.Start(0))
		c.must(c.EnsurePath(r.root))
		fn(c)
		c.Stop()
	})
}

// bare does what program does, but does not start the client.
func (r *trial) bare(name string, o env.ZooKeeperOptions, fn func(c *client)) Process {
	p := r.NewProcess(name)
	p.Go("main", func() {
		fn(&client{Process: p, ZooKeeper: p.ZooKeepers().NewClient("zookeeper:2181", o), r: r})
	})
	return p
}

// path returns the path of a znode below the case's root.
func (r *trial) path(name string) string { return r.root + "/" + name }

// must ends the case on an error in a call that is not the subject of the case.
func (c *client) must(err error) {
	if err != nil {
		panic(err)
	}
}

// create creates a persistent znode. ephemeral creates an ephemeral one.
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

// These methods do what World describes to the client's process.
func (c *client) cut()        { c.r.Cut(c.Process) }
func (c *client) heal()       { c.r.Heal(c.Process) }
func (c *client) reset()      { c.r.Reset(c.Process) }
func (c *client) loseAnswer() { c.r.LoseAnswer(c.Process) }
func (c *client) expire()     { c.r.Expire(c.Process) }

// noteStates logs every state of the client with the given prefix.
func (c *client) noteStates(name string) {
	c.AddListener(func(s env.SessionState) bool {
		c.r.note("%s%s", name, s)
		return false
	})
}

// await calls fn until it returns true. It polls because processes cannot wake each other.
func (c *client) await(fn func() bool) {
	for !fn() {
		c.Sleep(5 * time.Millisecond)
	}
}

// awaitState waits until the client is in state s.
func (c *client) awaitState(s env.SessionState) {
	c.await(func() bool { return c.State() == s })
}

// mark records that something has happened. awaitMark waits until it has.
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

// awaitLines waits until the log has at least n lines.
func (c *client) awaitLines(n int) { c.await(func() bool { return len(c.r.log.All()) >= n }) }

func (r *trial) note(format string, args ...any) {
	r.log.Addf("%s", strings.ReplaceAll(fmt.Sprintf(format, args...), r.root, "R"))
}

// want waits for all tasks to end and fails the case unless the log holds these lines. In the
// lines, R stands for the case's root.
func (r *trial) want(lines ...string) {
	r.Helper()
	if err := r.Wait(); err != nil {
		r.Fatalf("%v\nthe log: %q", err, r.log.All())
	}
	r.log.Want(r, lines...)
}
