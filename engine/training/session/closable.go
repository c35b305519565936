package session

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
	"github.com/monosim/monosim/engine/pysem/threading"
)

// closable is the session that hooks and their tasks get. They may still hold it after it was
// closed (tf.compat.v1.Session).
type closable struct {
	open    Session
	closed  bool
	running int // number of calls that are in progress, including those of other tasks
	idle    *threading.Event
}

func newClosable(tasks env.Tasks, s Session) *closable {
	return &closable{open: s, idle: threading.NewEvent(tasks, "calls of a session")}
}

// Run does the operations ([Session.Run]). On a closed session it returns a RuntimeError. If the
// session is closed during the call, it returns a CancelledError, whether or not the operations
// were done.
func (c *closable) Run(ops ...Op) ([]any, error) {
	return c.call(func() ([]any, error) { return c.open.Run(ops...) })
}

func (c *closable) call(run func() ([]any, error)) ([]any, error) {
	if c.closed {
		return nil, pysem.Raise("RuntimeError", "Attempted to use a closed Session.")
	}
	c.running++
	values, err := run()
	if c.running--; c.closed {
		if c.running == 0 {
			c.idle.Set()
		}
		return nil, Raise("CancelledError", "Step was cancelled by an explicit call to `Session::Close()`.")
	}
	return values, err
}

// RunFor makes one call ([Session.Run]) that does the operations, calls take, and does the
// operations once more. The servers must be reachable both times. RunFor returns the values of the
// first time.
func RunFor(s Session, take func(), ops ...Op) ([]any, error) {
	run := func(inner Session) ([]any, error) {
		values, err := inner.Run(ops...)
		if err != nil {
			return nil, err
		}
		take()
		_, err = inner.Run(ops...)
		return values, err
	}
	if c, ok := s.(*closable); ok {
		return c.call(func() ([]any, error) { return run(c.open) })
	}
	return run(s)
}

// close refuses all later calls and waits until those in progress have ended, as TensorFlow's
// MasterSession does. A call that waits for a server keeps waiting. Then it closes the session below,
// if that can be closed.
func (c *closable) close() {
	c.closed = true
	if c.running > 0 {
		c.idle.Wait(-1)
	}
	if open, ok := c.open.(interface{ Close() }); ok {
		open.Close()
	}
}

// noSession is Python's None in the place of a session.
type noSession struct{}

var errNoSession = pysem.AttributeError(nil, "run")

func (noSession) Run(...Op) ([]any, error) { return nil, errNoSession }
