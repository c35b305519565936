package modelservertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/eventlog"
	"github.com/monosim/monosim/engine/runtimetest/networktest"
)

// World is what is under test: clients, one model server and its disk. The test
// implements it; any task of a case may call it.
type World interface {
	// NewProcess begins a process of a client, without tasks.
	NewProcess(name string) Process

	// StartServer starts the server: with an empty list of models, a poll of the disk
	// each second and no retries of a failed load. It need not serve yet.
	StartServer() error
	// KillServer ends its process at once. It waits until nothing listens any more.
	KillServer()
	// Addr is the host:port at which the server listens, the same after each start.
	Addr() string
	// Newer reports whether the server words things as TensorFlow Serving does after 2.4
	// (TFS-1.3).
	Newer() bool

	// BasePath is where the server looks for a model's versions.
	BasePath(model string) string
	// AddBase makes a base path without versions, AddVersion a version that can be
	// loaded, AddEmpty the directory of a version without a model in it. A name that
	// a case adds is the case's own.
	AddBase(model string)
	AddVersion(model string, version int64)
	AddEmpty(model string, version int64)

	// Wait waits until every task has ended; it gives up after a generous limit.
	Wait() error
}

// Process is one process of the world.
type Process interface {
	env.Clock
	env.Tasks
	Models() env.ModelServers
	// Crash ends the process at once, Stop unwinds each task at its next wait. Both
	// may be called by tasks of other processes.
	Crash()
	Stop()
}

// Run runs all cases as subtests of t. It calls start for a fresh world before each,
// which is freed at the end of the t that it was given.
func Run(t *testing.T, start func(t *testing.T) World) {
	words, err := networktest.Recorded(networktest.Version)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(statusCases, reloadCases, waitCases, lifeCases) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // with others that mostly wait
			c.run(&trial{T: t, World: start(t), words: words})
		})
	}
}

type testCase struct {
	name string
	run  func(r *trial)
}

const (
	ms = time.Millisecond
	// patience is the limit of calls that are expected to end before it.
	patience = time.Minute
	// soon is the limit of calls that are expected to end by it.
	soon = 300 * ms
)

// trial is one case in one world.
type trial struct {
	*testing.T
	World
	words map[string]networktest.Status

	log eventlog.Log
}

// client is a process with a client of the server.
type client struct {
	Process
	env.ModelServer
	r *trial
}

// program runs fn in a process of its own.
func (r *trial) program(name string, fn func(c *client)) Process {
	p := r.NewProcess(name)
	p.Go("main", func() {
		server := p.Models().Dial(r.Addr())
		fn(&client{p, server, r})
		server.Close()
	})
	return p
}

// served starts the server and runs fn as the only task of a client that begins
// when it serves. The server ends with it; served returns when all has ended.
func (r *trial) served(fn func(c *client)) {
	r.Helper()
	if err := r.StartServer(); err != nil {
		r.Fatal(err)
	}
	r.program("client", func(c *client) {
		c.awaitServer()
		fn(c)
		r.KillServer()
	})
	if err := r.Wait(); err != nil {
		r.Fatalf("%v\nthe log: %q", err, r.log.All())
	}
}

// awaitServer asks until there is an answer of the server's, with a new channel
// each time, for a channel that was refused waits before it connects again.
func (c *client) awaitServer() {
	c.await(func() bool {
		server := c.Models().Dial(c.r.Addr())
		defer server.Close()
		_, err := server.Status(env.ModelSpec{}, patience)
		return codeOf(err) == env.NotFound
	})
}

// await looks until fn is true: processes know nothing else of one another.
func (c *client) await(fn func() bool) {
	for !fn() {
		c.Sleep(5 * ms)
	}
}

// note writes a line of the log, in which /MODELS is where the models lie.
func (r *trial) note(format string, args ...any) {
	root := strings.TrimSuffix(r.BasePath("m"), "/m")
	r.log.Addf("%s", strings.ReplaceAll(fmt.Sprintf(format, args...), root, "/MODELS"))
}

// want compares the log.
func (r *trial) want(lines ...string) {
	r.Helper()
	r.log.Want(r, lines...)
}

// wantEnd compares a log that begins with the end of a connection. TCP makes a
// reset of it when the one who closes has not read everything.
func (r *trial) wantEnd(lines ...string) {
	r.Helper()
	end := r.word("connection closes")
	if got := r.log.All(); len(got) > 0 && got[0] == r.word("connection is reset") {
		end = got[0]
	}
	r.want(append([]string{end}, lines...)...)
}

// word returns what grpc-python's client was recorded to say.
func (r *trial) word(name string) string {
	r.Helper()
	return networktest.LineOf(r, r.words, name)
}

// old is a text of TensorFlow Serving 2.4, and newer its counterpart of later
// versions (TFS-1.3).
func (r *trial) either(old, newer string) string {
	if r.Newer() {
		return newer
	}
	return old
}

func codeOf(err error) env.Code {
	if rpc, ok := err.(*env.RPCError); ok {
		return rpc.Code
	}
	return env.OK
}
