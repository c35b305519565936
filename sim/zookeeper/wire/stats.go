package wire

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/sim/zookeeper"
)

// latency adds up how long requests took, in ms.
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

// javaDouble formats a number rounded to four places, as Java prints it.
func javaDouble(v float64) string {
	s := strconv.FormatFloat(math.Round(v*1e4)/1e4, 'f', -1, 64)
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// serverStats is what the words srvr and mntr tell and srst resets.
type serverStats struct {
	received, sent, rejected int64
	latency                  latency
}

// connStats is what the word cons tells and crst resets.
type connStats struct {
	received, sent int64
	latency        latency
	lastOp         string
	lastXid        int32 // of the last request but pings; -1 is none
	lastZxid       int64
	lastMs         int64

	// probe marks a connection that asked for a four-letter word.
	probe bool

	// The session's values outlive a reset.
	session   int64
	timeoutMs int32
}

func (st *connStats) reset() {
	*st = connStats{lastOp: "NA", lastXid: -1, lastZxid: -1, probe: st.probe, session: st.session, timeoutMs: st.timeoutMs}
}

// received counts a request, or a four-letter word.
func (s *Server) received(c *conn) {
	s.stats.received++
	c.stats.received++
}

// sent counts an answer or event.
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
		st.lastOp, st.lastXid, st.lastZxid, st.lastMs = "SESS", 0, s.zxid(), s.clock.NowMs()
	case zookeeper.OutReply:
		st.lastOp, st.lastZxid, st.lastMs = out.Reply.Op.Word(), out.Reply.Zxid, s.clock.NowMs()
		if out.Reply.Xid >= 0 {
			// Pings do not hide the last real operation (ServerCnxn.java:418).
			st.lastXid = out.Reply.Xid
		}
	}
}

// answered counts how long the requests of a turn took, from when they were read until they
// were answered. The time of the disk and of the client is not in it.
func (s *Server) answered(c *conn, requests int, took time.Duration) {
	if requests > 0 {
		s.stats.latency.add(took, int64(requests))
		c.stats.latency.add(took, int64(requests))
	}
}
