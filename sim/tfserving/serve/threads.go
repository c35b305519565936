package serve

import (
	"context"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
)

// Trailers of answers with Options.Timings: nanoseconds for which a request waited for a
// thread, and for which one worked on it.
const (
	TrailerWaited = "monosim-waited-ns"
	TrailerWorked = "monosim-worked-ns"
)

// spent is what became of the time of a request.
type spent struct{ waited, worked time.Duration }

// tell puts it into the trailers of the call.
func (t *spent) tell(ctx context.Context) {
	// The only error is that of a call that is over, which nobody asks about.
	_ = grpc.SetTrailer(ctx, metadata.Pairs(
		TrailerWaited, strconv.FormatInt(int64(t.waited), 10),
		TrailerWorked, strconv.FormatInt(int64(t.worked), 10)))
}

// work waits for a thread, in the order in which requests came, and gives what frees it.
func (s *Server) work() (done func()) {
	if s.threads == nil {
		return func() {}
	}
	select {
	case s.threads <- struct{}{}:
		return func() { <-s.threads }
	case <-s.done:
		return func() {}
	}
}
