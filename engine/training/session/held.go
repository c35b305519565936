package session

import (
	"errors"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem"
)

const (
	// What Linux does for a segment that is not acknowledged: it is sent again after the minimum of the
	// retransmission time-out, which doubles up to a maximum, and net.ipv4.tcp_retries2 times.
	firstRetransmission = 200 * time.Millisecond
	lastRetransmission  = 2 * time.Minute
	mostRetransmissions = 15
	// givenUp is how long a server's end of a connection sends an answer: gRPC gives it a TCP_USER_TIMEOUT
	// of 20 s, which Linux counts from the first retransmission. A client's end has none.
	givenUp = firstRetransmission + 20*time.Second
	// pingPause is the least time between two pings of gRPC without data between them.
	pingPause = 5 * time.Minute
	// onePings of that many clients' ends have a ping left to send (TRN-8.15).
	onePings = 4
)

// connection identifies the connection of a process to a server.
type connection struct {
	of   *env.Env
	addr string
}

// dark appends an address to a list if nothing arrives there now.
func (r *Remote) dark(list []string, addr string) []string {
	if reach := r.servers.Reach; reach != nil && reach(r.e.Host.Hostname(), addr) == Lost {
		return append(list, addr)
	}
	return list
}

// await does what reach does, for a call that may have to wait for its server.
func (r *Remote) await(c *call, device, addr string) (*server, error) {
	found, err := r.reach(addr)
	if err == nil || !r.waits(c, err) {
		return found, err
	}
	end := func() {}
	if r.onWait != nil {
		end = r.onWait(device, false)
	}
	defer func() { end() }()
	answers := c.sent && !slices.Contains(c.dark, addr) // the request has arrived, so it is the answer that is lost
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
	if c.stepping && pysem.TypeOf(err) == "AbortedError" { // the step was sent on a connection that the restarted server does not know
		return nil, reset(addr)
	}
	return found, err
}

// reset is the error of a call whose connection the other end does not have.
func reset(addr string) error { return Raise("UnavailableError", "Connection reset by peer: %s", addr) }

// isUnheard waits for an answer that was given up, and of which this end is not told: until the server
// ends, or something is sent over the connection, to which the other end answers with a reset.
// In a step the ends are the other way around: a PS has called the process for what the step took its
// time for, and nothing else calls there as long as the step goes on.
func (r *Remote) isUnheard(c *call, device, addr string, began time.Duration) error {
	if r.onWait != nil {
		defer r.onWait(device, true)()
	}
	own := connection{r.e, addr}
	if !c.stepping {
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
		spoke := err == nil && pause != connectPoll
		if spoke || err != nil && !r.waits(&call{flying: true}, err) || !c.stepping && !r.servers.unheard[own] {
			return reset(addr)
		}
	}
}

// speaks has a connection reset whose other end is gone, when a call of the process goes over it.
func (r *Remote) speaks(addr string) error {
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
