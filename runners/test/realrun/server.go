package realrun

import (
	"context"
	"errors"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/grpccore"
	"github.com/monosim/monosim/engine/walltime"
)

// server is a gRPC server of a process.
type server struct {
	p       *walltime.Process
	port    int
	handler env.Handler
	// slots has one place for each request that may run at the same time. nil means no limit.
	slots    chan struct{}
	listener net.Listener
	grpc     *grpccore.Server
}

// refusableBytes is the size up to which a too large request is still received, so that it
// can be refused with grpc-python's text. Larger requests get the text of today's C-core.
const refusableBytes = 16 * env.MaxMessageBytes

// streamWorkers is the number of goroutines that answer calls, one call after the other. They are
// reused because a goroutine's stack is large enough from its second call on. Calls beyond that
// number get a goroutine of their own.
const streamWorkers = 16

func newServer(p *walltime.Process, l net.Listener, workers int, handler env.Handler) *server {
	s := &server{p: p, port: l.Addr().(*net.TCPAddr).Port, handler: handler, listener: l}
	if workers > 0 {
		s.slots = make(chan struct{}, workers)
	}
	s.grpc = grpccore.New(grpccore.Options{Codec: grpccore.Bytes{}, Unknown: s.take, MaxReceive: new(refusableBytes)}, grpc.NumStreamWorkers(streamWorkers))
	// The error of Serve is ignored. Once the server is stopped, it means nothing. Before that it
	// means a broken listener, which clients learn from their calls.
	go func() { _ = s.grpc.Serve(l) }()
	p.OnEnd(s.stop)
	if p.Dead() {
		s.stop() // the process died before OnEnd was called
	}
	return s
}

// Port returns the port that the server listens on.
func (s *server) Port() int { return s.port }

// Stop closes the listener and all connections. Running handlers continue to their end, but
// their answers are dropped.
func (s *server) Stop() {
	s.p.Block(func(context.Context) { s.stop() })
}

// stop closes the listener itself, because gRPC may not have taken over the listener yet.
func (s *server) stop() {
	_ = s.listener.Close() // the error is not looked at: it says that the listener was closed already
	s.grpc.Stop()
}

// take answers one call, in the call's own goroutine.
func (s *server) take(_ any, stream grpc.ServerStream) error {
	request, err := grpccore.Take(stream)
	if err != nil {
		return err
	}
	if len(request) > env.MaxMessageBytes {
		return status.Errorf(codes.ResourceExhausted, rpcerrors.MessageTooLarge, len(request), env.MaxMessageBytes)
	}
	ctx := stream.Context()
	if s.slots != nil {
		select {
		case s.slots <- struct{}{}: // a Go channel serves its senders in the order in which they came
			defer func() { <-s.slots }()
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return unasked(ctx.Err()) // grpc-python does not start a call that was cancelled in the queue
	}
	method, _ := grpc.Method(ctx)
	var response []byte
	if s.p.Request(method, func() { response, err = s.handler(method, request) }) != nil {
		<-ctx.Done() // blocks until the process ends, which closes its connections
		return unasked(ctx.Err())
	}
	if err != nil {
		return statusOf(err)
	}
	return stream.SendMsg(&response)
}

// statusOf converts a handler's error to the status that the client gets. Other errors than
// RPC errors get grpc-python's text for an exception in a servicer (_server.py).
func statusOf(err error) error {
	if rpc, ok := errors.AsType[*env.RPCError](err); ok {
		return status.Error(codes.Code(rpc.Code), rpc.Message)
	}
	return status.Error(codes.Unknown, "Exception calling application: "+err.Error())
}

// unasked returns the status of a call whose client has stopped waiting.
func unasked(why error) error {
	if errors.Is(why, context.DeadlineExceeded) {
		return status.Error(codes.DeadlineExceeded, rpcerrors.DeadlineIsOver)
	}
	return status.Error(codes.Canceled, why.Error())
}

var _ env.Server = (*server)(nil)
