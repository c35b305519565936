package realrun

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

// closeSession is the operation that ends a session.
const closeSession = "close"

// zkCall is one request that a task waits for.
type zkCall struct {
	op, at string
	// send makes the request and keeps the answer below. It runs outside of the
	// monitor, so that nobody looks at the answer of a call that was failed.
	send func(*zk.Conn, *zkCall) error

	path     string
	data     []byte
	stat     *zk.Stat
	found    bool
	children []string
	// fired has the event of the watch that was left, when it has come already.
	fired <-chan zk.Event

	watch           env.Watcher
	watchesChildren bool

	err  error
	done bool
	cond env.Cond
}

func (s *ZooKeeperSession) newCall(op, at string, send func(*zk.Conn, *zkCall) error) *zkCall {
	return &zkCall{op: op, at: at, send: send, cond: s.p.NewCond("zookeeper " + op + " " + at)}
}

// do sends a request, waits for the answer (client.py:529) and gives it to taken
// when it is a success. While the connection is suspended it waits until it is
// back.
func (s *ZooKeeperSession) do(c *zkCall, taken func(*zkCall)) error {
	s.p.Check()
	if err := s.life.Refuse(); err != nil {
		return err
	}
	s.queue = append(s.queue, c)
	s.send()
	for !c.done {
		c.cond.Wait()
	}
	if c.err == nil && taken != nil {
		taken(c)
	}
	return c.err
}

// send sends the queued requests, in their order, when the connection is open.
// What is queued behind the end of the session is never sent.
func (s *ZooKeeperSession) send() {
	for len(s.queue) > 0 && s.open && !s.closing {
		c := s.queue[0]
		s.queue = s.queue[1:]
		s.pending = append(s.pending, c)
		if c.op == closeSession {
			s.closing = true
			s.link.endSession()
			return
		}
		s.link.ask(c.run(s.link), s.answer(s.link, c))
	}
}

func (c *zkCall) run(l *link) func() error {
	return func() error { return c.send(l.zk, c) }
}

// answer gives what is to be called with the result of a call, from any goroutine.
func (s *ZooKeeperSession) answer(l *link, c *zkCall) func(error) {
	return func(err error) {
		s.p.Post("zookeeper answer", func() { s.answered(l, c, err) })
	}
}

// answered takes the result of a call, unless the call was failed meanwhile.
func (s *ZooKeeperSession) answered(l *link, c *zkCall, err error) {
	i := slices.Index(s.pending, c)
	if i < 0 || l != s.link {
		return
	}
	code, answered := codeOf(err)
	if !answered {
		// The connection is over or, where the request was too large to be written,
		// would be soon (ZK-1.6). That fails all calls.
		l.close()
		return
	}
	s.pending = slices.Delete(s.pending, i, i+1)
	if code != 0 {
		c.finish(&zkerrors.Error{Code: code, Path: c.at})
	} else {
		s.keepWatch(c)
		c.finish(nil)
	}
	s.changed.Broadcast()
}

// keepWatch keeps the watcher of a call that succeeded (connection.py:407). When
// the event of its watch has come before the answer could be taken, nobody was
// there yet to be told.
func (s *ZooKeeperSession) keepWatch(c *zkCall) {
	if c.watch == nil || s.life.Stopped() {
		return
	}
	select {
	case e := <-c.fired:
		if e.Type != zk.EventNotWatching {
			s.life.Watches.Tell(c.watch, env.WatchEvent{Type: env.EventType(e.Type), Path: e.Path})
			return
		}
	default:
	}
	if c.watchesChildren {
		s.life.Watches.AddChildren(c.at, c.watch)
	} else {
		s.life.Watches.AddData(c.at, c.watch)
	}
}

// finish ends a call and lets its task go on.
func (c *zkCall) finish(err error) {
	c.done, c.err = true, err
	c.cond.Broadcast()
}

// zkCodes are the errors that the library has names for.
var zkCodes = []struct {
	err  error
	code zkerrors.Code
}{
	{zk.ErrNoNode, zkerrors.NoNode},
	{zk.ErrNoAuth, zkerrors.NoAuth},
	{zk.ErrBadVersion, zkerrors.BadVersion},
	{zk.ErrNoChildrenForEphemerals, zkerrors.NoChildrenForEphemeral},
	{zk.ErrNodeExists, zkerrors.NodeExists},
	{zk.ErrNotEmpty, zkerrors.NotEmpty},
	{zk.ErrSessionExpired, zkerrors.SessionExpired},
	{zk.ErrInvalidACL, zkerrors.InvalidACL},
	{zk.ErrAuthFailed, zkerrors.AuthFailed},
	{zk.ErrBadArguments, zkerrors.BadArguments},
	{zk.ErrInvalidPath, zkerrors.BadArguments}, // found by the library before the server could
}

// codeOf is the protocol's code of an answer, 0 for success; answered is false for
// an error of the connection.
func codeOf(err error) (code zkerrors.Code, answered bool) {
	if err == nil {
		return 0, true
	}
	for _, c := range zkCodes {
		if errors.Is(err, c.err) {
			return c.code, true
		}
	}
	// Codes without a name come as text only.
	if _, scanErr := fmt.Sscanf(err.Error(), "unknown error: %d", &code); scanErr == nil {
		return code, true
	}
	return 0, false
}
