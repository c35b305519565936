package wire

import (
	"encoding/json"
	"io"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Observation is one write as the log tells it: one JSON object a line, with the
// fields of an observation of a cluster. It holds nothing that differs between
// two runs of the same program but the times.
type Observation struct {
	// At is the server's clock since it was started, as "1.25s".
	At string `json:"at"`
	// Pod is the client's address without its port, or "zookeeper" for what the
	// server did by itself.
	Pod string `json:"pod"`
	// Op names the operation: "zookeeper.create".
	Op   string `json:"op"`
	Path string `json:"path,omitempty"`
	// Note is the name of the error, "ephemeral" or "with its session".
	Note string `json:"note,omitempty"`
	// Data is what was written: the JSON that it is, or the text.
	Data json.RawMessage `json:"data,omitempty"`
	// DataBytes is data that is no text.
	DataBytes []byte `json:"data_base64,omitempty"`
	// Session counts the sessions in the order of their first write in the log.
	Session int `json:"session,omitempty"`
}

// writeLog writes observations. The zero value of its writer makes it do nothing.
type writeLog struct {
	jsonLines
	beganMs  int64
	sessions map[int64]int
}

func newWriteLog(w io.Writer, beganMs int64) *writeLog {
	return &writeLog{jsonLines: newJSONLines("writes", w), beganMs: beganMs, sessions: map[int64]int{}}
}

func (l *writeLog) write(nowMs int64, w *zookeeper.Write, from netip.Addr) {
	if !l.on() {
		return
	}
	o := Observation{
		At: (time.Duration(nowMs-l.beganMs) * time.Millisecond).String(), Pod: "zookeeper",
		Op: w.Op.LogName(), Path: w.Path,
	}
	if from.IsValid() {
		o.Pod = from.String()
	}
	switch {
	case w.Err != zookeeper.CodeOK:
		o.Note = zookeeper.CodeName(w.Err)
	case w.Of == zookeeper.OpCloseSession && w.Op == zookeeper.OpDelete:
		o.Note = "with its session"
	case w.Ephemeral:
		o.Note = "ephemeral"
	}
	if w.Session != 0 {
		if l.sessions[w.Session] == 0 {
			l.sessions[w.Session] = len(l.sessions) + 1
		}
		o.Session = l.sessions[w.Session]
	}
	if err := o.setData(w.Data); err != nil {
		l.failed(err)
		return
	}
	l.put(&o)
}

// setData leaves out data that is empty.
func (o *Observation) setData(data []byte) (err error) {
	switch {
	case len(data) == 0:
	case json.Valid(data):
		o.Data = data
	case utf8.Valid(data):
		o.Data, err = json.Marshal(string(data))
	default:
		o.DataBytes = data
	}
	return err
}

// port is where the server listens.
func (s *Server) port() uint16 {
	a, err := netip.ParseAddrPort(s.Addr())
	if err != nil {
		return 0
	}
	return a.Port()
}
