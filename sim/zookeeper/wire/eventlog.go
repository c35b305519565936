package wire

import (
	"fmt"
	"io"
	"net/netip"
	"time"
	"unicode/utf8"

	"github.com/monosim/monosim/sim/zookeeper"
)

// Event is one write in the event log. Each event is one line of JSON, and is logged before the
// write is answered. An Event contains values that differ between two runs: the wall time and the
// session's id. An Observation does not.
type Event struct {
	// Time is the wall time of the write.
	Time time.Time `json:"time"`
	// Client is the client's address without its port. It is "" for a write by the server itself.
	// It is also "" for a session that has not reconnected since the server's restart.
	Client string `json:"client,omitempty"`
	// Session is the id of the writing session, in hexadecimal. "0x0" stands for the server itself.
	Session string `json:"session,omitempty"`
	// Op is the operation. Of is the enclosing operation: "multi" for a part of a multi,
	// "closeSession" for an ephemeral that is deleted with its session.
	Op string `json:"op"`
	Of string `json:"of"`
	// Path is the final path, including a sequence number.
	Path string `json:"path,omitempty"`
	// Data is the written data if it is UTF-8, DataBytes if it is not.
	Data      string `json:"data,omitempty"`
	DataBytes []byte `json:"data_base64,omitempty"`
	Ephemeral bool   `json:"ephemeral,omitempty"`
	// Error names the error of a refused write; "" for a successful one.
	Error string `json:"error,omitempty"`
	Zxid  int64  `json:"zxid"`
}

// eventLog writes events. The zero value writes nothing.
type eventLog struct{ jsonLines }

func newEventLog(w io.Writer) eventLog { return eventLog{newJSONLines("events", w)} }

func (l *eventLog) event(w *zookeeper.Write, from netip.Addr) {
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
