package realrun

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-zookeeper/zk"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
)

// closeSession names the operation that ends a session.
const closeSession = "close"

// zkCall is a request and its answer, for which a task waits.
type zkCall struct {
	op, at string
	// send makes the request and stores the answer in the fields below. It runs without holding
	// the monitor, which is safe because nobody reads these fields once the call has failed.
	send func(*zk.Conn, *zkCall) error

	path     string
	data     []byte
	stat     *zk.Stat
	found    bool
	children []string
	// fired delivers the event of the watch that the call has set.
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

// do sends a request and waits for its answer (client.py:529). If the request succeeds, do calls
// the function taken. While the connection is suspended, the request waits for the next connection.
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

// send sends the queued requests in order while the connection is open. Requests that are
// queued after the end of the session are never sent.
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

// answer returns a function that delivers the result of a call. Any goroutine may call it.
func (s *ZooKeeperSession) answer(l *link, c *zkCall) func(error) {
	return func(err error) {
		s.p.Post("zookeeper answer", func() { s.answered(l, c, err) })
	}
}

// answered handles the result of a call, unless the call has failed in the meantime.
func (s *ZooKeeperSession) answered(l *link, c *zkCall, err error) {
	i := slices.Index(s.pending, c)
	if i < 0 || l != s.link {
		return
	}
	code, answered := codeOf(err)
	if !answered {
		// The connection is over, or will be soon, as for a request that is too large to be written
		// (ZK-1.6). In both cases all calls fail.
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

// keepWatch registers the watcher of a successful call (connection.py:407). If the watch has fired
// already, no watcher was registered to receive the event, so keepWatch calls the watcher itself.
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

// finish stores the result of a call and wakes its task.
func (c *zkCall) finish(err error) {
	c.done, c.err = true, err
	c.cond.Broadcast()
}

// zkCodes lists the library's named errors with their protocol codes.
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
	{zk.ErrInvalidPath, zkerrors.BadArguments}, // the library checks paths before the server can
}

// codeOf returns the protocol's code of an answer, 0 for success. answered is false if the
// connection failed instead.
func codeOf(err error) (code zkerrors.Code, answered bool) {
	if err == nil {
		return 0, true
	}
	for _, c := range zkCodes {
		if errors.Is(err, c.err) {
			return c.code, true
		}
	}
	// The library reports a code that has no name only as text.
	if _, scanErr := fmt.Sscanf(err.Error(), "unknown error: %d", &code); scanErr == nil {
		return code, true
	}
	return 0, false
}
