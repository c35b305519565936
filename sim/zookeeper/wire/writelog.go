package wire

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Observation is one write in the write log. Each observation is one line of JSON. It has the same
// fields as an observation of a cluster. Between two runs of the same program only the times
// differ.
type Observation struct {
	// At is the server's time since its start, such as "1.25s".
	At string `json:"at"`
	// Pod is the client's address without its port, or "zookeeper" for a write by the server
	// itself.
	Pod string `json:"pod"`
	// Op names the operation, such as "zookeeper.create".
	Op   string `json:"op"`
	Path string `json:"path,omitempty"`
	// Note is the name of the error of a failed write. It is "ephemeral" for an ephemeral, and
	// "with its session" for an ephemeral that is deleted because its session ends.
	Note string `json:"note,omitempty"`
	// Data is the written data: unchanged if it is JSON, else as a JSON string.
	Data json.RawMessage `json:"data,omitempty"`
	// DataBytes is the written data if it is not UTF-8.
	DataBytes []byte `json:"data_base64,omitempty"`
	// Session is the number of the writing session. Sessions are numbered from 1 in the order of
	// their first write in the log.
	Session int `json:"session,omitempty"`
}

// writeLog writes observations. With a nil writer it does nothing.
type writeLog struct {
	jsonLines
	beganMs  int64
	sessions map[int64]int
}

func newWriteLog(w io.Writer, beganMs int64) *writeLog {
	return &writeLog{jsonLines: newJSONLines("writes", w), beganMs: beganMs, sessions: map[int64]int{}}
}

func (l *writeLog) observe(nowMs int64, w *zookeeper.Write, from netip.Addr) {
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

// setData sets Data or DataBytes; empty data sets neither.
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

// jsonLines writes one JSON object a line. Without a writer it does nothing.
type jsonLines struct {
	of  string // of is the log's name in errors
	w   *bufio.Writer
	err error // err is the first error
}

func newJSONLines(of string, w io.Writer) jsonLines {
	l := jsonLines{of: of}
	if w != nil {
		l.w = bufio.NewWriter(w)
	}
	return l
}

// on reports whether lines are written.
func (l *jsonLines) on() bool { return l.w != nil }

func (l *jsonLines) put(v any) {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = l.w.Write(append(line, '\n'))
	}
	l.failed(err)
}

func (l *jsonLines) failed(err error) {
	if l.err == nil {
		l.err = err
	}
}

// flush writes out the buffered lines. It returns the first error of the log.
func (l *jsonLines) flush() error {
	if l.w == nil {
		return nil
	}
	l.failed(l.w.Flush())
	if l.err != nil {
		return fmt.Errorf("log of %s: %w", l.of, l.err)
	}
	return nil
}
