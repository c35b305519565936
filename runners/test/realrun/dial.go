package realrun

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/monosim/monosim/engine/walltime"
)

// Linux retransmits the first packet of a connection (SYN) after one second, and doubles the wait
// before each further retransmission. It gives up after six of them (net.ipv4.tcp_syn_retries).
const (
	firstRetransmission = time.Second
	mostRetransmissions = 6
)

// dial opens a TCP connection. The kernel times its retransmissions by the machine's clock. In a
// world that runs faster, a host that becomes reachable again would therefore be noticed minutes of
// that world's time too late. In such a world, dial makes a further attempt at each instant, scaled
// to the world's clock, at which the kernel would retransmit. The first attempt that succeeds is
// used, even if it is an older one, because its first packet may only have been slow.
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
