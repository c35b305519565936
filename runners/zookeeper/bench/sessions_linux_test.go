package bench_test

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/runners/zookeeper/bench"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Goal: 10,000 connected sessions with 100 watches each take less than 1 GiB of a
// server, and a change reaches all who watch it. Method: a server in a process of
// its own; every session watches one znode that all watch and 99 of its own, which
// is the dearest way. The kernel says how much memory the server has, before and
// after the events; that of the race detector is not counted. The short test has
// fewer sessions and as much less memory.
func TestManySessionsWithWatches(t *testing.T) {
	sessions := 10_000
	if testing.Short() {
		sessions = 500
	}
	needFiles(t, sessions)
	const ofServer = 64 << 20 // without sessions
	limit := int64(ofServer + (1<<30-ofServer)*sessions/10_000)

	t.Setenv(serveHere, "1")
	server, err := bench.Start("simulated", os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	writer := newSession(t, server.Addr)
	writer.ask(1, zookeeper.Request{Op: zookeeper.OpCreate, Path: watched, ACL: acl.Open()})

	all := make([]*session, sessions)
	defer func() {
		for _, s := range all {
			if s != nil {
				s.tcp.Close()
			}
		}
	}()
	inParallel(sessions, func(i int) {
		all[i] = newSession(t, server.Addr)
		all[i].watch(i)
	})
	expectMemory(t, server, limit, "with all watches left")
	writer.ask(1, zookeeper.Request{Op: zookeeper.OpSetData, Path: watched, Version: -1})
	inParallel(sessions, func(i int) { all[i].expectEvent() })
	expectMemory(t, server, limit, "after the events")
}

// Goal: Hold connects all sessions, and each is notified of the change. Method: fewer
// sessions than in a real measurement, with no limit on memory.
func TestHold(t *testing.T) {
	t.Setenv(serveHere, "1")
	server, err := bench.Start("simulated", os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}()
	const count = 300
	s, err := bench.Hold(server, count)
	if err != nil {
		t.Fatal(err)
	}
	if s.Count != count || s.Bytes <= 0 || s.After <= 0 || s.Forecast(count) < s.Bytes {
		t.Errorf("got %+v", s)
	}
}

// needFiles skips the test if the process cannot have n files open.
func needFiles(t *testing.T, n int) {
	t.Helper()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	if want := uint64(n + 100); limit.Max < want {
		t.Skipf("the limit of open files is %d, want %d", limit.Max, want)
	}
}

// inParallel calls do with 0 to n-1 from 20 goroutines.
func inParallel(n int, do func(i int)) {
	const workers = 20
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := w; i < n; i += workers {
				do(i)
			}
		})
	}
	wg.Wait()
}

func expectMemory(t *testing.T, server *bench.Server, limit int64, when string) {
	t.Helper()
	bytes, err := process.Resident(server.PID)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d MiB", when, bytes>>20)
	if bytes > limit && !raceDetector {
		t.Errorf("%s the server has %d MiB, want at most %d", when, bytes>>20, limit>>20)
	}
}

const (
	watched    = "/watched"
	ownWatches = 99
)

// session is a client that needs little more memory than its socket. Its first failure is an
// error of the test, after which its methods do nothing.
type session struct {
	t      *testing.T
	tcp    net.Conn
	in     *bufio.Reader
	failed bool
}

func newSession(t *testing.T, addr string) *session {
	s := &session{t: t}
	tcp, err := net.Dial("tcp", addr)
	if s.fail(err) {
		return s
	}
	s.tcp = tcp
	s.in = bufio.NewReaderSize(tcp, 128)
	s.fail(tcp.SetDeadline(time.Now().Add(5 * time.Minute)))
	s.write(wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{
		TimeoutMs: int32(longSession.Milliseconds()), Password: make([]byte, 16),
	}))
	s.message()
	return s
}

func (s *session) fail(err error) bool {
	if err != nil && !s.failed {
		s.failed = true
		s.t.Error(err)
	}
	return s.failed
}

func (s *session) write(b []byte) {
	if s.failed {
		return
	}
	_, err := s.tcp.Write(b)
	s.fail(err)
}

func (s *session) message() []byte {
	var head [4]byte
	if s.failed {
		return nil
	}
	if _, err := io.ReadFull(s.in, head[:]); s.fail(err) {
		return nil
	}
	message := make([]byte, binary.BigEndian.Uint32(head[:]))
	_, err := io.ReadFull(s.in, message)
	s.fail(err)
	return message
}

// ask sends a request and expects the code OK in the answer.
func (s *session) ask(xid int32, req zookeeper.Request) {
	req.Xid = xid
	s.write(wire.AppendRequest(nil, &req))
	s.expectReply(xid, req.Op, zookeeper.CodeOK)
}

func (s *session) expectReply(xid int32, op zookeeper.OpCode, code zookeeper.Code) {
	message := s.message()
	if s.failed {
		return
	}
	reply, err := wire.DecodeReply(message, op)
	if err == nil && (reply.Xid != xid || reply.Err != code) {
		err = fmt.Errorf("got %s with xid %d, want %s with %d", reply.String(), reply.Xid, zookeeper.CodeName(code), xid)
	}
	s.fail(err)
}

// watch sets the watches of the i-th session: one on the common znode, and others on znodes
// of its own that do not exist.
func (s *session) watch(i int) {
	var b []byte
	for xid := range int32(ownWatches + 1) {
		req := zookeeper.Request{Xid: xid, Op: zookeeper.OpExists, Path: watched, Watch: true}
		if xid > 0 {
			req.Path = fmt.Sprintf("/session-%05d/znode-%02d", i, xid)
		}
		b = wire.AppendRequest(b, &req)
	}
	s.write(b)
	s.expectReply(0, zookeeper.OpExists, zookeeper.CodeOK)
	for xid := range int32(ownWatches) {
		s.expectReply(xid+1, zookeeper.OpExists, -101)
	}
}

func (s *session) expectEvent() {
	message := s.message()
	if s.failed {
		return
	}
	event, err := wire.DecodeEvent(message)
	if want := (zookeeper.Event{Type: 3, Path: watched, Zxid: -1}); err == nil && event != want {
		err = fmt.Errorf("got %v, want %v", event, want)
	}
	if s.in.Buffered() > 0 {
		err = errors.Join(err, errors.New("got more than one event"))
	}
	s.fail(err)
}
