package diff

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/field"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Answered counts the answers of servers by operation and error code.
type Answered map[zookeeper.OpCode]map[zookeeper.Code]int

func (a Answered) add(op zookeeper.OpCode, code zookeeper.Code) {
	if a[op] == nil {
		a[op] = map[zookeeper.Code]int{}
	}
	a[op][code]++
}

// Names returns the same counts, with the names of operations and codes as keys.
func (a Answered) Names() map[string]map[string]int {
	named := map[string]map[string]int{}
	for op, codes := range a {
		of := map[string]int{}
		for code, n := range codes {
			of[zookeeper.CodeName(code)] = n
		}
		named[op.String()] = of
	}
	return named
}

// Play plays a script on a server below root, which nothing else may use. It returns what
// the clients saw, one line for each message. At the end it ends the sessions and removes
// the znodes. An error means that the server did not work at all.
func Play(server Server, root string, script Script, answered Answered) (lines []string, err error) {
	p := &player{server: server, root: root, sessions: map[int64]int{}, answered: answered}
	p.clients = make([]client, script.clients())
	if err := p.begin(); err != nil {
		return nil, fmt.Errorf("%s: before the script: %w", server.Name(), err)
	}
	for i, step := range script {
		p.lines = append(p.lines, fmt.Sprintf("step %d", i+1))
		if err := p.step(step); err != nil {
			_ = p.endSessions() // end what sessions the server lets us end: the others expire during another script
			return p.lines, fmt.Errorf("%s: step %d: %w", server.Name(), i+1, err)
		}
	}
	if err := p.end(); err != nil {
		return p.lines, fmt.Errorf("%s: after the script: %w", server.Name(), err)
	}
	return p.lines, nil
}

type player struct {
	server   Server
	root     string
	base     int64 // zxid of the create of the script's root
	clients  []client
	sessions map[int64]int // number of each session, in the order in which the sessions appear
	open     []sessionKey  // sessions that the script has made
	created  []string      // full paths of the created znodes, in order
	lines    []string
	xid      int32
	answered Answered
	dials    int  // number of connections that were opened
	settling bool // whether settle runs, whose requests are not part of the script
}

// client is one client of the script.
type client struct {
	conn    Conn // nil if there is no connection
	session sessionKey
}

type sessionKey struct {
	id       int64
	password [16]byte
}

func (p *player) step(s Step) error {
	switch s.Kind {
	case Connect:
		return p.connect(s.Client, &zookeeper.ConnectRequest{TimeoutMs: s.TimeoutMs, Password: make([]byte, 16), HasReadOnly: true})
	case Attach:
		return p.attach(s)
	case Drop:
		p.hangUp(s.Client)
		return p.settle()
	case Restart:
		return p.restart()
	case Ask:
		return p.ask(s.Client, p.absolute(s), func(b []byte, req *zookeeper.Request) []byte { return s.mangled(wire.AppendRequest(b, req), p.root) })
	case Raw:
		return p.ask(s.Client, &zookeeper.Request{Op: s.Op}, func(b []byte, req *zookeeper.Request) []byte {
			b = binary.BigEndian.AppendUint32(b, uint32(8+len(s.Body)))
			b = binary.BigEndian.AppendUint32(b, uint32(req.Xid))
			b = binary.BigEndian.AppendUint32(b, uint32(req.Op))
			return append(b, s.Body...)
		})
	}
	return fmt.Errorf("found the kind %q, want connect, attach, drop, ask, raw or restart", s.Kind)
}

// stopsAServer reports whether a frame has a request that makes a server of a real ensemble hang
// for ever: a reconfig that cannot be read, or a multi with a null path (ZK-24.10).
func stopsAServer(frame []byte) bool {
	var req zookeeper.Request
	if new(wire.Decoder).Request(frame[4:], &req) != nil {
		return false // the server closes the connection
	}
	nullPath := slices.ContainsFunc(req.Ops, func(op zookeeper.Request) bool { return op.NullPath })
	return req.Op == zookeeper.OpReconfig && req.Malformed || req.Op == zookeeper.OpMulti && nullPath
}

func (p *player) hangUp(c int) {
	if conn := p.clients[c].conn; conn != nil {
		conn.Close()
		p.clients[c].conn = nil
	}
}

func (p *player) restart() error {
	server, ok := p.server.(Restarter)
	if !ok {
		return errors.New("found a server that cannot be restarted, want one that was started for the check")
	}
	for c := range p.clients {
		p.hangUp(c)
	}
	return server.Restart()
}

