// Package zookeepertest starts the simulated ZooKeeper inside a Go test, on a free
// port of 127.0.0.1, for any client of the real one. Nothing has to be installed, and
// no process is started.
//
// Two things to use first:
//
//   - [Start] serves for the time of a test; [Server.Addr] is where.
//   - [Server.Stop] and [Server.Restart] are an outage, [StandingClock] and
//     [Server.Advance] let sessions expire without waiting for them.
//
// Clients live in wall time, and so does the server, unless Speed or StandingClock say
// otherwise; for whole clusters in virtual time see runners/test/simtest. To change how the
// server behaves look in package wire and in sim/zookeeper.
package zookeepertest

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Server is a ZooKeeper for the time of a test. Only the test's own goroutine may call
// its methods; clients may be anywhere.
type Server struct {
	tb      testing.TB
	options wire.Options
	server  *wire.Server // nil while stopped
	addr    string
	nowMs   *atomic.Int64 // of StandingClock, else nil
}

// Option changes what a server is started with. Besides those of this package any
// func(*wire.Options) is one.
type Option func(*wire.Options)

// Speed has the server's time pass that many times faster than the wall clock, so that
// sessions expire sooner: 60 makes a timeout of 30 s half a second. Clients that ping by
// the wall clock then lose theirs; Config.ClientSpeed in an Option of one's own keeps
// them.
func Speed(times float64) Option { return func(o *wire.Options) { o.Speed = times } }

// DataDir keeps the state in a directory, as a real server does: what was answered
// survives any end of the process. Without it the state is in memory, and outlives
// Stop but not the test.
func DataDir(dir string) Option { return func(o *wire.Options) { o.DataDir = dir } }

// Profile is the version to be: zookeeper.V38, which is the default, or V39.
func Profile(p zookeeper.Profile) Option { return func(o *wire.Options) { o.Config.Profile = p } }

// Tick is the server's tickTime, 2 s by default: sessions expire on its grid, and their
// timeouts are between 2 and 20 ticks.
func Tick(d time.Duration) Option {
	return func(o *wire.Options) { o.Config.TickMs = d.Milliseconds() }
}

// StandingClock has the server's time stand still but for Server.Advance, so that no
// session expires unless the test lets it.
func StandingClock() Option { return func(o *wire.Options) { o.Clock = standing } }

// standing is replaced by a clock of the server's own.
var standing = wire.ManualClock(func() int64 { return 0 })

// Start serves an empty tree until the end of the test, which it ends at once if that
// cannot be. What the server has to say to an operator is in the log of the test.
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

// Addr is where the server listens, as "127.0.0.1:41234". It stays the same through
// Stop and Restart.
func (s *Server) Addr() string { return s.addr }

// Stop ends the server and with it all connections. Sessions and znodes stay for
// Restart. A server that is stopped already ends the test.
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

// Restart serves again where Stop ended, on the same address. As with a real server
// sessions have their whole timeouts then. A server that runs ends the test.
func (s *Server) Restart() {
	s.tb.Helper()
	if s.server != nil {
		s.tb.Fatal("zookeeper: found a running server, want a stopped one to start again")
	}
	s.listen()
}

// Advance moves the clock of a server that was started with StandingClock, and expires
// the sessions that have not been heard of for their timeouts then. Any other server
// ends the test, as does one that is stopped.
func (s *Server) Advance(d time.Duration) {
	s.tb.Helper()
	if s.nowMs == nil || s.server == nil {
		s.tb.Fatal("zookeeper: found a stopped server or a clock that runs, want a server started with StandingClock")
	}
	s.nowMs.Add(d.Milliseconds())
	s.server.Tick()
}
