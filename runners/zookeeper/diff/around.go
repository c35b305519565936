package diff

import (
	"errors"
	"fmt"

	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/acl"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// The requests in this file are sent before and after a script. Their answers are not
// compared.

// begin creates the root znode of the script. The zxid of this create is the base: other zxids are
// shown relative to it.
func (p *player) begin() error {
	admin, err := p.admin()
	if err != nil {
		return err
	}
	reply, err := p.exchange(admin, &zookeeper.Request{Op: zookeeper.OpCreate2, Path: p.root, ACL: acl.Open()})
	if err != nil {
		return err
	}
	if reply.Err != zookeeper.CodeOK {
		return fmt.Errorf("create of the root %s: found %s, want a server without it", p.root, zookeeper.CodeName(reply.Err))
	}
	p.base = reply.Stat.Czxid
	return p.bye(admin)
}

// admin connects as super.
func (p *player) admin() (Conn, error) {
	conn, err := p.dial()
	if err != nil {
		return nil, err
	}
	if _, err := p.handshake(conn, &zookeeper.ConnectRequest{TimeoutMs: 30_000, Password: make([]byte, 16)}); err != nil {
		return nil, err
	}
	_, err = p.exchange(conn, &zookeeper.Request{Op: zookeeper.OpAuth, Scheme: "digest", Data: []byte(superCredential)})
	return conn, err
}

// bye ends the session of a connection and closes the connection.
func (p *player) bye(conn Conn) error {
	defer conn.Close()
	_, err := p.exchange(conn, &zookeeper.Request{Op: zookeeper.OpCloseSession})
	return err
}

// end ends all sessions and removes the znodes of the script.
func (p *player) end() error {
	if err := p.endSessions(); err != nil {
		return err
	}
	admin, err := p.admin()
	if err != nil {
		return err
	}
	if err := p.remove(admin, p.root); err != nil {
		return err
	}
	return p.bye(admin)
}

// endSessions closes all connections and ends all sessions of the script. A session left open would
// expire during another script and take a zxid there. After a session that cannot be ended,
// endSessions goes on with the next one. It returns the first error.
func (p *player) endSessions() (first error) {
	for i := range p.clients {
		p.hangUp(i)
	}
	for _, key := range p.open {
		if err := p.endSession(key); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// endSession takes over a session and ends it. A session that the script has closed is no error.
func (p *player) endSession(key sessionKey) error {
	conn, err := p.dial()
	if err != nil {
		return err
	}
	_, err = p.handshake(conn, &zookeeper.ConnectRequest{TimeoutMs: 30_000, SessionID: key.id, Password: key.password[:]})
	if err == nil {
		return p.bye(conn)
	}
	conn.Close()
	if errors.Is(err, ErrClosed) || errors.Is(err, errRefused) {
		return nil
	}
	return err
}

func (p *player) remove(conn Conn, path string) error {
	reply, err := p.exchange(conn, &zookeeper.Request{Op: zookeeper.OpGetChildren, Path: path})
	if err != nil {
		return err
	}
	for _, child := range reply.Children {
		if err := p.remove(conn, path+"/"+child); err != nil {
			return err
		}
	}
	_, err = p.exchange(conn, &zookeeper.Request{Op: zookeeper.OpDelete, Path: path, Version: -1})
	return err
}

var errRefused = errors.New("the server has refused the session")

// handshake sends a connect request and reads the answer.
func (p *player) handshake(conn Conn, req *zookeeper.ConnectRequest) (zookeeper.ConnectResponse, error) {
	if err := conn.Send(wire.AppendConnectRequest(nil, req)); err != nil {
		return zookeeper.ConnectResponse{}, err
	}
	message, err := conn.Receive()
	if err != nil {
		return zookeeper.ConnectResponse{}, err
	}
	resp, err := wire.DecodeConnectResponse(message)
	if err == nil && resp.SessionID == 0 {
		err = errRefused
	}
	return resp, err
}

// exchange sends a request that is not part of the script and returns the reply. It skips
// watch events before the reply.
func (p *player) exchange(conn Conn, req *zookeeper.Request) (zookeeper.Reply, error) {
	p.xid++
	req.Xid = p.xid
	if err := conn.Send(wire.AppendRequest(nil, req)); err != nil {
		return zookeeper.Reply{}, err
	}
	for {
		message, err := conn.Receive()
		if err != nil {
			return zookeeper.Reply{}, err
		}
		xid, err := wire.ReplyXid(message)
		if err != nil {
			return zookeeper.Reply{}, err
		}
		if xid == req.Xid {
			return wire.DecodeReply(message, req.Op)
		}
	}
}
