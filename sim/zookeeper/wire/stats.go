package wire

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// latency collects the durations of requests: the last, shortest and longest, their sum and their
// number. Durations are in ms.
type latency struct{ last, min, max, total, count int64 }

func (l *latency) add(d time.Duration, requests int64) {
	ms := d.Milliseconds()
	if l.count == 0 || ms < l.min {
		l.min = ms
	}
	l.last, l.max = ms, max(l.max, ms)
	l.total += ms * requests
	l.count += requests
}

func (l *latency) average() float64 {
	if l.count == 0 {
		return 0
	}
	return float64(l.total) / float64(l.count)
}

// javaDouble formats a number, rounded to four decimal places, as Java prints a double.
func javaDouble(v float64) string {
	s := strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// serverStats holds the statistics that the four-letter words srvr and mntr print. The word srst
// resets them.
type serverStats struct {
	received, sent, rejected int64
	latency                  latency
	// traceMask is the number that the four-letter word stmk sets and gtmk prints. It has no other
	// effect.
	traceMask int64
}

// usualTraceMask is the trace mask of a server before the word stmk sets another (ZooTrace.java).
const usualTraceMask = 306

// connStats holds the statistics of a connection that the four-letter word cons prints. The word
// crst resets them.
type connStats struct {
	received, sent int64
	latency        latency
	lastOp         string // lastOp is "" before the first operation
	lastXid        int32  // lastXid is the xid of the last request other than a ping; -1 for none since a reset
	lastZxid       int64
	lastMs         int64 // lastMs is when the last operation was answered; 0 for none

	// probe marks a connection that sent a four-letter word.
	probe bool

	// The session's id and timeout survive a reset of the statistics.
	session   int64
	timeoutMs int32
	// queued counts the requests that a real server counts as waiting for ever. They are the
	// createSessions on a connection that has a session, whose answer is no response with a header
	// (NIOServerCnxn.java, decrOutstandingAndCheckThrottle). A reset keeps it too.
	queued int
}

func (st *connStats) reset() {
	*st = connStats{lastOp: "NA", lastXid: -1, lastZxid: -1, probe: st.probe, session: st.session, timeoutMs: st.timeoutMs, queued: st.queued}
}

// lastResponse returns when the connection's last operation was answered, in ms since the server's
// start; 0 for none.
func (s *Server) lastResponse(c *conn) int64 { return max(c.stats.lastMs-s.beganMs, 0) }

func (s *Server) received(c *conn) {
	s.stats.received++
	c.stats.received++
	s.postpone(c)
}

// postpone moves the time at which the connection is closed if it stays silent. It is called
// whenever something comes or goes (NIOServerCnxnFactory.java, touchCnxn).
func (s *Server) postpone(c *conn) {
	nowMs, timeoutMs := s.clock.NowMs(), int64(c.stats.timeoutMs)
	if c.stats.session == 0 {
		timeoutMs = s.limits.FirstFrame.Milliseconds()
	}
	if deadlineMs := s.connSets.Deadline(nowMs + timeoutMs); deadlineMs != c.deadlineMs {
		c.deadlineMs = deadlineMs
		s.connSets.Make(nowMs, deadlineMs)
	}
}

func (s *Server) sent(c *conn, out *zookeeper.Out) {
	s.stats.sent++
	st := &c.stats
	st.sent++
	switch out.Kind {
	case zookeeper.OutConnected:
		if out.Connected.SessionID != 0 {
			s.clients[out.Connected.SessionID] = c.remote.Addr()
		}
		st.session, st.timeoutMs = out.Connected.SessionID, out.Connected.TimeoutMs
		if out.Reply.Op == zookeeper.OpCreateSession {
			st.lastOp, st.lastXid, st.lastZxid, st.lastMs = "SESS", out.Reply.Xid, s.zxid(), s.clock.NowMs()
			if out.Reply.Xid > 0 {
				st.queued++
			}
		}
	case zookeeper.OutReply:
		word, told := out.Reply.Word()
		if !told {
			break
		}
		st.lastOp, st.lastZxid, st.lastMs = word, out.Reply.Zxid, s.clock.NowMs()
		if out.Reply.Xid >= 0 {
			// A ping does not overwrite the last real operation (ServerCnxn.java:418).
			st.lastXid = out.Reply.Xid
		}
	}
	s.postpone(c)
}

// answered adds the duration of a turn's requests to the statistics. The duration ends when the
// answers are queued, before they wait for the disk and the client.
func (s *Server) answered(c *conn, requests int, took time.Duration) {
	if requests > 0 {
		s.stats.latency.add(took, int64(requests))
		c.stats.latency.add(took, int64(requests))
	}
}
