package realrun

import (
	"context"
	"net"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/recipes"
)

// resolve looks up the addresses of all host names (connection.py:507).
func (s *ZooKeeperSession) resolve() (addrs []string) {
	s.p.Block(func(ctx context.Context) {
		for _, host := range s.hosts {
			name, port, err := net.SplitHostPort(host)
			if err != nil {
				continue
			}
			ips, err := net.DefaultResolver.LookupHost(ctx, name)
			if err != nil {
				continue
			}
			addrs = append(addrs, lists.Map(ips, func(ip string) string { return net.JoinHostPort(ip, port) })...)
		}
	})
	return addrs
}

// connect makes one connection and returns how it ended (connection.py:548).
func (s *ZooKeeperSession) connect(addr string, pauses *recipes.Pauses) recipes.ConnectionEnd {
	s.life.Change(recipes.KeeperConnecting)
	conn := s.dial(addr)
	if conn == nil {
		return recipes.EndDropped
	}
	s.end, s.greeted, s.closing = recipes.EndNone, false, false
	l := s.newLink(conn)
	defer l.close()
	s.await(s.life.Timeout/time.Duration(len(s.hosts)), func() bool { return s.greeted || s.end != recipes.EndNone })
	if s.end != recipes.EndNone {
		return s.end
	}
	if !s.greeted {
		return recipes.EndDropped
	}
	s.remember(l)
	s.life.Change(recipes.KeeperConnected)
	if !s.authenticate(l) {
		return s.end
	}
	pauses.Reset()
	l.begin()
	s.open = true
	s.send()
	s.await(-1, func() bool { return s.end != recipes.EndNone })
	s.open = false
	s.remember(l)
	return s.end
}

// dial opens a TCP connection within the session timeout. It returns nil on failure.
func (s *ZooKeeperSession) dial(addr string) (conn net.Conn) {
	s.p.Block(func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, s.p.World().Real(s.life.Timeout))
		defer cancel()
		var err error
		conn, err = dial(ctx, s.p.World(), addr)
		if err != nil {
			conn = nil
		}
	})
	return conn
}

// newLink begins the protocol on a connection. If the process has died in the meantime, the
// link is closed when the connection task unwinds.
func (s *ZooKeeperSession) newLink(conn net.Conn) *link {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := &link{Conn: conn, who: s.who, sent: make(chan struct{}, 1), speed: s.p.World().Speed()}
	l.tell = func(n news) { s.p.Post("zookeeper news", func() { s.heard(l, n) }) }
	s.link = l
	l.start(s.life.Timeout)
	return l
}

// hangUp closes the present connection, if any.
func (s *ZooKeeperSession) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != nil {
		s.link.close()
	}
}

// await makes the connection task wait until met returns true or the limit is over.
func (s *ZooKeeperSession) await(limit time.Duration, met func() bool) {
	from := s.p.Elapsed()
	for !met() {
		left := limit
		if limit >= 0 {
			if left = limit - (s.p.Elapsed() - from); left <= 0 {
				return
			}
		}
		s.changed.WaitFor(left)
	}
}

// authenticate sends the credentials and waits for the answers (connection.py:691). It
// returns false if the connection ended.
func (s *ZooKeeperSession) authenticate(l *link) bool {
	for _, a := range s.auth {
		var result error
		done := false
		l.ask(func() error { return l.zk.AddAuth(a[0], []byte(a[1])) }, func(err error) {
			s.p.Post("zookeeper answer", func() {
				result, done = err, true
				s.changed.Broadcast()
			})
		})
		// An answer always comes, because a link that ends answers its pending requests with an
		// error.
		s.await(-1, func() bool { return done })
		if code, answered := codeOf(result); answered && code != 0 {
			s.end = recipes.EndAuthFailed // after this answer, the server closes the connection
		} else if result != nil {
			s.over(recipes.EndDropped)
		}
		if s.end != recipes.EndNone {
			return false
		}
	}
	return true
}

// heard handles an event of a link.
func (s *ZooKeeperSession) heard(l *link, n news) {
	if l != s.link {
		return
	}
	switch n.what {
	case linkGreeted:
		s.greeted = true
	case linkRefused:
		s.over(recipes.EndExpired)
	case linkDown:
		l.close()
		if s.closing {
			s.over(recipes.EndClosed)
		} else {
			s.over(recipes.EndDropped)
		}
	case linkEvent:
		s.life.Watches.Notify(n.event)
	}
	s.changed.Broadcast()
}

// over records how the connection ended. Only the first call counts.
func (s *ZooKeeperSession) over(end recipes.ConnectionEnd) {
	if s.end == recipes.EndNone {
		s.end, s.open = end, false
	}
}

// remember stores what the next connection needs to continue the session.
func (s *ZooKeeperSession) remember(l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.who = l.identity()
}

// forget drops the session's identity, so that the next connection asks for a new session
// (client.py:324).
func (s *ZooKeeperSession) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.who = identity{}
}

// failAll fails all sent and queued calls with an error code (client.py:585).
func (s *ZooKeeperSession) failAll(code zkerrors.Code) {
	calls := slices.Concat(s.pending, s.queue)
	s.pending, s.queue = nil, nil
	for _, c := range calls {
		c.finish(&zkerrors.Error{Code: code, Path: c.at})
	}
}
