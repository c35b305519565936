package node

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Server is a Machine that listens on the simulated network. It can be stopped
// and started again, as after a crash: what was acknowledged is kept, connections
// are not.
type Server struct {
	cfg     zookeeper.Config
	host    *network.Host
	port    int
	machine *zookeeper.Machine
	proc    *vtime.Process // nil while it is down
	conns   map[zookeeper.ConnID]*serverConn
	next    zookeeper.ConnID
	timer   vtime.Timer
	timerMs int64
	looks   *vtime.Loop // whether a session expires
	saved   *zookeeper.Snapshot
	before  zookeeper.Counters // of earlier lives
	hosts   map[int64]string   // by session
	from    string             // whose request is being handled

	// writes tells of every write before it is done.
	writes leap.Observed
	// zxids are those before the latest writes, for answers that were given meanwhile.
	zxids []zxidBefore
	// feeds are those that are asleep, usual what is known of the znodes that they read, by
	// parent.
	feeds []*feed
	usual map[string][]*usualBelow
	// below has what surveys ask of the server, by the parent of what they read.
	below map[string]*below
	// touched are the znodes below those in usual that have changed in the input that the
	// machine does now.
	touched []touched
	// harmless says that what the machine does now changes nothing that a feed reads.
	harmless bool

	leaderless bool
	readOnly   bool // and leaderless
	placements []*placement
	traffic    *traffic         // nil without CountTraffic
	event      *zookeeper.Event // that was sent last
}

var kindExpiry = vtime.NewKind("zookeeper.expiry")

// NewServer makes a server on a host that is not started yet. The config's
// EpochOffsetMs is set to the world's start.
func NewServer(host *network.Host, port int, cfg zookeeper.Config) *Server {
	cfg.EpochOffsetMs = host.Node().World().Time().Add(-host.Node().World().Now()).UnixMilli()
	s := &Server{cfg: cfg, host: host, looks: host.Node().NewQuietLoop("zookeeper.expiry"), port: port, conns: map[zookeeper.ConnID]*serverConn{}, hosts: map[int64]string{}}
	s.cfg.OnTransaction, s.cfg.OnContent = s.begins, s.contentChanges
	return s
}

// Addr is host:port of the server.
func (s *Server) Addr() string { return fmt.Sprintf("%s:%d", s.host.Name(), s.port) }

// Machine returns the state machine; that of a server that is down is as it was left.
func (s *Server) Machine() *zookeeper.Machine {
	s.host.Network().World().CatchUp()
	return s.machine
}

// ZnodeCount is how many znodes the server has.
func (s *Server) ZnodeCount() int { return s.machine.ZnodeCount() } // no leap changes it

// Start starts the server on what it has on disk. It is an error when the server runs
// already or its port is taken.
func (s *Server) Start() error {
	if s.proc != nil {
		return fmt.Errorf("zookeeper %s: already started", s.Addr())
	}
	proc := s.host.Node().NewProcess("zookeeper")
	if _, err := s.host.Listen(network.OwnedBy(proc), s.port, s.accept); err != nil {
		proc.Crash()
		return err
	}
	s.proc = proc
	if s.saved == nil {
		s.lead(zookeeper.New(s.cfg, s.nowMs()))
	} else {
		s.lead(zookeeper.Restore(s.cfg, s.nowMs(), s.saved))
	}
	return nil
}

// Stop ends the server as kill -9 does: connections are reset by its kernel, the
// disk keeps everything that was acknowledged.
func (s *Server) Stop() {
	if s.proc == nil {
		return
	}
	if !s.leaderless {
		s.save()
	}
	s.leaderless = false
	s.stopFollowers()
	s.timer.Cancel()
	proc := s.proc
	s.proc = nil
	clear(s.conns)
	proc.Crash()
}

// save keeps what is on disk at the end of a life.
func (s *Server) save() {
	s.host.Network().World().CatchUp()
	s.saved = s.machine.Snapshot()
	s.before = s.before.Plus(s.machine.Counters())
}

// Counters returns the counts of all lives of the server together.
func (s *Server) Counters() zookeeper.Counters {
	if s.proc == nil || s.leaderless {
		return s.before
	}
	return s.before.Plus(s.Machine().Counters())
}

func (s *Server) nowMs() int64 { return s.host.Node().World().Now().Milliseconds() }

// KillSession expires a session as if its client had been silent for too long. It does
// nothing while the server is down or has no leader.
func (s *Server) KillSession(id int64) {
	if s.proc == nil || s.leaderless {
		return
	}
	s.machine.KillSession(s.nowMs(), id)
	s.flush(nil)
}

