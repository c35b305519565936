package wiretap

import (
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Act is a request that the server has answered, or the start or end of a session.
type Act struct {
	// Client is the name of the client that opened the session.
	Client  string
	Session int64
	// Op is the operation. Of is the operation that contains it: OpMulti for a part of a multi,
	// OpCloseSession for an ephemeral that is deleted with its session.
	Op, Of zookeeper.OpCode
	// Path is the final path, including a sequence number.
	Path string
	// Data is the data that a create or set has written, and Version is the version of the data.
	Data      []byte
	Version   int32
	Ephemeral bool
	// Zxid is the zxid of a write. It is 0 if no answer has told it: acts that show in no answer.
	Zxid int64
	// Err is the error code of a refused request, CodeOK otherwise.
	Err zookeeper.Code
}

// ZooKeeper decodes the connections of all clients to one ZooKeeper. Tell and Born must be
// set before the first connection. They are called in the order in which the answers are read.
type ZooKeeper struct {
	// Chroot is the znode on the server that clients see as their root. "" means the server's
	// own root.
	Chroot string
	// Tell takes the acts.
	Tell func(Act)
	// Born, when set, receives each new ephemeral. The receiver should watch it and call Gone
	// when it disappears.
	Born func(*Ephemeral)
	// Unanswered, when set, receives each create whose connection was lost before the answer. The
	// receiver should watch the path, and call Made when a znode of that session is there.
	Unanswered func(*Create)

	mu         sync.Mutex
	tree       tree
	sessions   map[int64]*session
	ephemerals map[string]*Ephemeral
	// open holds the connections that are not closed yet.
	open map[*Conn]bool
	// doubtful holds, by path, deletes of ephemerals whose connection was lost before the answer.
	doubtful map[string]Act
	// unanswered and made hold creates without an answer, by path. made holds those whose znode the
	// receiver of Unanswered has seen, and unanswered holds all others.
	unanswered, made map[string]*Create
}

// session is a session that the server has granted and that is not known to have ended.
type session struct {
	id       int64
	client   string
	password [16]byte
	timeout  time.Duration // session timeout that the server granted
	heard    time.Time     // when the server last heard from the client
	conns    int
}

// Ephemeral is an ephemeral znode that a client has created.
type Ephemeral struct {
	// Path is the path on the server, including the chroot.
	Path    string
	Session int64
	// Over is closed when the ephemeral is known to be deleted.
	Over chan struct{}

	path string // path as clients see it
	// gone is set if the ephemeral is gone while a delete of it waits for its answer. The answer
	// says whether the delete or the end of the session has removed it.
	gone bool
}

// Create is a create request without an answer, so it is not known whether the server has carried
// it out.
type Create struct {
	// Path is the path on the server, including the chroot.
	Path    string
	Session int64
	// Owner is the session that owns the znode: Session for an ephemeral, 0 otherwise.
	Owner int64
	// Over is closed when the create is reported, or can no longer happen.
	Over chan struct{}

	act Act
}

// Connect begins to decode a new connection of the named client.
func (z *ZooKeeper) Connect(client string) *Conn {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.open == nil {
		z.tree, z.sessions, z.ephemerals, z.open = tree{}, map[int64]*session{}, map[string]*Ephemeral{}, map[*Conn]bool{}
		z.doubtful, z.unanswered, z.made = map[string]Act{}, map[string]*Create{}, map[string]*Create{}
	}
	c := &Conn{z: z, client: client, asked: map[int32]zookeeper.Request{}}
	z.open[c] = true
	return c
}

// Conn decodes one connection. Request and Answer may be called concurrently.
type Conn struct {
	z       *ZooKeeper
	client  string
	decoder wire.Decoder

	// z.mu guards what follows.
	wants   int64 // session that the client asks to continue
	began   bool  // whether the client has asked for a session
	greeted bool
	closed  bool
	session *session
	asked   map[int32]zookeeper.Request
}

// Request decodes a client's message, given without its length. If paths have to change, it
// returns the message to send instead, with its length. nil means to pass the message on
// unchanged.
func (c *Conn) Request(message []byte) []byte {
	c.z.mu.Lock()
	defer c.z.mu.Unlock()
	if !c.began {
		c.began = true
		if req, err := wire.DecodeConnectRequest(message); err == nil {
			c.wants = req.SessionID
		}
		return nil
	}
	if c.session != nil {
		c.session.heard = time.Now()
	}
	var req zookeeper.Request
	if err := c.decoder.Request(message, &req); err != nil || req.Malformed || req.Op == zookeeper.OpPing {
		return nil // passed on unchanged: the server deals with it
	}
	c.asked[req.Xid] = req
	if c.z.Chroot == "" {
		return nil
	}
	below := c.z.below(req)
	return wire.AppendRequest(nil, &below)
}

// Answer decodes a message of the server. Like Request, it returns the message to pass on instead,
// or nil to pass the original on unchanged.
func (c *Conn) Answer(message []byte) []byte {
	c.z.mu.Lock()
	defer c.z.mu.Unlock()
	if !c.greeted {
		c.greeted = true
		c.greet(message)
		return nil
	}
	xid, err := wire.ReplyXid(message)
	if err != nil {
		return nil
	}
	if xid == zookeeper.XidNotification {
		return c.z.event(message)
	}
	req, ok := c.asked[xid]
	if !ok {
		return nil
	}
	delete(c.asked, xid)
	reply, err := wire.DecodeReply(message, req.Op)
	if err != nil || c.session == nil {
		return nil
	}
	changed := c.z.above(&reply)
	c.answered(&req, &reply)
	c.z.settle(&req)
	if !changed {
		return nil
	}
	return wire.AppendReply(nil, &reply)
}

// greet decodes the server's answer to the connect request, which grants or refuses a session.
func (c *Conn) greet(message []byte) {
	resp, err := wire.DecodeConnectResponse(message)
	if err != nil {
		return
	}
	z := c.z
	if resp.SessionID == 0 {
		z.end(z.sessions[c.wants])
		return
	}
	s := z.sessions[resp.SessionID]
	if s == nil {
		s = &session{id: resp.SessionID, client: c.client}
		z.sessions[s.id] = s
		z.tell(s, Act{Op: zookeeper.OpCreateSession, Of: zookeeper.OpCreateSession})
	}
	s.password, s.timeout, s.heard = resp.Password, time.Duration(resp.TimeoutMs)*time.Millisecond, time.Now()
	if !c.closed {
		s.conns++
	}
	c.session = s
}

// Close ends the decoding of a connection. Further calls have no effect.
func (c *Conn) Close() {
	c.z.mu.Lock()
	defer c.z.mu.Unlock()
	if c.closed {
		return
	}
	c.closed = true
	delete(c.z.open, c)
	if c.session == nil {
		return
	}
	c.session.conns--
	for _, xid := range slices.Sorted(maps.Keys(c.asked)) {
		req := c.asked[xid]
		delete(c.asked, xid)
		switch req.Op.Effect() {
		case zookeeper.EffectCreate:
			c.z.doubtCreate(c.session, &req)
		case zookeeper.EffectDelete:
			c.z.doubtDelete(c.session, &req)
		}
		c.z.settle(&req)
	}
}

// Znode returns a znode as the acts so far have left it. It returns false if the acts have not
// created it, or have deleted it.
func (z *ZooKeeper) Znode(path string) (runners.Znode, bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if n := z.tree[path]; n != nil && n.there {
		return n.Znode, true
	}
	return runners.Znode{Path: path}, path == "/"
}

// tell reports an act of a session.
func (z *ZooKeeper) tell(s *session, a Act) {
	a.Client, a.Session = s.client, s.id
	z.report(a)
}

// report reports an act and applies it to the tree.
func (z *ZooKeeper) report(a Act) {
	if a.Err == zookeeper.CodeOK {
		z.tree.apply(a)
	}
	z.Tell(a)
}

// end reports the end of a session and of its ephemerals. It does nothing for nil, a session
// that has already ended.
func (z *ZooKeeper) end(s *session) {
	if s == nil {
		return
	}
	delete(z.sessions, s.id)
	for path, c := range z.unanswered {
		if c.Session == s.id {
			z.forget(path)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(z.ephemerals)) {
		if z.ephemerals[path].Session == s.id {
			z.dead(path)
			z.tell(s, Act{Op: zookeeper.OpDelete, Of: zookeeper.OpCloseSession, Path: path, Ephemeral: true})
		}
	}
	z.tell(s, Act{Op: zookeeper.OpCloseSession, Of: zookeeper.OpCloseSession})
}

// dead forgets an ephemeral.
func (z *ZooKeeper) dead(path string) {
	if e := z.ephemerals[path]; e != nil {
		close(e.Over)
		delete(z.ephemerals, path)
	}
	delete(z.doubtful, path)
	delete(z.made, path)
}

// Gone tells the tap that an ephemeral no longer exists. If no client has deleted it, its session
// has ended. While a delete of it has no answer, the tap waits for that answer to tell the two
// apart.
func (z *ZooKeeper) Gone(e *Ephemeral) {
	z.mu.Lock()
	defer z.mu.Unlock()
	if z.ephemerals[e.path] != e {
		return
	}
	e.gone = true
	z.left(e)
}

// Expired tells the tap that a session has ended.
func (z *ZooKeeper) Expired(id int64) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.end(z.sessions[id])
}

// Silent lists sessions that may have ended, with their passwords, which are needed to ask the
// server about them. These sessions have no connection and no ephemerals, and were silent for
// longer than their timeout plus limit. scale is the wall time of one second of the server. limit
// is in wall time.
func (z *ZooKeeper) Silent(now time.Time, scale float64, limit time.Duration) map[int64][16]byte {
	z.mu.Lock()
	defer z.mu.Unlock()
	owners := map[int64]bool{}
	for _, e := range z.ephemerals {
		owners[e.Session] = true
	}
	silent := map[int64][16]byte{}
	for id, s := range z.sessions {
		if s.conns == 0 && !owners[id] && now.Sub(s.heard) > time.Duration(float64(s.timeout)*scale)+limit {
			silent[id] = s.password
		}
	}
	return silent
}

// Lives tells the tap that the server still knows a session, and that the session's timeout starts
// again from now. id 0 stands for all sessions.
func (z *ZooKeeper) Lives(id int64) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, s := range z.sessions {
		if s.id == id || id == 0 {
			s.heard = time.Now()
		}
	}
}
