package node

import (
	"fmt"
	"time"

	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/engine/vtime/leap"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Server is a Machine that listens on the simulated network. It can be stopped and started again,
// as after a crash. Acknowledged writes then still exist, and connections do not.
type Server struct {
	cfg     zookeeper.Config
	host    *network.Host
	port    int
	machine *zookeeper.Machine
	proc    *vtime.Process // nil while the server is down
	conns   map[zookeeper.ConnID]*serverConn
	next    zookeeper.ConnID
	timer   vtime.Timer
	timerMs int64
	looks   *vtime.Loop // loop that checks whether sessions expire
	saved   *zookeeper.Snapshot
	before  zookeeper.Counters // counters of earlier runs
	hosts   map[int64]string   // name of the client's host, by session id
	from    string             // name of the host whose request is being handled

	// writes gets a BeforeChange for every write. Sleeping loops depend on it, so that they are woken
	// before their recorded answers become wrong.
	writes leap.Observed
	// zxids holds the zxid before each of the latest writes. Answers to sleeping loops are computed
	// later than they are given, and must carry the zxid of the time at which they are given.
	zxids []zxidBefore
	// feeds holds the feeds whose reads have no events. usual says what is known of the znodes that
	// feeds read, by parent.
	feeds []*feed
	usual map[string][]*usualBelow
	// below keeps track of the znodes that surveys read, by parent.
	below map[string]*below
	// touched holds those of these znodes that the machine's present input has changed.
	touched []touched
	// harmless says that the machine's present input changes nothing that a feed reads.
	harmless bool

	leaderless bool
	readOnly   bool // whether the ensemble has no leader and serves only reads
	placements []*placement
	traffic    *traffic         // nil without CountTraffic
	event      *zookeeper.Event // last event sent

	// OnRead, when set, is called for every read that a client requests on a connection. Reads
	// without an event, of sleeping loops, do not count.
	OnRead func(host string, conn zookeeper.ConnID, op zookeeper.OpCode, path string)
}

var kindExpiry = vtime.NewKind("zookeeper.expiry")

// NewServer makes a server on a host, without starting it. It sets EpochOffsetMs of the config to
// the world's start.
func NewServer(host *network.Host, port int, cfg zookeeper.Config) *Server {
	cfg.EpochOffsetMs = host.Node().World().Time().Add(-host.Node().World().Now()).UnixMilli()
	s := &Server{cfg: cfg, host: host, looks: host.Node().NewQuietLoop("zookeeper.expiry"), port: port, conns: map[zookeeper.ConnID]*serverConn{}, hosts: map[int64]string{}}
	s.cfg.OnTransaction, s.cfg.OnContent = s.begins, s.contentChanges
	return s
}

// Addr returns the host:port of the server.
func (s *Server) Addr() string { return fmt.Sprintf("%s:%d", s.host.Name(), s.port) }

// Machine returns the state machine. While the server is down, it is in its last state.
func (s *Server) Machine() *zookeeper.Machine {
	s.host.Network().World().CatchUp()
	return s.machine
}

// ZnodeCount returns the number of the server's znodes.
// It needs no [vtime.World.CatchUp], because sleeping loops neither create nor delete znodes.
func (s *Server) ZnodeCount() int { return s.machine.ZnodeCount() }

// Start starts the server with the state that it has on disk. It returns an error if the server
// already runs or its port is taken.
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

// Stop ends the server as kill -9 does. The kernel resets its connections. The disk keeps all
// acknowledged writes.
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

// save keeps the state that is on disk, and the counters, when the server stops or loses its
// leader.
func (s *Server) save() {
	s.host.Network().World().CatchUp()
	s.saved = s.machine.Snapshot()
	s.before = s.before.Plus(s.machine.Counters())
}

// Counters returns the counts of all runs of the server together.
func (s *Server) Counters() zookeeper.Counters {
	if s.proc == nil || s.leaderless {
		return s.before
	}
	return s.before.Plus(s.Machine().Counters())
}

func (s *Server) nowMs() int64 { return s.host.Node().World().Now().Milliseconds() }

// KillSession expires a session as if its client had been silent for too long. It does nothing if
// the server is down or has no leader.
func (s *Server) KillSession(id int64) {
	if s.proc == nil || s.leaderless {
		return
	}
	s.machine.KillSession(s.nowMs(), id)
	s.flush(nil)
}

// serverConn is the server's side of one client connection. It receives what the client sends.
type serverConn struct {
	s      *Server
	id     zookeeper.ConnID
	conn   *network.Conn
	client string // name of the client's host
	// answer is where the client wants the reply to the present request; if it is nil, any place
	// will do.
	answer *zookeeper.Reply
	// loop is the loop of which the present request is a step; nil if it belongs to no loop.
	loop   *vtime.Loop
	pinged bool            // whether a ping has no answer yet
	at     *zookeeper.Conn // Conn for this connection in the machine; nil until it is first needed
	// follower is the server at the end of the connection; nil for the leader. asked is the path of
	// the request that is being answered.
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

// HostOf returns the host name of a session's client, even if the session has ended. For the id 0
// it returns the name of the server's own host.
func (s *Server) HostOf(session int64) string {
	if session == 0 {
		return s.host.Name()
	}
	if host, ok := s.hosts[session]; ok {
		return host
	}
	return s.from // the connection is still being made
}

// SessionsOf lists the ids of the live sessions of a host's clients in ascending order.
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

// Receive handles a message of the client.
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
	if c.s.OnRead != nil && r.Op.Reads() {
		c.s.OnRead(c.client, c.id, r.Op, r.Path)
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

// readAgain answers a request that reads data, and needs nothing else, by a shortcut. Nearly all
// requests do. For others it returns false and has no effect.
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

// connect handles the first request of a connection.
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

// Closed informs the machine that the connection has ended. The session stays.
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

// drop removes the connection from the server's lists.
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

// flush sends the machine's output, and schedules the check for the next expiry of a session. from
// is the connection whose request was handled, nil for none.
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
	if from != nil { // a later expiry of the session is not caused by this request
		defer unled(s.host)()
	}
	s.schedule()
}

// send sends one output of a machine on the connection.
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

// eventOf returns the event of an output. Equal successive events share one object to save memory.
func (s *Server) eventOf(o *zookeeper.Out) *zookeeper.Event {
	if s.event == nil || *s.event != o.Event {
		event := o.Event
		s.event = &event
	}
	return s.event
}

// reply sends the answer to the present request. It writes the reply to the place that the request
// names.
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

// pong answers a ping. It is called after everything else that the ping has caused.
func (c *serverConn) pong(r *ping) {
	if c.pinged {
		c.pinged = false
		c.conn.SendStep(r.loop, pingReply, pongBytes)
	}
}

// pingReply is the shared answer to every ping. Clients look only at its xid.
var pingReply = &zookeeper.Reply{Xid: zookeeper.XidPing, Op: zookeeper.OpPing}

// emptyReplyBytes estimates the size in bytes of a reply without content: header and stat.
const emptyReplyBytes = 20 + 68

// replySizeBytes estimates the size of a reply in bytes: header, body and stat.
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

// unled makes events have no origin until the returned function is called. It is for events that
// only the passing of time causes, such as pings and the expiry of sessions.
func unled(h *network.Host) (led func()) {
	w := h.Network().World()
	origin := w.Origin()
	w.SetOrigin(0)
	return func() { w.SetOrigin(origin) }
}

// schedule sets the timer to the next instant at which a session may expire.
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
