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

// World is the subject of the tests: two hosts and the network between them. The runtime's test
// implements it. Any task of a case may call its methods.
type World interface {
	// NewClient makes a process on one host, NewServer makes one on the other host.
	NewClient(name string) Process
	NewServer(name string) Process
	// Addr returns the address at which clients reach a port of the host that runs the servers.
	Addr(port int) string
	// FragileAddr is like Addr, but for connections that ResetConns breaks with a TCP reset. Cases
	// call it for one port only.
	FragileAddr(port int) string
	ResetConns()
	// Silent returns the address of a host that never responds.
	Silent() string
	// Wait waits until every task has ended. It returns an error after a generous time limit.
	Wait() error
}

// Process is one process of the world.
type Process interface {
	env.Clock
	env.Tasks
	Network() env.Network
	// Crash ends the process at once. Stop unwinds each of its tasks at the task's next wait. Tasks
	// of other processes may call both.
	Crash()
	Stop()
}

// Run runs all cases as subtests of t. It calls start for each case to make a new world. start
// should free the world when the test ends that is passed to it.
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

// method is the RPC method that clients call if the method does not matter.
const method = "/svc/Do"

const ms = time.Millisecond

// patience is the timeout of calls that should end before it.
const patience = time.Minute

// trial is one case in one world.
type trial struct {
	*testing.T
	World
	statuses map[string]Status

	server  Process
	port    atomic.Int64 // port of the server; 0 until it listens
	fragile bool         // serve uses FragileAddr

	log eventlog.Log
}

// handler answers a request. It runs in a task of the server s.
type handler func(s Process, method string, request []byte) ([]byte, error)

func echo(_ Process, _ string, request []byte) ([]byte, error) { return request, nil }

// serve starts the server, waits until it listens, and runs client in another process. It ends
// both processes when client returns.
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

// address returns the address that the client of serve uses for a port.
func (r *trial) address(port int) string {
	if r.fragile {
		return r.FragileAddr(port)
	}
	return r.Addr(port)
}

// client runs fn as the only task of a client and waits for all tasks to end.
func (r *trial) client(fn func(c Process)) {
	r.Helper()
	c := r.NewClient("client")
	c.Go("main", func() { fn(c) })
	if err := r.Wait(); err != nil {
		r.Fatalf("%v\nthe log: %q", err, r.log.All())
	}
}

// beginServer starts the server, which serves until its process stops.
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

// await calls fn until it returns true. It polls because processes cannot wake each other.
func await(c Process, fn func() bool) {
	for !fn() {
		c.Sleep(ms)
	}
}

// call makes a call and logs its result.
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

// want fails the case unless the log holds exactly these lines.
func (r *trial) want(lines ...string) {
	r.Helper()
	r.log.Want(r, lines...)
}

// recorded returns the status line that grpc-python's client produced in the named case.
func (r *trial) recorded(name string) string {
	r.Helper()
	return LineOf(r, r.statuses, name)
}
