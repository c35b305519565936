package history

import (
	"slices"

	"github.com/monosim/monosim/sim/zookeeper"
)

// History records the observations of clients and the writes of a server, for [History.Check].
// Before the server starts, set Clients.History of every client, and Config.OnWrite to
// [History.Wrote].
//
// On a nil History the methods that clients call do nothing.
type History struct {
	// Writes holds the server's writes in the order of their commits.
	Writes []zookeeper.Write
	// Seen holds the observations of all clients, in the order of time.
	Seen []Seen

	clients int
}

// SeenKind says what a client has observed.
type SeenKind uint8

// These are the kinds of observations.
const (
	SeenAnswer SeenKind = iota + 1
	SeenEvent
	// SeenEnd is the end of a connection, which removes its watches.
	SeenEnd
)

// Seen is one observation of a client.
type Seen struct {
	// Client is the number of the client's session layer, from 0.
	Client int
	Kind   SeenKind
	// Began is set for an answer. It is the number of observations that all clients had made when
	// the request was sent.
	Began int
	// Op, Path and Watch are set for an answer. They are the opcode, the path and the watch flag of
	// the request.
	Op    zookeeper.OpCode
	Path  string
	Watch bool
	// Zxid, Err, Data and the fields after them come from the answer. Made is the path that a
	// create returned.
	Zxid     int64
	Err      zookeeper.Code
	Made     string
	Data     []byte
	Stat     zookeeper.Stat
	Children []string
	// Event is set for a SeenEvent.
	Event zookeeper.Event
}

// Join registers a client and returns its number: 0, 1, and so on.
func (h *History) Join() int {
	h.clients++
	return h.clients - 1
}

// Wrote records a write. Set it as zookeeper.Config.OnWrite.
func (h *History) Wrote(w zookeeper.Write) { h.Writes = append(h.Writes, w) }

// Now returns the number of observations so far; 0 for a nil History.
func (h *History) Now() int {
	if h == nil {
		return 0
	}
	return len(h.Seen)
}

// Answered records that a client has read the answer to its request. began is [History.Now] at the
// time of the request.
func (h *History) Answered(client, began int, q *zookeeper.Request, r *zookeeper.Reply) {
	if h == nil {
		return
	}
	h.Seen = append(h.Seen, Seen{
		Client: client, Kind: SeenAnswer, Began: began, Op: q.Op, Path: q.Path, Watch: q.Watch,
		Zxid: r.Zxid, Err: r.Err, Made: r.Path, Data: r.Data, Stat: r.Stat, Children: slices.Clone(r.Children),
	})
}

// Event records that a client has read an event.
func (h *History) Event(client int, e zookeeper.Event) {
	if h != nil {
		h.Seen = append(h.Seen, Seen{Client: client, Kind: SeenEvent, Event: e})
	}
}

// End records the end of a client's connection, which removes its watches.
func (h *History) End(client int) {
	if h != nil {
		h.Seen = append(h.Seen, Seen{Client: client, Kind: SeenEnd})
	}
}
