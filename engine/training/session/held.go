package session

import (
	"errors"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

const (
	// How Linux retransmits a segment that is not acknowledged. The first retransmission comes
	// after the smallest retransmission time-out. The time-out then doubles with each
	// retransmission, up to a maximum. After net.ipv4.tcp_retries2 retransmissions the connection
	// is given up.
	firstRetransmission = 200 * time.Millisecond
	lastRetransmission  = 2 * time.Minute
	mostRetransmissions = 15
	// givenUp is how long a server's end of a connection keeps sending an answer. gRPC gives that
	// end a TCP_USER_TIMEOUT of 20 s, which Linux counts from the first retransmission. A client's
	// end has no such timeout.
	givenUp = firstRetransmission + 20*time.Second
	// pingPause is the shortest time between two gRPC pings if no data is sent between them.
	pingPause = 5 * time.Minute
	// onePings says how likely it is that a client's end of a connection still has a ping to send:
	// the probability is 1/onePings (TRN-8.15).
	onePings = 4
)

// connection identifies the connection of a process to a server.
type connection struct {
	of   *env.Env
	addr string
}

// way returns what the network does now with messages of the process to addr.
func (r *Remote) way(addr string) Way {
	if r.servers.Reach == nil {
		return Open
	}
	return r.servers.Reach(r.e.Host.Hostname(), addr)
}

// dark returns list with addr appended if no message reaches addr now. Otherwise it returns list
// unchanged.
func (r *Remote) dark(list []string, addr string) []string {
	if way := r.way(addr); way == Lost || way == Refused {
		return append(list, addr)
	}
	return list
}

// refusedAnswer reports whether the network refuses the answer to a call now. The reset goes to the
// server, which sends the answer. The process that waits for the answer does not notice.
func (r *Remote) refusedAnswer(c *call, addr string) bool {
	found := r.servers.byAddr[addr]
	return c.sent && found != nil && r.known[addr] == found && r.way(addr) == Refused && !slices.Contains(c.dark, addr)
}

// await returns the server at addr, as reach does. It waits for as long as the call has to wait for
// that server.
func (r *Remote) await(c *call, device, addr string) (*server, error) {
	found, err := r.reach(addr)
	if r.refusedAnswer(c, addr) {
		return nil, r.isUnheard(c, device, addr, r.e.Clock.Elapsed())
	}
	if broken := r.breaks(c, addr, err); broken != nil {
		return nil, broken
	}
	if err == nil || !r.waits(c, err) {
		return found, err
	}
	end := func() {}
	if r.onWait != nil {
		end = r.onWait(device, false)
	}
	defer func() { end() }()
	answers := c.sent && !slices.Contains(c.dark, addr) // only the answer was lost, because the request has arrived
	began, rto := r.e.Clock.Elapsed(), firstRetransmission
	for sent := 0; r.waits(c, err); found, err = r.reach(addr) {
		if !errors.Is(err, errHeld) {
			r.e.Tasks.Sleep(connectPoll)
			continue
		}
		pause := rto
		if left := began + givenUp - r.e.Clock.Elapsed(); answers && left <= pause {
			r.e.Tasks.Sleep(left)
			end()
			end = func() {}
			return nil, r.isUnheard(c, device, addr, began)
		}
		r.e.Tasks.Sleep(pause)
		rto = min(2*rto, lastRetransmission)
		if sent++; sent > mostRetransmissions {
			delete(r.known, addr)
			delete(r.connected, addr)
			return nil, Raise("UnavailableError", "Connection timed out: %s", addr)
		}
	}
	if c.stepping && pysem.TypeOf(err) == "AbortedError" { // to the restarted server, the connection of the step is unknown
		return nil, reset(addr)
	}
	return found, err
}

// reset returns the error of a call over a connection that the other end has forgotten.
func reset(addr string) error { return Raise("UnavailableError", "Connection reset by peer: %s", addr) }

// isUnheard waits for an answer that will never come, because the server's end has given up sending
// it without telling this end. It waits until the server ends, or until something is sent over the
// connection, which the other end or the network answers with a reset. During a step the roles of
// the ends are exchanged: a PS has called the process for the tensors of the step. Other calls of
// the process use another connection, which breaks only if they are refused.
func (r *Remote) isUnheard(c *call, device, addr string, began time.Duration) error {
	if r.onWait != nil {
		defer r.onWait(device, true)()
	}
	own := connection{r.e, addr}
	if c.stepping {
		r.servers.stale[own] = r.servers.byAddr[addr]
	} else {
		r.servers.unheard[own] = true
		r.servers.Changed()
		defer delete(r.servers.unheard, own)
	}
	pings := r.e.Random.Intn("grpc.ping", onePings) == 0
	pause, rto := connectPoll, firstRetransmission
	for {
		if pings && r.e.Clock.Elapsed()-began >= pingPause {
			pause, rto = rto, min(2*rto, lastRetransmission)
		}
		r.e.Tasks.Sleep(pause)
		_, err := r.reach(addr)
		refused := r.way(addr) == Refused
		switch pinged := pause != connectPoll; {
		case pinged && (err == nil || refused):
			delete(r.servers.stale, own)
			return reset(addr)
		case r.wasReset(c, addr), !c.stepping && !r.servers.unheard[own]:
			return reset(addr)
		case err != nil && !refused && !r.waits(&call{flying: true}, err):
			return reset(addr)
		}
	}
}

// speaks returns the error of a reset if a call of the process uses a connection whose other end is
// gone, or that was reset meanwhile. It returns nil while the server cannot be reached.
func (r *Remote) speaks(c *call, addr string) error {
	if r.wasReset(c, addr) {
		return reset(addr)
	}
	own := connection{r.e, addr}
	if len(r.servers.unheard) == 0 || !r.servers.unheard[own] {
		return nil
	}
	if _, err := r.reach(addr); err != nil && r.waits(&call{}, err) {
		return nil
	}
	delete(r.servers.unheard, own)
	return reset(addr)
}

// broken says when a connection was reset, and at which change of the network.
type broken struct {
	at     time.Duration
	change int
}

// wasReset reports whether another call of the process was reset while c was on its way over the
// same connection.
func (r *Remote) wasReset(c *call, addr string) bool {
	last, ok := r.servers.broken[connection{r.e, addr}]
	return ok && c.sent && last.at > c.began
}

// breaks returns the error of a call whose server refuses packets now; err is the error by which the
// call notices. The first such call is reset, together with all others on that connection. Later calls
// open a new connection, and breaks returns nil.
func (r *Remote) breaks(c *call, addr string, err error) error {
	own := connection{r.e, addr}
	if err == nil || r.way(addr) != Refused || c.sent && !slices.Contains(c.dark, addr) {
		return nil
	}
	if last, ok := r.servers.broken[own]; ok && last.change == r.servers.networks || r.known[addr] == nil && r.connected[addr] == nil {
		return nil
	}
	r.servers.broken[own] = broken{r.e.Clock.Elapsed(), r.servers.networks}
	delete(r.servers.unheard, own)
	return reset(addr)
}

// feeds returns the error of a call for which the server at addr requests tensors from the process,
// over a connection that only the server still knows. By this request the server learns that the
// connection is broken.
func (r *Remote) feeds(addr string) error {
	own := connection{r.e, addr}
	knows, found := r.servers.stale[own], r.servers.byAddr[addr]
	if knows == nil || knows == found && r.way(addr) != Open {
		return nil
	}
	delete(r.servers.stale, own)
	if knows != found {
		return nil // another process, which knows of no connection
	}
	return reset(addr)
}
