package diff

import (
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// Machine runs the state machine in this process, with encoded frames but without sockets.
// Its clock advances by one millisecond with each message.
type Machine struct {
	cfg   zookeeper.Config
	m     *zookeeper.Machine
	nowMs int64
	last  zookeeper.ConnID
	conns map[zookeeper.ConnID]*machineConn
}

// NewMachine makes a machine with an empty tree.
func NewMachine(cfg zookeeper.Config) *Machine {
	return &Machine{cfg: cfg, m: zookeeper.New(cfg, 0), conns: map[zookeeper.ConnID]*machineConn{}}
}

// Name returns the name of the server in reports.
func (s *Machine) Name() string { return "machine" }

// Dial makes a connection.
func (s *Machine) Dial() (Conn, error) {
	s.last++
	c := &machineConn{s: s, id: s.last}
	s.conns[s.last] = c
	return c, nil
}

// Restart replaces the state machine by one restored from what a server would have on disk.
func (s *Machine) Restart() error {
	s.m = zookeeper.Restore(s.cfg, s.nowMs, s.m.Snapshot())
	return nil
}

type machineConn struct {
	s         *Machine
	id        zookeeper.ConnID
	decoder   wire.Decoder
	connected bool
	closed    bool
	inbox     [][]byte
}

func (c *machineConn) Send(frame []byte) error {
	if c.closed {
		return nil // the request is lost, as on a closed socket
	}
	message := frame[4:]
	c.s.nowMs++
	if !c.connected {
		c.connected = true
		req, err := wire.DecodeConnectRequest(message)
		if err != nil {
			return err
		}
		req.RemoteIP = "127.0.0.1"
		c.s.m.Connect(c.s.nowMs, c.id, &req)
	} else {
		var req zookeeper.Request
		if err := c.decoder.Request(message, &req); err != nil {
			return err
		}
		c.s.m.Handle(c.s.nowMs, c.id, &req)
	}
	c.s.deliver()
	return nil
}

func (s *Machine) deliver() {
	for _, out := range s.m.Drain() {
		c := s.conns[out.Conn]
		if c == nil {
			continue
		}
		switch out.Kind {
		case zookeeper.OutConnected:
			c.put(wire.AppendConnectResponse(nil, &out.Connected))
		case zookeeper.OutReply:
			c.put(wire.AppendReply(nil, &out.Reply))
		case zookeeper.OutEvent:
			c.put(wire.AppendEvent(nil, &out.Event))
		case zookeeper.OutClose:
			c.closed = true
			delete(s.conns, c.id)
		}
	}
}

func (c *machineConn) put(frame []byte) { c.inbox = append(c.inbox, frame[4:]) }

// Receive returns ErrClosed at once if there is no message. Waiting is useless, because the
// machine replies immediately or never.
func (c *machineConn) Receive() ([]byte, error) {
	if len(c.inbox) == 0 {
		return nil, ErrClosed
	}
	message := c.inbox[0]
	c.inbox = c.inbox[1:]
	return message, nil
}

// Ends returns the remaining messages without waiting, because the machine closes a
// connection immediately or never.
func (c *machineConn) Ends() (messages [][]byte, ended bool) {
	messages, c.inbox = c.inbox, nil
	return messages, c.closed
}

func (c *machineConn) Close() {
	if !c.closed {
		c.closed = true
		c.s.m.Drop(c.s.nowMs, c.id)
		delete(c.s.conns, c.id)
		c.s.deliver()
	}
}
