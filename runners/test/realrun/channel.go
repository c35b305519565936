package realrun

import (
	"context"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/stats"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/engine/walltime"
)

// channel is a real gRPC channel of a process. The gRPC library connects and backs off by
// itself.
type channel struct {
	p      *walltime.Process
	addr   string
	conn   *grpc.ClientConn
	closed atomic.Bool

	mu       sync.Mutex
	dialErr  error // error of the last attempt to connect
	brokenBy error // error that ended the last connection
}

func newChannel(p *walltime.Process, addr string) *channel {
	c := &channel{p: p, addr: addr}
	conn, err := grpc.NewClient("passthrough:///"+addr,
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(c.connect),
		grpc.WithStatsHandler(watcher{}),
		grpc.WithConnectParams(connectParams(p.World())),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(grpccore.Bytes{}), grpc.MaxCallRecvMsgSize(env.MaxMessageBytes)),
	)
	if err != nil {
		panic("realrun: gRPC does not take " + addr + ": " + err.Error()) // gRPC accepts any address when a channel is made
	}
	c.conn = conn
	p.OnEnd(c.end)
	if p.Dead() {
		c.end() // the process died before OnEnd was called
	}
	return c
}

// minConnectTimeout is the least time that gRPC allows for one attempt to connect. The value
// is gRPC's own default.
const minConnectTimeout = 20 * time.Second

// connectParams returns gRPC's default back-off, scaled to the speed of the world's clock.
func connectParams(w *walltime.World) grpc.ConnectParams {
	params := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: w.Real(minConnectTimeout)}
	params.Backoff.BaseDelay = w.Real(params.Backoff.BaseDelay)
	params.Backoff.MaxDelay = w.Real(params.Backoff.MaxDelay)
	return params
}

// Call makes a call; other tasks of the process run meanwhile.
func (c *channel) Call(method string, request []byte, timeout time.Duration) ([]byte, error) {
	var (
		progress progress
		response []byte
		err      error
	)
	c.p.Block(func(ctx context.Context) {
		if timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, c.p.World().Real(timeout))
			defer cancel()
		}
		err = c.conn.Invoke(context.WithValue(ctx, progressKey{}, &progress), method, &request, &response)
	})
	if err != nil {
		return nil, c.worded(err, &progress)
	}
	return response, nil
}

// Close ends the connection and fails the waiting calls.
func (c *channel) Close() {
	c.p.Check()
	c.end()
}

func (c *channel) end() {
	if !c.closed.Swap(true) {
		_ = c.conn.Close() // the error is not looked at: it says that the connection was closed already
	}
}

// connect dials for gRPC.
func (c *channel) connect(ctx context.Context, addr string) (net.Conn, error) {
	conn, err := dial(ctx, c.p.World(), addr)
	c.mu.Lock()
	c.dialErr = err
	c.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return &watchedConn{Conn: conn, of: c}, nil
}

// watchedConn records in its channel how the connection ended.
type watchedConn struct {
	net.Conn
	of     *channel
	broken atomic.Bool
}

func (w *watchedConn) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	w.note(err)
	return n, err
}

// Write records its error, because a broken connection may show in Write before it shows in
// Read.
func (w *watchedConn) Write(b []byte) (int, error) {
	n, err := w.Conn.Write(b)
	w.note(err)
	return n, err
}

// note keeps only the first error. It names the cause, and later errors follow from it.
func (w *watchedConn) note(err error) {
	if err == nil || errors.Is(err, net.ErrClosed) || w.broken.Swap(true) {
		return
	}
	w.of.mu.Lock()
	w.of.brokenBy = err
	w.of.mu.Unlock()
}

// progress says how far a call came. The error text of grpc-python depends on it.
type progress struct {
	// sent is set when the request was sent on a connection, answered when the server returned a
	// status.
	sent, answered atomic.Bool
}

type progressKey struct{}

// watcher is a stats handler that records the progress of calls.
type watcher struct{}

func (watcher) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context { return ctx }

func (watcher) HandleRPC(ctx context.Context, s stats.RPCStats) {
	p, ok := ctx.Value(progressKey{}).(*progress)
	if !ok {
		return
	}
	switch s.(type) {
	case *stats.OutHeader:
		p.sent.Store(true)
	case *stats.InTrailer:
		p.answered.Store(true)
	}
}

func (watcher) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (watcher) HandleConn(context.Context, stats.ConnStats) {}

var _ env.Channel = (*channel)(nil)
