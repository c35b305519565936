package command

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// ExitInterrupted plus a signal's number is the exit code of a run that the signal ended, as in
// shells.
const ExitInterrupted = 128

// signalled is the cancellation cause of a context that a signal has ended.
type signalled struct{ by syscall.Signal }

func (s *signalled) Error() string { return "interrupted by " + SignalNames[s.by] }

// SignalNames has the names of the signals that end a run.
var SignalNames = map[syscall.Signal]string{syscall.SIGINT: "SIGINT", syscall.SIGTERM: "SIGTERM", syscall.SIGHUP: "SIGHUP"}

// UntilSignal returns a context that ends when a signal asks the program to end. Further
// signals are ignored, so that reports can be finished. SIGPIPE ends nothing: the write to
// the closed pipe returns an error instead. Below nohup SIGHUP is ignored from the start, and stays so.
func UntilSignal(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	incoming := make(chan os.Signal, 1)
	signal.Notify(incoming, syscall.SIGINT, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(incoming, syscall.SIGHUP)
	}
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

// InterruptedBy returns the error for a run that a signal has interrupted. far says how much of
// the run was done.
func InterruptedBy(ctx context.Context, far string) error {
	cause := context.Cause(ctx)
	code := ExitFailed
	if b, ok := cause.(*signalled); ok {
		code = ExitInterrupted + int(b.by)
	}
	return &ExitError{Code: code, Err: fmt.Errorf("%w %s", cause, far)}
}

// Far says how much of a run of virtual time was done, to the millisecond.
func Far(seconds float64, of time.Duration) string {
	return fmt.Sprintf("after %v of %v", time.Duration(seconds*float64(time.Second)).Round(time.Millisecond), of)
}
