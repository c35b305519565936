package wire

import (
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// A turn is the time for which one connection, or the clock, holds the server's lock. During a turn
// the machine takes inputs, and its outputs go to the connections' queues. At the end of the turn
// the writers of those connections are woken once.

// connect passes the first request of a connection to the machine, and reports whether the
// connection was established.
func (s *Server) connect(c *conn, req *zookeeper.ConnectRequest) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return false
	}
	s.received(c)
	if s.faults.absence != Present {
		s.refuse(c, req)
		return false
	}
	s.from = c.remote.Addr()
	switch {
	case s.member.follows():
		s.member.connect(c, req)
	case s.member.retires() && req.SessionID == 0:
		c.stuck = true // creating a session needs a transaction
		return true
	default:
		s.machine.Connect(s.nowMs(), c.id, req)
	}
	s.deliver()
	s.endTurn()
	return s.established(c)
}

// established reports whether a connection is established, so that the server executes its
// requests.
func (s *Server) established(c *conn) bool {
	if s.member.follows() {
		return s.member.conns[c.id] != nil
	}
	return s.faults.absence == Present && s.machine.Connected(c.id)
}

// drop removes a connection from the machine.
func (s *Server) drop(id zookeeper.ConnID) {
	if s.member.follows() {
		s.member.closed(id)
	} else {
		s.machine.Drop(s.nowMs(), id)
	}
}

// handleBatch executes requests as long as the connection has room for their answers. It returns
// how many it has executed. The connection's reading goroutine calls it, and sends the answers
// itself, as far as the socket takes them without blocking.
func (s *Server) handleBatch(c *conn, batch []zookeeper.Request) (done int) {
	done, answers := s.turn(c, batch)
	if answers {
		c.push()
	}
	return done
}

// turn does the part of handleBatch that needs the lock. If answers is true, the caller has become
// the connection's writer and must send the answers.
func (s *Server) turn(c *conn, batch []zookeeper.Request) (done int, answers bool) {
	came := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	nowMs, timed := s.nowMs(), 0
	for done < len(batch) {
		if s.down || !s.established(c) {
			done = len(batch) // the requests are lost, like bytes in transit
			break
		}
		if done > 0 && !c.out.hasRoom(&s.limits) {
			break
		}
		s.received(c)
		batch[done].Pipelined = done > 0
		if op := batch[done].Op; op != zookeeper.OpAuth && op != zookeeper.OpSASL {
			timed++ // authentication is answered before it becomes a request
		}
		switch {
		case s.member.follows():
			s.member.receive(c.id, batch[done])
		case s.member.retires() && c.awaits(&batch[done]):
		default:
			s.machine.Handle(nowMs, c.id, &batch[done])
		}
		s.deliverTo(c)
		done++
	}
	if c.touched {
		c.touched, answers = false, c.out.wake()
	}
	s.endTurn()
	s.answered(c, timed, time.Since(came))
	return done, answers
}

// deliver moves the machine's outputs to the connections' queues.
func (s *Server) deliver() { s.deliverTo(nil) }

// deliverTo does what deliver does. most is the connection that probably gets most of the outputs.
// Its outputs need fewer look-ups.
func (s *Server) deliverTo(most *conn) {
	if s.member != nil {
		s.member.ensemble.settle()
		return
	}
	hold := s.commit != nil && s.commit.mustHold(s.machine)
	out := s.machine.Drain()
	for i := range out {
		c := most
		if c == nil || c.id != out[i].Conn {
			c = s.conns[out[i].Conn]
		}
		if c != nil {
			s.send(c, &out[i], hold)
		}
	}
	for _, id := range s.over {
		delete(s.clients, id)
	}
	s.over = s.over[:0]
}

func (s *Server) send(c *conn, out *zookeeper.Out, hold bool) {
	if out.Kind == zookeeper.OutClose {
		c.hangUp()
		return
	}
	s.sent(c, out)
	held, behind := c.out.add(out, hold, &s.limits)
	switch {
	case behind:
		s.opt.log("connection of /%s closed: it does not read, %d bytes wait", c.remote, s.limits.EventBytes)
		c.cut()
	case held:
		s.commit.noteHeld(c)
	case !c.touched:
		c.touched = true
		s.touched = append(s.touched, c)
	}
}

// endTurn adds this turn's changes to the next commit to disk. It also wakes the writers of
// connections with new messages.
func (s *Server) endTurn() {
	if s.member != nil {
		s.member.ensemble.endTurn()
		return
	}
	if s.commit != nil {
		s.commit.gather(s.machine)
	}
	s.events.flush()
	s.wakeTouched()
	s.writes.flush()
}

func (s *Server) wakeTouched() {
	for i, c := range s.touched {
		if c.touched {
			c.touched = false
			c.startWriter(c.out.wake())
		}
		s.touched[i] = nil
	}
	s.touched = s.touched[:0]
}

// fail stops the server after a disk error, because nothing can be made durable any more.
func (s *Server) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed, s.down = err, true
	close(s.done)
	for c := range s.sockets {
		c.cut()
	}
}