func (p *player) attach(s Step) error {
	key := p.clients[s.Session].session
	req := &zookeeper.ConnectRequest{TimeoutMs: s.TimeoutMs, SessionID: key.id, Password: key.password[:], HasReadOnly: true}
	switch s.Wrong {
	case WrongPassword:
		req.Password[0] ^= 1
	case WrongSession:
		req.SessionID ^= 1 << 40
	case WrongZxid:
		req.LastZxidSeen = p.base + 1_000_000
	}
	return p.connect(s.Client, req)
}

func (p *player) connect(c int, req *zookeeper.ConnectRequest) error {
	p.hangUp(c)
	conn, err := p.dial()
	if err != nil {
		return err
	}
	resp, err := p.handshake(conn, req)
	if err == nil || errors.Is(err, errRefused) {
		// The client that has this session loses its connection, even if the password is wrong
		// (ZK-2.5).
		for other := range p.clients {
			if p.clients[other].conn != nil && p.clients[other].session.id == req.SessionID {
				if err := p.readToTheEnd(other); err != nil {
					return err
				}
			}
		}
	}
	switch {
	case errors.Is(err, ErrClosed):
		p.say(c, "closed without an answer")
		conn.Close()
	case errors.Is(err, errRefused):
		p.say(c, fmt.Sprintf("refused timeout=%d password=%x", resp.TimeoutMs, resp.Password))
		conn.Close()
	case err != nil:
		return err
	default:
		key := sessionKey{resp.SessionID, resp.Password}
		if _, known := p.sessions[key.id]; !known {
			p.open = append(p.open, key)
		}
		p.say(c, fmt.Sprintf("connected %s timeout=%d readOnly=%v", p.session(key.id), resp.TimeoutMs, resp.HasReadOnly))
		p.clients[c] = client{conn: conn, session: key}
	}
	return p.settle()
}

// ask sends a request of the script. It then reads the answer and the events that the
// request causes for other clients.
func (p *player) ask(c int, req *zookeeper.Request, encode func([]byte, *zookeeper.Request) []byte) error {
	conn := p.clients[c].conn
	if conn == nil {
		p.say(c, "has no connection")
		return nil
	}
	p.xid++
	req.Xid = p.xid
	if req.Op == zookeeper.OpPing {
		req.Xid = zookeeper.XidPing
	}
	frame := encode(nil, req)
	if _, several := p.server.(Spread); several && stopsAServer(frame) {
		p.say(c, "does not ask for what may stop a server")
		return nil
	}
	if err := conn.Send(frame); err != nil {
		return err
	}
	if err := p.readUpTo(c, req); err != nil {
		return err
	}
	if req.Op == zookeeper.OpCloseSession {
		// The server closes the connection after its answer. It does not matter whether server or
		// client closes first.
		p.hangUp(c)
	}
	if touchesNobody(req.Op) {
		return nil
	}
	return p.settle()
}

// readUpTo reads watch events until the answer to a request arrives.
func (p *player) readUpTo(c int, req *zookeeper.Request) error {
	var events []string
	defer func() { p.sayEvents(c, events) }()
	for {
		message, err := p.clients[c].conn.Receive()
		if errors.Is(err, ErrClosed) {
			p.sayEvents(c, events)
			events = nil
			p.say(c, "closed")
			p.hangUp(c)
			return nil
		}
		if err != nil {
			return fmt.Errorf("client %d, %s: %w", c, req.Op, err)
		}
		xid, err := wire.ReplyXid(message)
		if err != nil {
			return err
		}
		if req.Op == zookeeper.OpCreateSession && len(message) > shortReply {
			return p.again(c, message)
		}
		if xid == zookeeper.XidNotification {
			event, err := p.event(message)
			if err != nil {
				return err
			}
			events = append(events, event)
			continue
		}
		reply, err := wire.DecodeReply(message, req.Op)
		if err != nil {
			return fmt.Errorf("client %d, %s: %w", c, req.Op, err)
		}
		if xid != req.Xid {
			return fmt.Errorf("client %d: found an answer to xid %d, want %d", c, xid, req.Xid)
		}
		if p.answered != nil && !p.settling {
			p.answered.add(req.Op, reply.Err)
			for _, r := range reply.Results {
				p.answered.add(req.Op, r.Err)
			}
		}
		p.sayEvents(c, events)
		events = nil
		p.created = append(p.created, p.madeBy(&reply)...)
		p.say(c, p.reply(&reply))
		if reply.Err == zkerrors.AuthFailed || reply.Err == zkerrors.Unimplemented && reply.Zxid == -1 {
			return p.readToTheEnd(c)
		}
		return nil
	}
}

// shortReply is the length in bytes of a reply that has only a header.
const shortReply = 16

