package network

import (
	"errors"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
)

// connect begins a connection attempt. Both its time limit and the time of the next attempt are
// measured from the start of this attempt, as in gRPC's subchannel.
func (c *Channel) connect() {
	c.state = channelConnecting
	now := c.h.n.w.Now()
	c.retryAt = now + c.nextBackoff()
	c.conn = c.h.dial(OwnedBy(c.p), c.addr, c.connected)
	limit := max(c.retryAt, now+minConnectTimeout)
	c.timer = c.p.Schedule(limit, kindBackoff, (*connectTimer)(c), 0)
}

// nextBackoff returns the next back-off. It grows from 1 s by a factor of 1.6 up to 120 s. All but
// the first are jittered by up to 20 % either way, as in grpc's backoff.cc.
func (c *Channel) nextBackoff() time.Duration {
	if c.backoff == 0 {
		c.backoff = backoffInitial
		return c.backoff
	}
	c.backoff = min(time.Duration(float64(c.backoff)*backoffMultiplier), backoffMax)
	// The random choice 0 means no jitter; odd choices shorten the back-off, even ones lengthen it.
	const steps = 1000
	k := c.p.Intn("grpc.backoff", 2*steps+1)
	jitter := float64((k+1)/2) / steps * backoffJitter
	if k%2 == 1 {
		jitter = -jitter
	}
	return time.Duration(float64(c.backoff) * (1 + jitter))
}

// connected handles the result of a connection attempt that ended within its time limit.
func (c *Channel) connected(conn *Conn, err error) {
	c.timer.Cancel()
	if err != nil {
		c.attemptFailed(err)
		return
	}
	c.state = channelReady
	c.conn = conn
	c.backoff = 0
	c.serverName = conn.RemoteHost().Name()
	conn.SetReceiver(c)
	for _, call := range c.calls {
		c.send(call)
	}
}

func (c *Channel) attemptFailed(why error) {
	c.conn = nil
	c.refusal = errNoConnection
	if errors.Is(why, ErrUnknown) {
		c.refusal = &env.RPCError{Code: rpcerrors.Unavailable, Message: rpcerrors.NoSuchName + c.addr}
	}
	c.state = channelFailing
	c.timer = c.p.Schedule(c.retryAt, kindBackoff, (*connectTimer)(c), 0)
	c.failAll(c.refusal)
}

// connectTimer fires at the time limit of an attempt, or at the end of the back-off.
type connectTimer Channel

func (t *connectTimer) Handle(uint64) {
	c := (*Channel)(t)
	if c.held.ended {
		return // the client's process has ended
	}
	if c.state == channelConnecting {
		c.disconnect()
		c.attemptFailed(ErrTimedOut)
		return
	}
	c.connect()
}

func (c *Channel) disconnect() {
	if c.conn != nil {
		c.conn.Close()
		c.conn = nil
	}
}
