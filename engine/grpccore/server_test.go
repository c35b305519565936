package grpccore

import (
	"context"
	"errors"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/tap"
)

// overdue is the stream of a call whose deadline has passed before its request came.
type overdue struct {
	grpc.ServerStream
	ctx context.Context
}

func (s overdue) Context() context.Context { return s.ctx }

func (s overdue) RecvMsg(any) error { return status.FromContextError(s.ctx.Err()).Err() }

// Goal: a call whose deadline has passed is answered with C-core's text, wherever grpc-go or the
// handler has met the end of the time. Text: what C-core 1.85.1 answers to a slow call (runners/grpcpeers).
func TestALateCallHasTheCoresText(t *testing.T) {
	ctx, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	handlers := map[string]grpc.StreamHandler{
		"one request": sending{}.once(func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
			var request []byte
			return nil, decode(&request)
		}),
		"no answer after it": sending{}.once(func(any, context.Context, func(any) error, grpc.UnaryServerInterceptor) (any, error) {
			return []byte("late"), nil
		}),
		"a stream": sending{}.answering(func(_ any, stream grpc.ServerStream) error {
			var request []byte
			return stream.RecvMsg(&request)
		}),
		"an error of the handler": sending{}.answering(func(any, grpc.ServerStream) error { return errors.New("too late") }),
	}
	errs := map[string]error{}
	for name, handle := range handlers {
		errs[name] = handle(nil, overdue{ctx: ctx})
	}
	_, errs["a call that has not begun"] = tapped(ctx, &tap.Info{})
	for name, err := range errs {
		if s := status.Convert(err); s.Code() != codes.DeadlineExceeded || s.Message() != "Deadline Exceeded" {
			t.Errorf("%s: found the status %s %q, want DeadlineExceeded %q", name, s.Code(), s.Message(), "Deadline Exceeded")
		}
	}
}
