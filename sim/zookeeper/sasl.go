package zookeeper

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper/digestmd5"
)

// sessionClosedRequireSASL is how a server that enforces authentication ends a connection without.
const sessionClosedRequireSASL Code = -124

// sasl takes a token. Without SASL any is answered by success and a null token; who fails to
// authenticate is told and cut off (ZooKeeperServer.java processSasl).
func (m *Machine) sasl(c *Conn, req *Request) {
	if req.Data == nil {
		m.hangUp(c) // a null token is an exception
		return
	}
	if m.cfg.SASLUsers == nil {
		m.reply(c, req).Zxid = 0
		return
	}
	if c.exchange == nil {
		c.exchange = &digestmd5.Exchange{Nonce: nonce(c), Password: m.password}
	}
	answer, user, err := c.exchange.Answer(req.Data)
	if errors.Is(err, digestmd5.ErrNumber) {
		m.hangUp(c)
		return
	}
	r := m.reply(c, req)
	r.Zxid, r.Data = 0, answer
	switch {
	case err != nil:
		if r.Err = authFailed; slices.Contains(m.cfg.EnforceAuth, "sasl") {
			r.Err = sessionClosedRequireSASL
		}
		m.hangUp(c)
	case user != "":
		c.prove(identity{"sasl", user})
		if slices.Contains(m.cfg.SuperUsers, user) {
			c.prove(identity{"super", ""})
		}
	}
}

// password tells a user's password. In 3.8 that of an unknown user is the last known one's, for all
// connections have one handler, which keeps it (ZK-27.2; SaslServerCallbackHandler.java handleNameCallback).
func (m *Machine) password(user string) (string, bool) {
	if _, known := m.cfg.SASLUsers[user]; known || m.cfg.Profile == V39 {
		m.saslUser = user
	}
	password, ok := m.cfg.SASLUsers[m.saslUser]
	return password, ok
}

// nonce makes a challenge's nonce of 40 characters. The machine has no randomness of its own.
func nonce(c *Conn) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", c.id, c.session.id))
	return base64.StdEncoding.EncodeToString(sum[:30])
}

// enforced reports whether the connection may not make the request, because it has no identity of
// the schemes that are wanted (ZK-27.4). It is told and cut off.
func (m *Machine) enforced(c *Conn, req *Request) bool {
	if len(m.cfg.EnforceAuth) == 0 || req.Op == OpAuth || req.Op == OpSASL {
		return false
	}
	for _, id := range c.ids {
		if slices.Contains(m.cfg.EnforceAuth, id.scheme) {
			return false
		}
	}
	r := m.reply(c, req)
	r.Err, r.Zxid = sessionClosedRequireSASL, 0
	m.hangUp(c)
	return true
}