// again reads a second connect response on a connection. A server may send one as the answer to a
// request (ZK-1.6).
func (p *player) again(c int, message []byte) error {
	resp, err := wire.DecodeConnectResponse(message)
	p.say(c, fmt.Sprintf("connected again, %s timeout=%d readOnly=%v", p.session(resp.SessionID), resp.TimeoutMs, resp.HasReadOnly))
	return err
}

// readToTheEnd reads all messages until the server closes the connection. If the server fails to
// close it, a line records that.
func (p *player) readToTheEnd(c int) error {
	messages, ended := p.clients[c].conn.Ends()
	var events []string
	for _, message := range messages {
		event, err := p.event(message)
		if err != nil {
			return err
		}
		events = append(events, event)
	}
	p.sayEvents(c, events)
	if ended {
		p.say(c, "closed")
	} else {
		p.say(c, "is not closed")
	}
	p.hangUp(c)
	return nil
}

// event decodes a watch event and formats it as a line.
func (p *player) event(message []byte) (string, error) {
	e, err := wire.DecodeEvent(message)
	return fmt.Sprintf("event %v %s zxid=%s", e.Type, p.relative(e.Path), p.zxid(e.Zxid)), err
}

// dial opens the next connection of the script. In an ensemble connections go to the servers
// in turn.
func (p *player) dial() (Conn, error) {
	n := p.dials
	p.dials++
	if s, ok := p.server.(Spread); ok {
		return s.DialAt(n)
	}
	return p.server.Dial()
}

// settlingRequest returns a request whose answer comes after all earlier events. It is a
// ping for a single server. It is a sync for an ensemble, where a server may lag behind.
func (p *player) settlingRequest() *zookeeper.Request {
	if _, several := p.server.(Spread); several {
		p.xid++
		return &zookeeper.Request{Xid: p.xid, Op: zookeeper.OpSync, Path: "/"}
	}
	return &zookeeper.Request{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}
}

// settle reads the pending events of all connections by sending a settling request on each.
func (p *player) settle() error {
	p.settling = true
	defer func() { p.settling = false }()
	req := p.settlingRequest()
	for c := range p.clients {
		conn := p.clients[c].conn
		if conn == nil {
			continue
		}
		if err := conn.Send(wire.AppendRequest(nil, req)); err != nil {
			return err
		}
	}
	for c := range p.clients {
		if p.clients[c].conn == nil {
			continue
		}
		before := len(p.lines)
		if err := p.readUpTo(c, req); err != nil {
			return err
		}
		// Drop the line of the answer to the settling request, which is not part of the script.
		if n := len(p.lines); n > before && p.clients[c].conn != nil {
			p.lines = p.lines[:n-1]
		}
	}
	return nil
}

// absolute returns a step's request with absolute paths, below the root on the server.
func (p *player) absolute(s Step) *zookeeper.Request {
	req := *s.Request
	req.Path, req.Scheme, req.ACL = p.path(req.Op, req.Path), unescaped(req.Scheme), unescapedACL(req.ACL)
	if s.Earlier > 0 && len(p.created) > 0 {
		req.Path = p.created[len(p.created)-1-(s.Earlier-1)%len(p.created)]
	}
	req.Ops = append([]zookeeper.Request(nil), req.Ops...)
	for i := range req.Ops {
		req.Ops[i].Path, req.Ops[i].ACL = p.path(req.Ops[i].Op, req.Ops[i].Path), unescapedACL(req.Ops[i].ACL)
	}
	if req.Watches != nil {
		lists := *req.Watches
		lists.RelativeZxid += p.base
		for _, list := range []*[]string{&lists.Data, &lists.Exist, &lists.Child, &lists.Persistent, &lists.PersistentRecursive} {
			*list = append([]string(nil), *list...)
			for i := range *list {
				(*list)[i] = p.below((*list)[i])
			}
		}
		req.Watches = &lists
	}
	return &req
}

// path converts a script's path to the absolute path on the server. It returns "" for an
// operation that has no path.
func (p *player) path(op zookeeper.OpCode, path string) string {
	if !slices.ContainsFunc(op.RequestFields(), namesPath) {
		return ""
	}
	return p.below(path)
}

func namesPath(f field.Kind) bool {
	switch f {
	case field.Path, field.NewPath, field.NullablePath, field.EchoedPath:
		return true
	}
	return false
}

// below returns the absolute path of a script's path. If a path begins with "=", below only removes
// the "=".
func (p *player) below(path string) string {
	path = unescaped(path)
	if literal, ok := strings.CutPrefix(path, "="); ok {
		return literal
	}
	return p.root + path
}
