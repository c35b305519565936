package zookeeper

import "slices"

// History is what clients have seen of a server and what the server has done, for
// [History.Check]. Set Clients.History of every client, and Config.OnWrite to
// [History.Wrote], before the server starts.
type History struct {
	// Writes are in the order of their commits.
	Writes []Write
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
	Op    OpCode
	Path  string
	Watch bool
	// Zxid, Err and the others are the answer's; Made is the path of a create.
	Zxid     int64
	Err      Code
	Made     string
	Data     []byte
	Stat     Stat
	Children []string
	// Event is that of an event.
	Event Event
}

// Wrote takes down a write.
func (h *History) Wrote(w Write) { h.Writes = append(h.Writes, w) }

func (h *History) now() int {
	if h == nil {
		return 0
	}
	return len(h.Seen)
}

func (h *History) answered(client int, c *call, r *Reply) {
	if h == nil {
		return
	}
	q := &c.request
	h.Seen = append(h.Seen, Seen{
		Client: client, Kind: SeenAnswer, Began: c.began, Op: q.Op, Path: q.Path, Watch: q.Watch,
		Zxid: r.Zxid, Err: r.Err, Made: r.Path, Data: r.Data, Stat: r.Stat, Children: slices.Clone(r.Children),
	})
}

func (h *History) event(client int, e Event) {
	if h != nil {
		h.Seen = append(h.Seen, Seen{Client: client, Kind: SeenEvent, Event: e})
	}
}

func (h *History) end(client int) {
	if h != nil {
		h.Seen = append(h.Seen, Seen{Client: client, Kind: SeenEnd})
	}
}
