package realrun

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
)

// Options holds the settings of a network.
type Options struct {
	// ListenHost is the address on which servers listen. "" means 127.0.0.1. "0.0.0.0" and "::"
	// mean all addresses of the host.
	ListenHost string
	// Localhost replaces localhost and 127.0.0.1 in addresses to dial, as if the process were in
	// a container with its own loopback. "" leaves addresses unchanged.
	Localhost string
}

// Network is the env.Network of one process. Its sockets are closed when the process ends.
type Network struct {
	p *walltime.Process
	o Options

	mu    sync.Mutex
	https map[net.Conn]struct{} // open connections that speak plain HTTP
}

// NewNetwork makes the network of p.
func NewNetwork(p *walltime.Process, o Options) *Network {
	o.ListenHost = cmp.Or(o.ListenHost, "127.0.0.1")
	n := &Network{p: p, o: o, https: map[net.Conn]struct{}{}}
	p.OnEnd(n.closeHTTP)
	return n
}

// Serve listens on a port of Options.ListenHost.
func (n *Network) Serve(port, workers int, handler env.Handler) (env.Server, error) {
	n.p.Check()
	var l net.Listener
	var err error
	n.p.Block(func(ctx context.Context) {
		config := net.ListenConfig{Control: sharePort}
		l, err = config.Listen(ctx, "tcp", net.JoinHostPort(n.o.ListenHost, strconv.Itoa(port)))
	})
	if err != nil {
		return nil, fmt.Errorf("serve gRPC: %w", err)
	}
	return newServer(n.p, l, workers, handler), nil
}

// Dial makes a channel to addr. Unlike grpc-python it ignores proxy settings.
func (n *Network) Dial(addr string) env.Channel {
	n.p.Check()
	return newChannel(n.p, n.resolve(addr))
}

// resolve replaces localhost and 127.0.0.1 in an address by Options.Localhost.
func (n *Network) resolve(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if n.o.Localhost != "" && err == nil && (host == "localhost" || host == "127.0.0.1") {
		return net.JoinHostPort(n.o.Localhost, port)
	}
	return addr
}

// Probe connects by TCP and closes the connection at once. It waits no longer than timeout. If
// timeout is 0, it waits as long as the kernel would, counted in the time of the world.
func (n *Network) Probe(addr string, timeout time.Duration) (err error) {
	n.p.Block(func(whole context.Context) {
		ctx, cancel := whole, context.CancelFunc(func() {})
		if timeout > 0 {
			ctx, cancel = context.WithTimeout(whole, n.p.World().Real(timeout))
		}
		defer cancel()
		var conn net.Conn
		if conn, err = dial(ctx, n.p.World(), n.resolve(addr)); err == nil {
			err = conn.Close()
		} else if whole.Err() == nil && ctx.Err() != nil {
			err = env.ErrProbeTimedOut
		}
	})
	return err
}

var _ env.Network = (*Network)(nil)
