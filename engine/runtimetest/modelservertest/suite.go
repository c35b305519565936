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

// World is what is under test: clients, and one model server with its disk. Tests of a model server
// implement it. Any task of a case may call it.
type World interface {
	// NewProcess makes a process for a client. It has no tasks yet.
	NewProcess(name string) Process

	// StartServer starts the server with an empty list of models. It polls the disk every second
	// and does not retry failed loads. It may return before the server answers.
	StartServer() error
	// KillServer ends the server's process at once, and waits until its port is closed.
	KillServer()
	// Addr returns host:port of the server, which is the same after each start.
	Addr() string
	// Newer reports whether the server uses the texts of TensorFlow Serving versions after 2.4
	// (TFS-1.3).
	Newer() bool

	// BasePath returns the path below which the server looks for a model's versions.
	BasePath(model string) string
	// AddBase makes a base path without versions, AddVersion a version that can be loaded, and
	// AddEmpty a version directory without a model. No other case uses the names that a case adds.
	AddBase(model string)
	AddVersion(model string, version int64)
	AddEmpty(model string, version int64)

	// Wait waits until every task has ended. It returns an error after a generous limit.
	Wait() error
}

// Process is one process of the world.
type Process interface {
	env.Clock
	env.Tasks
	Models() env.ModelServers
	// Crash ends the process at once. Stop unwinds each of its tasks at the task's next wait. Tasks
	// of other processes may call both.
	Crash()
	Stop()
}

// Run runs all cases as subtests of t. For each case it calls start to make a new world. start
// should free the world when the test ends that is passed to it.
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
	// patience is the timeout of calls that should end before it.
	patience = time.Minute
	// soon is the timeout of calls that should time out.
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

// program runs fn as the main task of a new process.
func (r *trial) program(name string, fn func(c *client)) {
	p := r.NewProcess(name)
	p.Go("main", func() {
		server := p.Models().Dial(r.Addr())
		fn(&client{p, server, r})
		server.Close()
	})
}

// served starts the server, waits until it answers, and runs fn as the only task of a client. When
// fn returns, it ends the server and waits until everything has ended.
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

// awaitServer calls the server until it answers. It uses a new channel for each call, because a
// refused channel waits before it connects again.
func (c *client) awaitServer() {
	c.await(func() bool {
		server := c.Models().Dial(c.r.Addr())
		defer server.Close()
		_, err := server.Status(env.ModelSpec{}, patience)
		return codeOf(err) == rpcerrors.NotFound
	})
}

// await calls fn until it returns true. It polls, because processes cannot wake one another.
func (c *client) await(fn func() bool) {
	for !fn() {
		c.Sleep(5 * ms)
	}
}

// note adds a line to the log. In it the directory of the models is replaced by /MODELS.
func (r *trial) note(format string, args ...any) {
	root := strings.TrimSuffix(r.BasePath("m"), "/m")
	r.log.Addf("%s", strings.ReplaceAll(fmt.Sprintf(format, args...), root, "/MODELS"))
}

// want fails the case unless the log holds exactly these lines.
func (r *trial) want(lines ...string) {
	r.Helper()
	r.log.Want(r, lines...)
}

// wantEnd checks a log that begins with the end of a connection. It also accepts a reset there,
// because TCP sends a reset if the closing side has unread data.
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

// either returns the text for the server's version: old for TensorFlow Serving 2.4, newer for later
// versions (TFS-1.3).
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
