package realrun

import (
	"context"
	"errors"
	"io"
	"net"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/walltime"
)

// server is a gRPC server of a process.
type server struct {
	p       *walltime.Process
	port    int
	handler env.Handler
	// slots holds one for each request that runs; nil means no limit.
	slots    chan struct{}
	listener net.Listener
	grpc     *grpc.Server
}

// refusableBytes is up to where too large requests are received only to be refused
// in grpc-python's words. Beyond it gRPC-Go refuses them in its own.
const refusableBytes = 16 * env.MaxMessageBytes

// streamWorkers are goroutines that answer one call after the other, so that their
// stacks are large enough from the second one on. More calls have one each.
const streamWorkers = 16

func newServer(p *walltime.Process, l net.Listener, workers int, handler env.Handler) *server {
	s := &server{p: p, port: l.Addr().(*net.TCPAddr).Port, handler: handler, listener: l}
	if workers > 0 {
		s.slots = make(chan struct{}, workers)
	}
	s.grpc = grpc.NewServer(
		grpc.ForceServerCodecV2(rawBytes{}),
		grpc.UnknownServiceHandler(s.take),
		grpc.MaxRecvMsgSize(refusableBytes),
		grpc.NumStreamWorkers(streamWorkers),
	)
	// Serve returns an error that says something only before the server is
	// stopped: when the listener breaks, which a client learns from its calls.
	go func() { _ = s.grpc.Serve(l) }()
	p.OnEnd(s.stop)
	if p.Dead() {
		s.stop() // it died before OnEnd
	}
	return s
}

// Port is the port that it listens on.
func (s *server) Port() int { return s.port }

// Stop closes the listener and the connections. What still runs in the process
// goes on to its end, and nobody gets the answer.
func (s *server) Stop() {
	s.p.Block(func(context.Context) { s.stop() })
}

// stop closes the listener by itself, which gRPC may not have taken over yet.
func (s *server) stop() {
	_ = s.listener.Close() // the only error is that it was closed before
	s.grpc.Stop()
}

// take answers one call, on a goroutine of its own.
func (s *server) take(_ any, stream grpc.ServerStream) error {
	var request, more []byte
	if err := stream.RecvMsg(&request); err != nil {
		return err
	}
	// Without the end of the request gRPC would reset a stream that is answered sooner.
	if err := stream.RecvMsg(&more); !errors.Is(err, io.EOF) {
		return errors.Join(err, status.Error(codes.Internal, "a call with more than one request"))
	}
	if len(request) > env.MaxMessageBytes {
		return status.Errorf(codes.ResourceExhausted, env.MessageTooLarge, len(request), env.MaxMessageBytes)
	}
	ctx := stream.Context()
	if s.slots != nil {
		select {
		case s.slots <- struct{}{}: // in order of arrival, as channels are
			defer func() { <-s.slots }()
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return unasked(ctx.Err()) // grpc-python does not start what was cancelled in the queue
	}
	method, _ := grpc.Method(ctx)
	var response []byte
	var err error
	if s.p.Request(method, func() { response, err = s.handler(method, request) }) != nil {
		<-ctx.Done() // the process ends, and its connections with it
		return unasked(ctx.Err())
	}
	if err != nil {
		return statusOf(err)
	}
	return stream.SendMsg(&response)
}

// statusOf is what the client gets of a handler's error. grpc-python words so what
// a servicer raises (_server.py).
func statusOf(err error) error {
	var rpc *env.RPCError
	if errors.As(err, &rpc) {
		return status.Error(codes.Code(rpc.Code), rpc.Message)
	}
	return status.Error(codes.Unknown, "Exception calling application: "+err.Error())
}

// unasked is the status of a call for which nobody waits any more.
func unasked(why error) error {
	if errors.Is(why, context.DeadlineExceeded) {
		return status.Error(codes.DeadlineExceeded, env.DeadlineIsOver)
	}
	return status.Error(codes.Canceled, why.Error())
}

var _ env.Server = (*server)(nil)
