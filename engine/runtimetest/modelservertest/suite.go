package modelservertest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/runtimetest/eventlog"
	"github.com/monosim/monosim/engine/runtimetest/networktest"
)

// World is what is under test: clients, and one model server with its disk. The test implements it.
// Any task of a case may call it.
type World interface {
	// NewProcess makes a process for a client, without tasks.
	NewProcess(name string) Process

	// StartServer starts the server with an empty list of models, a poll of the disk each second,
	// and no retries of a failed load. It may return before the server answers.
	StartServer() error
	// KillServer ends the server's process at once. It waits until nothing listens any more.
	KillServer()
	// Addr returns the host:port at which the server listens, which is the same after each start.
	Addr() string
	// Newer reports whether the server uses the texts of TensorFlow Serving after 2.4 (TFS-1.3).
	Newer() bool

	// BasePath returns the path below which the server looks for a model's versions.
	BasePath(model string) string
	// AddBase makes a base path without versions, AddVersion a version that can be loaded, and
	// AddEmpty the directory of a version without a model in it. Only the case itself uses the
	// names that it adds.
	AddBase(model string)
	AddVersion(model string, version int64)
	AddEmpty(model string, version int64)

	// Wait waits until every task has ended. After a generous limit it returns an error.
	Wait() error
}

// Process is one process of the world.
type Process interface {
	env.Clock
	env.Tasks
	Models() env.ModelServers
	// Crash ends the process at once; Stop unwinds each of its tasks at the next wait. Tasks of
	// other processes may call both.
	Crash()
	Stop()
}

// Run runs all cases as subtests of t. For each it calls start to make a new world, which should be
// freed at the end of the t that start is given.
func Run(t *testing.T, start func(t *testing.T) World) {
	words, err := networktest.Recorded(networktest.Version)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(statusCases, reloadCases, waitCases, lifeCases) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // cases mostly wait
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
	// patience is the limit for calls that should end before it.
	patience = time.Minute
	// soon is the limit for calls that should reach it.
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

// program runs fn in a new process.
func (r *trial) program(name string, fn func(c *client)) Process {
	p := r.NewProcess(name)
	p.Go("main", func() {
		server := p.Models().Dial(r.Addr())
		fn(&client{p, server, r})
		server.Close()
	})
	return p
}

// served starts the server and, as soon as it answers, runs fn as the only task of a client. It
// ends the server when fn returns, and waits for everything to end.
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

// awaitServer asks the server until it answers. It uses a new channel each time, because one that
// was refused waits before it connects again.
func (c *client) awaitServer() {
	c.await(func() bool {
		server := c.Models().Dial(c.r.Addr())
		defer server.Close()
		_, err := server.Status(env.ModelSpec{}, patience)
		return codeOf(err) == rpcerrors.NotFound
	})
}

// await calls fn until it returns true. It polls because processes cannot wake each other.
func (c *client) await(fn func() bool) {
	for !fn() {
		c.Sleep(5 * ms)
	}
}

// note adds a line to the log, in which the directory of the models is replaced by /MODELS.
func (r *trial) note(format string, args ...any) {
	root := strings.TrimSuffix(r.BasePath("m"), "/m")
	r.log.Addf("%s", strings.ReplaceAll(fmt.Sprintf(format, args...), root, "/MODELS"))
}

// want fails the case if the log does not hold these lines.
func (r *trial) want(lines ...string) {
	r.Helper()
	r.log.Want(r, lines...)
}

// wantEnd is want for a log that begins with the end of a connection. It accepts a reset too,
// because TCP sends that if the side that closes has not read everything.
func (r *trial) wantEnd(lines ...string) {
	r.Helper()
	end := r.word("connection closes")
	if got := r.log.All(); len(got) > 0 && got[0] == r.word("connection is reset") {
		end = got[0]
	}
	r.want(append([]string{end}, lines...)...)
}

// word returns the recorded message of grpc-python's client for a case.
func (r *trial) word(name string) string {
	r.Helper()
	return networktest.LineOf(r, r.words, name)
}

// either returns old, which is a text of TensorFlow Serving 2.4, or its counterpart in later
// versions (TFS-1.3), depending on the server.
func (r *trial) either(old, newer string) string {
	if r.Newer() {
		return newer
	}
	return old
}

func codeOf(err error) rpcerrors.Code {
	if rpc, ok := err.(*env.RPCError); ok {
		return rpc.Code
	}
	return rpcerrors.OK
}
