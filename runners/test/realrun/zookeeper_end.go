package realrun

import (
	"fmt"
	"net"
	"time"
)

// endLimit is the timeout of each attempt of EndSession.
const endLimit = 10 * time.Second

// EndSession ends another client's session on the server, as if it had expired. It continues
// the session with its id and password, which disconnects the owner, and closes it. The
// owner may reconnect in between, so EndSession repeats until the server no longer knows the
// session. Do not call it from a task that others wait for.
func EndSession(addr string, id int64, password []byte) error {
	for {
		gone, err := endOnce(addr, identity{id: id, password: password})
		if gone || err != nil {
			return err
		}
	}
}

func endOnce(addr string, who identity) (gone bool, err error) {
	conn, err := net.DialTimeout("tcp", addr, endLimit)
	if err != nil {
		return false, err
	}
	told := make(chan linkNews, 8)
	l := &link{Conn: conn, who: who, sent: make(chan struct{}, 1)}
	l.tell = func(n news) {
		select {
		case told <- n.what:
		default: // nobody reads any more
		}
	}
	l.start(endLimit)
	defer l.close()
	select {
	case what := <-told:
		switch what {
		case linkRefused:
			return true, nil
		case linkGreeted:
			l.zk.Close()
		}
		return false, nil
	case <-time.After(endLimit):
		return false, fmt.Errorf("end session %#x at %s: no answer after %s", who.id, addr, endLimit)
	}
}
