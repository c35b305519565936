package realrun

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/monosim/monosim/engine/walltime"
)

// Linux sends the start of a connection again after a second, and after twice as long each further
// time. It gives up after six such retransmissions (net.ipv4.tcp_syn_retries).
const (
	firstRetransmission = time.Second
	mostRetransmissions = 6
)

// dial opens a TCP connection. The kernel's retransmissions go by the clock of the machine, so in a
// faster world a host that can be reached again would be found minutes of that world's time later.
// There dial makes a further attempt at each instant at which the kernel of such a world would send
// the start again. The first attempt that succeeds counts, as its start may only be slow.
func dial(ctx context.Context, w *walltime.World, addr string) (net.Conn, error) {
	if w.Speed() == 1 {
		return (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type result struct {
		conn net.Conn
		err  error
	}
	results := make(chan result)
	over := make(chan struct{})
	defer close(over)
	attempt := func() {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
		select {
		case results <- result{conn, err}:
		case <-over:
			if err == nil {
				conn.Close()
			}
		}
	}
	go attempt()
	rto := firstRetransmission
	for sent := 0; ; {
		again := time.NewTimer(w.Real(rto))
		select {
		case r := <-results:
			again.Stop()
			return r.conn, r.err
		case <-again.C:
		}
		if sent++; sent > mostRetransmissions {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ETIMEDOUT)}
		}
		rto *= 2
		go attempt()
	}
}