// serverConn is one connection, the receiver of what clients send.
type serverConn struct {
	s      *Server
	id     zookeeper.ConnID
	conn   *network.Conn
	client string // the name of its host
	// answer is where the client wants the reply to the request that is being
	// handled; nil for anywhere.
	answer *zookeeper.Reply
	// loop is whose question that request is, nil for none.
	loop   *vtime.Loop
	pinged bool            // and not answered
	at     *zookeeper.Conn // the machine's side, nil before a known path was read
	// follower is the server that it is to, nil for the leader, and asked the path of the
	// request that it is to answer.
	follower *follower
	asked    string
	asks     ownFlows
}

func (s *Server) accept(conn *network.Conn) {
	s.next++
	sc := &serverConn{s: s, id: s.next, conn: conn, client: conn.RemoteHost().Name()}
	s.conns[sc.id] = sc
	conn.SetReceiver(sc)
}

// HostOf names the host of a session's client, also of a session that has ended. For id
// 0 it is the server's own.
func (s *Server) HostOf(session int64) string {
	if session == 0 {
		return s.host.Name()
	}
	if host, ok := s.hosts[session]; ok {
		return host
	}
	return s.from // it is being made
}

// SessionsOf lists the ids of the live sessions of a host's clients, ascending.
func (s *Server) SessionsOf(host string) []int64 {
	var ids []int64
	if s.machine != nil {
		for _, info := range s.machine.Sessions() {
			if s.hosts[info.ID] == host {
				ids = append(ids, info.ID)
			}
		}
	}
	return ids
}

// Receive feeds a request to the machine.
func (c *serverConn) Receive(_ *network.Conn, payload any) {
	c.s.from = c.client
	switch r := payload.(type) {
	case *request:
		c.request(r)
	case *ping:
		c.ping(r)
	case *zookeeper.ConnectRequest:
		c.connect(r)
	default:
		panic(fmt.Sprintf("zookeeper: a client sent a %T", payload))
	}
}

func (c *serverConn) request(r *request) {
	if len(r.Data) > 0 && frameBytes(&r.Request) > maxFrameBytes {
		c.conn.Close()
		c.Closed(nil, nil)
		return
	}
	if r.loop == nil {
		node := c.s.host.Node()
		node.Note(uint64(uint32(r.Op))<<32 ^ uint64(len(r.Data)))
		node.NoteString(r.Path)
	}
	if t := c.s.traffic; t != nil {
		t.request(c.s.host.Node().World().Now(), c.asks.of(t, c.s.from, &r.Request), &r.Request)
	}
	switch {
	case c.follower != nil:
		c.follower.receive(c.id, r)
	case !c.readAgain(r):
		c.answer, c.loop = r.reply, r.loop
		c.s.harmless = r.Op == zookeeper.OpCreate && c.s.onlyMakes(r.Path)
		c.s.machine.Handle(c.s.nowMs(), c.id, &r.Request)
		c.s.harmless = false
		c.s.flush(c)
	}
}

// readAgain answers a read of data when nothing but that read is to be done, as nearly
// always. It reports false, and has no effect, otherwise.
func (c *serverConn) readAgain(req *request) bool {
	if req.Op != zookeeper.OpGetData || req.Malformed {
		return false
	}
	s := c.s
	if c.at == nil {
		c.at = s.machine.Conn(c.id)
	}
	if c.at == nil || req.reply == nil || !s.machine.ReadAgain(s.nowMs(), c.at, &req.Request, req.reply) {
		return false
	}
	bytes := emptyReplyBytes + len(req.reply.Data)
	if t := s.traffic; t != nil {
		t.reply(bytes)
	}
	c.conn.SendStep(req.loop, req.reply, bytes)
	return true
}

func (c *serverConn) ping(r *ping) {
	if c.follower != nil {
		c.follower.receive(c.id, pingRequest)
		return
	}
	c.answer, c.loop = nil, nil
	c.s.machine.Handle(c.s.nowMs(), c.id, &pingRequest.Request)
	c.s.flush(c)
	c.pong(r)
}

// connect takes the first request of a connection.
func (c *serverConn) connect(r *zookeeper.ConnectRequest) {
	s := c.s
	if s.leaderless {
		s.refuse(c, r)
		return
	}
	if c.follower = s.followerOf(c.conn.RemoteHost()); c.follower != nil {
		c.follower.connect(c, r)
		return
	}
	s.harmless = s.nothingExpires()
	s.machine.Connect(s.nowMs(), c.id, r)
	s.harmless = false
	s.flush(c)
}

// Closed tells the machine that the connection is gone; its session lives on.
func (c *serverConn) Closed(*network.Conn, error) {
	c.drop()
	if !c.s.leaderless {
		c.s.flush(nil)
	}
}

