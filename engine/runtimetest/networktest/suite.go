package networktest

import (
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/runtimetest/eventlog"
)

// World is what is under test: two hosts and the network between them. The test
// implements it; any task of a case may call it.
type World interface {
	// NewClient and NewServer begin a process on the one and the other host.
	NewClient(name string) Process
	NewServer(name string) Process
	// Addr is where clients reach the port of the servers' host.
	Addr(port int) string
	// FragileAddr is the same for connections that ResetConns breaks, as a TCP reset
	// does. It is asked for one port only.
	FragileAddr(port int) string
	ResetConns()
	// Silent is the address of a host that answers nothing.
	Silent() string
	// Wait waits until every task has ended; it gives up after a generous limit.
	Wait() error
}

// Process is one process of the world.
type Process interface {
	env.Clock
	env.Tasks
	Network() env.Network
	// Crash ends the process at once, Stop unwinds each task at its next wait. Both
	// may be called by tasks of other processes.
	Crash()
	Stop()
}

// Run runs all cases as subtests of t. It calls start for a fresh world before each,
// which is freed at the end of the t that it was given.
func Run(t *testing.T, start func(t *testing.T) World) {
	statuses, err := Recorded(Version)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range slices.Concat(callCases, failureCases, lifeCases) {
		t.Run(c.name, func(t *testing.T) {
			c.run(&trial{T: t, World: start(t), statuses: statuses})
		})
	}
}

type testCase struct {
	name string
	run  func(r *trial)
}

// method is what clients call where it does not matter.
const method = "/svc/Do"

const ms = time.Millisecond

// patience is the limit of calls that are expected to end before it.
const patience = time.Minute

// trial is one case in one world.
type trial struct {
	*testing.T
	World
	statuses map[string]Status

	server  Process
	port    atomic.Int64 // of the server, once it listens
	fragile bool         // serve dials the fragile address

	log eventlog.Log
}

// handler answers a request in a task of the server s.
type handler func(s Process, method string, request []byte) ([]byte, error)

func echo(_ Process, _ string, request []byte) ([]byte, error) { return request, nil }

// serve begins the server and, when it listens, runs client as a task of another
// process; after it both end.
func (r *trial) serve(workers int, h handler, client func(c Process, ch env.Channel)) {
	r.Helper()
	r.beginServer(0, workers, h)
	r.client(func(c Process) {
		r.awaitServer(c)
		ch := c.Network().Dial(r.address(r.serverPort()))
		client(c, ch)
		ch.Close()
		r.server.Stop()
	})
}

// address returns the address that a client of serve dials.
func (r *trial) address(port int) string {
	if r.fragile {
		return r.FragileAddr(port)
	}
	return r.Addr(port)
}

// client runs fn as the only task of a client and waits for the end of all.
func (r *trial) client(fn func(c Process)) {
	r.Helper()
	c := r.NewClient("client")
	c.Go("main", func() { fn(c) })
	if err := r.Wait(); err != nil {
		r.Fatalf("%v\nthe log: %q", err, r.log.All())
	}
}

// beginServer serves until the process is stopped.
func (r *trial) beginServer(port, workers int, h handler) {
	s := r.NewServer("server")
	r.server = s
	s.Go("main", func() {
		server, err := s.Network().Serve(port, workers, func(method string, request []byte) ([]byte, error) {
			return h(s, method, request)
		})
		if err != nil {
			r.Errorf("serve: %v", err)
			return
		}
		r.port.Store(int64(server.Port()))
		s.NewCond("the end").Wait()
	})
}

func (r *trial) serverPort() int { return int(r.port.Load()) }

func (r *trial) awaitServer(c Process) {
	await(c, func() bool { return r.serverPort() != 0 })
}

// await looks until fn is true: processes know nothing else of one another.
func await(c Process, fn func() bool) {
	for !fn() {
		c.Sleep(ms)
	}
}

// call notes what a call came to.
func (r *trial) call(ch env.Channel, request string, timeout time.Duration) {
	r.note("%s", outcome(ch.Call(method, []byte(request), timeout)))
}

func outcome(answer []byte, err error) string {
	if err != nil {
		return err.Error()
	}
	return strconv.Quote(string(answer))
}

func (r *trial) note(format string, args ...any) {
	r.log.Addf(format, args...)
}

// want compares the log.
func (r *trial) want(lines ...string) {
	r.Helper()
	r.log.Want(r, lines...)
}

// recorded returns the line of a status that grpc-python's client was seen to give.
func (r *trial) recorded(name string) string {
	r.Helper()
	return LineOf(r, r.statuses, name)
}
