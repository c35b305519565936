// Package zookeepertest starts the simulated ZooKeeper inside a Go test, on a free port of
// 127.0.0.1, for any client of the real one. Nothing has to be installed, and no process is
// started.
//
// Two things to use first:
//
//   - [Start] serves until the end of the test, at [Server.Addr].
//   - [Server.Stop] and [Server.Restart] make an outage. With [StandingClock], [Server.Advance]
//     expires sessions without waiting.
//
// Clients run in wall time. So does the server, without [Speed] or StandingClock. For whole
// clusters in virtual time see runners/test/simtest. To change how the server behaves: package
// wire and sim/zookeeper.
package zookeepertest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Server is a ZooKeeper server for one test. Only the test's own goroutine may call its methods.
// Clients may run on any goroutine.
type Server struct {
	tb      testing.TB
	options wire.Options
	server  *wire.Server // server is nil while stopped
	addr    string
	nowMs   *atomic.Int64 // nowMs is the time of StandingClock; nil without it
}

// Option changes how a server is started. Any func(*wire.Options) is an Option.
type Option func(*wire.Options)

// Speed makes the server's time run faster than the wall clock by the factor times. So sessions
// expire sooner: with 60, a timeout of 30 s takes half a second. Clients that ping by the wall
// clock then lose their sessions, unless an Option also sets Config.ClientSpeed.
func Speed(times float64) Option { return func(o *wire.Options) { o.Speed = times } }

// DataDir keeps the state in a directory, as a real server does. Answered writes survive even a
// crash of the process. Without it the state is in memory, and survives Stop but not the test.
func DataDir(dir string) Option { return func(o *wire.Options) { o.DataDir = dir } }

// Profile selects the server's version: zookeeper.V38, the default, or V39.
func Profile(p zookeeper.Profile) Option { return func(o *wire.Options) { o.Config.Profile = p } }

// Tick sets the server's tickTime; the default is 2 s. Sessions expire at multiples of it, and
// their timeouts are between 2 and 20 ticks.
func Tick(d time.Duration) Option {
	return func(o *wire.Options) { o.Config.TickMs = d.Milliseconds() }
}

// StandingClock stops the server's clock. Only Server.Advance then moves the clock, so sessions
// expire only when the test wants it.
func StandingClock() Option { return func(o *wire.Options) { o.Clock = standing } }

// standing is a placeholder that StandingClock sets. Start replaces it by a clock of the server's
// own.
var standing = wire.ManualClock(func() int64 { return 0 })

// Start starts a server with an empty tree, and stops it at the end of the test. If the server
// cannot start, it ends the test as failed. The server's messages for an operator go to the test's
// log.
func Start(tb testing.TB, options ...Option) *Server {
	tb.Helper()
	s := &Server{tb: tb, addr: "127.0.0.1:0"}
	s.options.Log = func(line string) { tb.Logf("zookeeper: %s", line) }
	for _, option := range options {
		option(&s.options)
	}
	if s.options.Clock == standing {
		s.nowMs = &atomic.Int64{}
		s.options.Clock = wire.ManualClock(s.nowMs.Load)
	}
	s.listen()
	tb.Cleanup(func() {
		if s.server != nil {
			s.close()
		}
	})
	return s
}

func (s *Server) listen() {
	s.tb.Helper()
	server, err := wire.Listen(s.addr, s.options)
	if err != nil {
		s.tb.Fatalf("zookeeper: %v", err)
	}
	s.server, s.addr = server, server.Addr()
}

// Addr returns the address that the server listens on, such as "127.0.0.1:41234". It stays the same
// through Stop and Restart.
func (s *Server) Addr() string { return s.addr }

// Stop ends the server and all its connections. Sessions and znodes are kept for Restart. Stop
// fails the test if the server is already stopped.
func (s *Server) Stop() {
	s.tb.Helper()
	if s.server == nil {
		s.tb.Fatal("zookeeper: found a stopped server, want one to stop")
	}
	s.close()
}

func (s *Server) close() {
	s.tb.Helper()
	if err := errors.Join(s.server.Err(), s.server.Close()); err != nil {
		s.tb.Errorf("zookeeper: %v", err)
	}
	if s.options.DataDir == "" {
		s.options.Snapshot, s.options.SnapshotMs = s.server.Snapshot()
	}
	s.server = nil
}

// Restart starts the server again after Stop, on the same address. As with a real server, sessions
// then have their full timeouts. Restart fails the test if the server is running.
func (s *Server) Restart() {
	s.tb.Helper()
	if s.server != nil {
		s.tb.Fatal("zookeeper: found a running server, want a stopped one to start again")
	}
	s.listen()
}

// Advance moves the clock of a server with StandingClock forward by d. Sessions whose clients have
// been silent for their timeouts expire. Advance fails the test if the server is stopped, or was
// started without StandingClock.
func (s *Server) Advance(d time.Duration) {
	s.tb.Helper()
	if s.nowMs == nil || s.server == nil {
		s.tb.Fatal("zookeeper: found a stopped server or a clock that runs, want a server started with StandingClock")
	}
	s.nowMs.Add(d.Milliseconds())
	s.server.Tick()
}
