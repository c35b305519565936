package wire

import (
	"fmt"
	"io"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Event is one write as those hear of it who follow a running server: one JSON object a
// line, whole when the write is answered. Unlike an Observation it says what tells two
// runs apart: the wall time and the session's own id.
type Event struct {
	// Time is the wall time.
	Time time.Time `json:"time"`
	// Client is the client's address without its port, "" for what the server did by
	// itself and for a session that nobody has attached to since a restart.
	Client string `json:"client,omitempty"`
	// Session is who wrote, as "0x100000000000001"; 0 is the server.
	Session string `json:"session,omitempty"`
	// Op is the operation, and Of that of its transaction: "multi" for a part of one,
	// "closeSession" for ephemerals that went with their session.
	Op string `json:"op"`
	Of string `json:"of"`
	// Path is the real path, with its sequence number.
	Path string `json:"path,omitempty"`
	// Data is what was written where it is text, DataBytes where it is none.
	Data      string `json:"data,omitempty"`
	DataBytes []byte `json:"data_base64,omitempty"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
	// Error is the name of a refusal, "" for none.
	Error string `json:"error,omitempty"`
	Zxid  int64  `json:"zxid"`
}

// eventLog writes events. The zero value does nothing.
type eventLog struct{ jsonLines }

func newEventLog(w io.Writer) eventLog { return eventLog{newJSONLines("events", w)} }

func (l *eventLog) write(w *zookeeper.Write, from netip.Addr) {
	if !l.on() {
		return
	}
	e := Event{
		Time: time.Now(), Session: fmt.Sprintf("%#x", uint64(w.Session)), Op: w.Op.String(), Of: w.Of.String(),
		Path: w.Path, Ephemeral: w.Ephemeral, Zxid: w.Zxid,
	}
	if from.IsValid() {
		e.Client = from.String()
	}
	if w.Err != zookeeper.CodeOK {
		e.Error = zookeeper.CodeName(w.Err)
	}
	if utf8.Valid(w.Data) {
		e.Data = string(w.Data)
	} else {
		e.DataBytes = w.Data
	}
	l.put(e)
}
