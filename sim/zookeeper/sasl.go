package zookeeper

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/monosim/monosim/sim/zookeeper/digestmd5"
)

// sessionClosedRequireSASL is the code with which a server that enforces authentication refuses and
// ends an unauthenticated connection.
const sessionClosedRequireSASL Code = -124

// sasl handles an authentication token. A server without SASL answers any token with success and a
// null token. A client that fails to authenticate gets an error, and its connection is closed
// (ZooKeeperServer.java processSasl).
func (m *Machine) sasl(c *Conn, req *Request) {
	if req.Data == nil {
		m.hangUp(c) // the real server throws an exception for a null token
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

// password returns a user's password. In 3.8 an unknown user has the password of the last known
// user, because all connections share one handler that keeps it (ZK-27.2;
// SaslServerCallbackHandler.java handleNameCallback).
func (m *Machine) password(user string) (string, bool) {
	if _, known := m.cfg.SASLUsers[user]; known || m.cfg.Profile == V39 {
		m.saslUser = user
	}
	password, ok := m.cfg.SASLUsers[m.saslUser]
	return password, ok
}

// nonce returns the challenge's nonce, which has 40 characters. It is computed from the ids of the
// connection and session, because the machine has no random source.
func nonce(c *Conn) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d", c.id, c.session.id))
	return base64.StdEncoding.EncodeToString(sum[:30])
}

// enforced reports whether the request is refused because the connection has no identity of the
// enforced schemes (ZK-27.4). If so, it answers with an error and closes the connection.
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
