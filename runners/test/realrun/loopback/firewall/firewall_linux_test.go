package firewall_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/monosim/monosim/runners/test/realrun/loopback/firewall"
)

// dialWithin connects and reports whether the attempt timed out at limit.
func dialWithin(t *testing.T, addr string, limit time.Duration) (conn net.Conn, late bool) {
	t.Helper()
	conn, err := net.DialTimeout("tcp", addr, limit)
	if timeout := net.Error(nil); errors.As(err, &timeout) && timeout.Timeout() {
		return nil, true
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn, false
}

// ownPrefix returns the beginning of addresses that most likely nobody else uses.
func ownPrefix() string {
	return fmt.Sprintf("127.%d.%d.", 1+os.Getpid()/250%250, 1+os.Getpid()%250)
}

func connectionOf(c net.Conn) firewall.Connection {
	return firewall.Connection{Local: c.LocalAddr().(*net.TCPAddr).AddrPort(), Remote: c.RemoteAddr().(*net.TCPAddr).AddrPort()}
}

// Goal: only the connections of the process that is cut off end, not another process's that have the
// same port. Method: two connections from one port, which the kernel gives to whoever calls
// another server.
func TestAPortIsNoConnection(t *testing.T) {
	prefix := ownPrefix()
	shared := func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1) })
		return errors.Join(err, failed)
	}
	var from net.Addr = &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)}
	var near, far [2]net.Conn
	for i := range near {
		l, err := net.Listen("tcp", net.JoinHostPort(prefix+"5", "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if near[i], err = (&net.Dialer{LocalAddr: from, Control: shared}).Dial("tcp", l.Addr().String()); err != nil {
			t.Fatal(err)
		}
		defer near[i].Close()
		if far[i], err = l.Accept(); err != nil {
			t.Fatal(err)
		}
		defer far[i].Close()
		from = near[i].LocalAddr()
	}
	end, err := firewall.ShutOff(prefix+"2", true, nil, []firewall.Connection{connectionOf(near[0])})
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("%v; want root", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := end(); err != nil {
			t.Error(err)
		}
	}()
	for i, want := range []error{syscall.ECONNRESET, nil} {
		if _, err := near[i].Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		_, _ = far[i].Write([]byte("y"))                              // the first is reset by now, or is by this
		_ = near[i].SetReadDeadline(time.Now().Add(10 * time.Second)) // cannot fail on a socket
		if _, err := near[i].Read(make([]byte, 1)); !errors.Is(err, want) {
			t.Errorf("connection %d from port %v: got %v, want %v", i+1, from, err, want)
		}
	}
}

// Goal: an unreachable address answers nothing, and an open connection to it goes on
// afterwards. Excepted ports and other addresses answer meanwhile.
func TestAnUnreachableAddress(t *testing.T) {
	prefix := ownPrefix()
	serve := func(last string) net.Listener {
		l, err := net.Listen("tcp", net.JoinHostPort(prefix+last, "0"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { l.Close() })
		return l
	}
	hit, kept, other := serve("2"), serve("3"), serve("4")
	open, _ := dialWithin(t, hit.Addr().String(), 5*time.Second)
	far, err := hit.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()

	end, err := firewall.ShutOff(prefix+"2", false, []int{kept.Addr().(*net.TCPAddr).Port}, nil)
	if errors.Is(err, os.ErrPermission) {
		t.Skipf("%v; want root", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := false
	defer func() {
		if !ended {
			_ = end() // the error is not looked at: the test has failed already
		}
	}()
	list, err := firewall.ConnectionsTo(os.Getpid(), prefix)
	if err != nil || !slices.Contains(list, connectionOf(open)) {
		t.Errorf("connections to %s: got %v, %v, want %v among them", prefix, list, err, connectionOf(open))
	}
	if _, late := dialWithin(t, hit.Addr().String(), 100*time.Millisecond); !late {
		t.Error("want no answer from an unreachable address")
	}
	if _, late := dialWithin(t, other.Addr().String(), 5*time.Second); late {
		t.Error("want another address to answer")
	}
	called := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(prefix + "2")}, Timeout: 5 * time.Second}
	conn, err := called.Dial("tcp", kept.Addr().String())
	if err != nil {
		t.Errorf("a call of a server whose port is kept: %v", err)
	} else {
		conn.Close()
	}
	if _, err := open.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 1)
	_ = far.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // cannot fail on a socket
	if _, err := far.Read(buffer); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("want nothing to arrive, got %v", err)
	}
	ended = true
	if err := end(); err != nil {
		t.Fatal(err)
	}
	_ = far.SetReadDeadline(time.Now().Add(10 * time.Second)) // cannot fail on a socket
	if _, err := far.Read(buffer); err != nil {
		t.Errorf("want what was sent to arrive afterwards: %v", err)
	}
	if _, late := dialWithin(t, hit.Addr().String(), 5*time.Second); late {
		t.Error("want an answer afterwards")
	}

	end, err = firewall.ShutOff(prefix+"2", true, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ended = false
	if conn, err := net.DialTimeout("tcp", hit.Addr().String(), 5*time.Second); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a new connection: got %v, %v, want it refused", conn, err)
	}
	if _, err := open.Write([]byte("y")); err != nil {
		t.Fatal(err)
	}
	_ = open.SetReadDeadline(time.Now().Add(10 * time.Second)) // cannot fail on a socket
	if _, err := open.Read(buffer); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("an open connection: got %v, want it reset", err)
	}
	ended = true
	if err := end(); err != nil {
		t.Fatal(err)
	}
}
