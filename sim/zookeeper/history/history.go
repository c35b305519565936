package history

import (
	"slices"

	"github.com/monosim/monosim/sim/zookeeper"
)

// History is what clients have seen of a server and what the server has done, for
// [History.Check]. Set Clients.History of every client, and Config.OnWrite to
// [History.Wrote], before the server starts.
//
// A nil History records nothing of what clients see.
type History struct {
	// Writes are in the order of their commits.
	Writes []zookeeper.Write
	// Seen is in the order in which it was seen.
	Seen []Seen

	clients int
}

// SeenKind says what a Seen is.
type SeenKind uint8

// The kinds of what is seen.
const (
	SeenAnswer SeenKind = iota + 1
	SeenEvent
	// SeenEnd is the end of a connection; its watches are gone.
	SeenEnd
)

// Seen is one thing that a client has seen.
type Seen struct {
	// Client is the number of the client's session layer, from 0.
	Client int
	Kind   SeenKind
	// Began is how much had been seen by all clients when the request of an answer
	// was made.
	Began int
	// Op, Path and Watch are the request's.
	Op    zookeeper.OpCode
	Path  string
	Watch bool
	// Zxid, Err and the others are the answer's; Made is the path of a create.
	Zxid     int64
	Err      zookeeper.Code
	Made     string
	Data     []byte
	Stat     zookeeper.Stat
	Children []string
	// Event is that of an event.
	Event zookeeper.Event
}

// Join returns the number of a client that is to be followed: 0, 1, and so on.
func (h *History) Join() int {
	h.clients++
	return h.clients - 1
}

// Wrote records a write; it is for zookeeper.Config.OnWrite.
func (h *History) Wrote(w zookeeper.Write) { h.Writes = append(h.Writes, w) }

// Now is how much has been seen by all clients, 0 for a nil History.
func (h *History) Now() int {
	if h == nil {
		return 0
	}
	return len(h.Seen)
}

// Answered records that a client has read the answer to a request that it made when
// [History.Now] was began.
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

// End records the end of a client's connection, with which its watches are gone.
func (h *History) End(client int) {
	if h != nil {
		h.Seen = append(h.Seen, Seen{Client: client, Kind: SeenEnd})
	}
}
