package bench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/monosim/monosim/runners/process"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Sessions holds the memory of a server's process in bytes at four times. These are before
// clients connect, with half of them, with all, and after all were notified of one change.
type Sessions struct {
	Count                      int
	Before, Half, Bytes, After int64
	// Limited is true if the limit of open files allowed fewer sessions than wanted.
	Limited bool
}

// FromHalf predicts the memory with all sessions from the memory with half of them.
func (s *Sessions) FromHalf() int64 { return s.Before + 2*(s.Half-s.Before) }

// Forecast predicts the memory with count sessions. It scales the larger of two figures:
// with all sessions, and after the change.
func (s *Sessions) Forecast(count int) int64 {
	return s.Before + int64(float64(max(s.Bytes, s.After)-s.Before)/float64(s.Count)*float64(count))
}

// sessionTimeout is long enough that no session needs pings.
const sessionTimeout = time.Hour

// SessionFlags returns the command line flags that a server needs for Hold.
func SessionFlags() []string { return []string{"--max-session-timeout", sessionTimeout.String()} }

// dialers is how many clients connect at the same time, and addresses is how many loopback
// addresses they connect from. One address has fewer ports than there are clients, and its last
// free ports take long to find.
const (
	dialers   = 20
	addresses = 100
)

// HoldOn starts a server with the command line serve and runs Hold on it. It first raises
// the limit of open files, if the system allows that.
func HoldOn(count int, serve ...string) (s *Sessions, err error) {
	raiseFiles(count + spareFiles)
	server, err := Start("simulated", serve...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	return Hold(server, count)
}

// Hold connects count clients to the server, or as many as the limit of open files allows.
// Each client creates an ephemeral znode and sets a watch on a common znode. Hold then
// changes this znode, so that every watch fires.
func Hold(server *Server, count int) (s *Sessions, err error) {
	s = &Sessions{Count: min(count, openFiles()-spareFiles)}
	s.Limited = s.Count < count
	if s.Count <= 0 {
		return nil, fmt.Errorf("the limit of open files is %d, want more than %d", openFiles(), spareFiles)
	}
	if err := makeRoot(server.Addr); err != nil {
		return nil, err
	}
	if s.Before, err = process.Resident(server.PID); err != nil {
		return nil, err
	}
	all := make([]net.Conn, s.Count)
	defer func() {
		for _, c := range all {
			if c != nil {
				c.Close()
			}
		}
	}()
	connect := func(from, to int, bytes *int64) error {
		err := each(to-from, func(i int) (err error) {
			all[from+i], err = holdOne(server.Addr, from+i)
			return err
		})
		if err == nil {
			*bytes, err = process.Resident(server.PID)
		}
		return err
	}
	half := s.Count / 2
	if err := connect(0, half, &s.Half); err != nil {
		return nil, err
	}
	if err := connect(half, s.Count, &s.Bytes); err != nil {
		return nil, err
	}
	writer, err := dial(server.Addr, 0) // the session is opened only now, because it would expire while the others connect
	if err != nil {
		return nil, err
	}
	defer writer.tcp.Close()
	change := wire.AppendRequest(nil, &zookeeper.Request{Op: zookeeper.OpSetData, Path: root, Version: -1})
	if _, err := writer.tcp.Write(change); err != nil {
		return nil, err
	}
	if err := each(s.Count, func(i int) error { return message(all[i]) }); err != nil {
		return nil, fmt.Errorf("wait for the event: %w", err)
	}
	s.After, err = process.Resident(server.PID)
	return s, err
}

// makeRoot creates the znode that all sessions watch, if it is missing.
func makeRoot(addr string) error {
	c, err := dial(addr, 0)
	if err != nil {
		return err
	}
	defer c.tcp.Close()
	return c.ensureRoot()
}

// spareFiles is how many open files this process keeps free for purposes other than clients.
const spareFiles = 200

// each runs do with every number from 0 to n-1, in several goroutines. A goroutine stops at its
// first error. The result is the errors of all goroutines, joined.
func each(n int, do func(i int) error) error {
	errs := make([]error, dialers)
	var wg sync.WaitGroup
	for d := range dialers {
		wg.Go(func() {
			for i := d; i < n && errs[d] == nil; i += dialers {
				errs[d] = do(i)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// holdOne opens the i-th session and returns its connection.
func holdOne(addr string, i int) (net.Conn, error) {
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(1+i%addresses))}}
	c, err := dialer.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	frames := wire.AppendConnectRequest(nil, &zookeeper.ConnectRequest{TimeoutMs: int32(sessionTimeout.Milliseconds()), Password: make([]byte, 16)})
	frames = wire.AppendRequest(frames, &zookeeper.Request{
		Op: zookeeper.OpCreate, Path: fmt.Sprintf("%s/session-%06d", root, i), Data: make([]byte, 100), ACL: acl.Open(), Flags: zookeeper.FlagEphemeral,
	})
	frames = wire.AppendRequest(frames, &zookeeper.Request{Op: zookeeper.OpExists, Path: root, Watch: true})
	_, err = c.Write(frames)
	for answers := 0; answers < 3 && err == nil; answers++ {
		err = message(c)
	}
	return c, err
}

// answerLimit is the longest wait for a message of the server.
const answerLimit = 5 * time.Minute

// message waits for one message of the server and discards its content.
func message(c net.Conn) error {
	if err := c.SetReadDeadline(time.Now().Add(answerLimit)); err != nil {
		return err
	}
	var head [4]byte
	if _, err := io.ReadFull(c, head[:]); err != nil {
		return err
	}
	_, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(head[:])))
	return err
}