// end closes the connection.
func (c *serverConn) end() {
	c.conn.Close()
	c.drop()
}

// drop forgets it.
func (c *serverConn) drop() {
	delete(c.s.conns, c.id)
	switch {
	case c.s.leaderless:
	case c.follower != nil:
		c.follower.closed(c.id)
	default:
		c.s.machine.Drop(c.s.nowMs(), c.id)
	}
}

// flush sends what the machine has put out and sets the next expiry. from is the
// connection whose request was handled, nil for none.
func (s *Server) flush(from *serverConn) {
	s.changed()
	out := s.machine.Drain()
	for i := range out {
		o := &out[i]
		c := from
		if c == nil || c.id != o.Conn {
			if c = s.conns[o.Conn]; c == nil {
				continue
			}
		}
		if c.follower != nil {
			c.follower.hears(fromLeader{out: *o})
		} else {
			c.send(o)
		}
	}
	if from != nil { // a request does not lead to the end of the session that it was of
		defer unled(s.host)()
	}
	s.schedule()
}

// send sends what a machine has for the connection.
func (c *serverConn) send(o *zookeeper.Out) {
	switch o.Kind {
	case zookeeper.OutConnected:
		response := o.Connected
		c.s.hosts[response.SessionID] = c.client
		c.conn.Send(&response, 41)
	case zookeeper.OutReply:
		c.reply(&o.Reply)
	case zookeeper.OutEvent:
		event := c.s.eventOf(o)
		bytes := 32 + len(event.Path)
		if t := c.s.traffic; t != nil {
			t.event(c.asks.events(t, c.client), bytes)
		}
		c.conn.Send(event, bytes)
	case zookeeper.OutClose:
		c.conn.Close()
		delete(c.s.conns, o.Conn)
		if c.follower != nil {
			c.follower.closed(c.id)
		}
	}
}

// eventOf is the event of an output: one for all that hear of the same.
func (s *Server) eventOf(o *zookeeper.Out) *zookeeper.Event {
	if s.event == nil || *s.event != o.Event {
		event := o.Event
		s.event = &event
	}
	return s.event
}

// reply sends the answer to the request that was handled, in the place that came
// with it.
func (c *serverConn) reply(r *zookeeper.Reply) {
	if r.Op == zookeeper.OpPing {
		if c.follower != nil {
			c.conn.Send(pingReply, pongBytes)
			return
		}
		c.pinged = true
		return
	}
	to := c.answer
	if to == nil {
		to = &zookeeper.Reply{}
	}
	loop := c.loop
	c.answer, c.loop = nil, nil
	*to = *r
	bytes := replySizeBytes(to)
	switch t := c.s.traffic; {
	case t == nil:
	case c.follower != nil:
		t.followed(c.client, to.Op, c.asked, bytes)
	default:
		t.reply(bytes)
	}
	c.conn.SendStep(loop, to, bytes)
}

// pong answers a ping when all else is done.
func (c *serverConn) pong(r *ping) {
	if c.pinged {
		c.pinged = false
		c.conn.SendStep(r.loop, pingReply, pongBytes)
	}
}

// pingReply is the answer to every ping: clients look at its xid only.
var pingReply = &zookeeper.Reply{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}

// emptyReplyBytes estimates the frame of a reply without content: header and stat.
const emptyReplyBytes = 20 + 68

// replySizeBytes estimates the frame: header, body, stat.
func replySizeBytes(r *zookeeper.Reply) int {
	n := emptyReplyBytes + len(r.Path) + len(r.Data)
	for _, child := range r.Children {
		n += 4 + len(child)
	}
	if r.Names != nil {
		n += 4*r.Names.Len() + r.Names.Bytes()
	}
	return n
}

// unled has what is scheduled until the call of what it returns have no origin, for what comes
// of the time that passes alone, such as pings and the end of a session.
func unled(h *network.Host) (led func()) {
	w := h.Network().World()
	origin := w.Origin()
	w.SetOrigin(0)
	return func() { w.SetOrigin(origin) }
}

// schedule keeps one timer at the next instant at which a session may expire.
func (s *Server) schedule() {
	ms, ok := s.machine.NextExpiryMs()
	if !ok {
		s.timer.Cancel()
		return
	}
	if s.timer.Pending() && s.timerMs == ms {
		return
	}
	s.timer.Cancel()
	s.timerMs = ms
	s.timer = s.looks.ScheduleIn(s.proc, 0, time.Duration(ms)*time.Millisecond, kindExpiry, (*expiryTimer)(s), 0)
}

type expiryTimer Server

func (t *expiryTimer) Handle(uint64) {
	s := (*Server)(t)
	s.machine.Tick(s.nowMs())
	s.flush(nil)
}
