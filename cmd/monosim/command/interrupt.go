package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// ExitInterrupted is what the number of a signal is added to for the exit code, as shells
// do.
const ExitInterrupted = 128

// signalled is the cause of a context that a signal has ended.
type signalled struct{ by syscall.Signal }

func (s *signalled) Error() string { return "interrupted by " + SignalNames[s.by] }

// SignalNames are those of the signals that end a run.
var SignalNames = map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}

// UntilSignal makes a context that ends when the program is asked to end: then there is
// something to write, and more of those signals change nothing. What reads the output may
// be gone before, which is an error of a write then and no end.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	incoming := make(chan os.Signal, 1)
	signal.Notify(incoming, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
	go func() {
		select {
		case s := <-incoming:
			cancel(&signalled{s.(syscall.Signal)})
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(incoming)
		signal.Stop(unread)
		cancel(nil)
	}
}

// InterruptedBy is the end of what a signal has broken off, which says how far it was.
func InterruptedBy(ctx context.Context, far string) error {
	cause := context.Cause(ctx)
	code := ExitFailed
	if b, ok := cause.(*signalled); ok {
		code = ExitInterrupted + int(b.by)
	}
	return &ExitError{Code: code, Err: fmt.Errorf("%w %s", cause, far)}
}
