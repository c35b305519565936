package network

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// Host is the network stack of one machine or pod.
type Host struct {
	n     *Network
	name  string
	node  *vtime.Node
	ips   []string
	index int
	down  bool

	listeners      []*Listener // listeners sorted by port; several may share a port
	conns          []*Conn     // connections that are open or being opened
	nextPort       int
	nextClientPort int
	lineFree       time.Duration // time at which the host's line will have sent all that is queued now
	losing         []*answerLoss
	loopback       *link // link to the host itself; nil before its first use
	linksTo        linksTo
	sites          string // see latencySites
	counters       Counters
}

// Counters counts a host's traffic since the host was added. Messages and bytes do not include the
// opening and closing of connections.
type Counters struct {
	Dials, Accepts                 uint64
	MessagesSent, MessagesReceived uint64
	BytesSent, BytesReceived       uint64
}

func (c *Counters) count(arrived bool, sizeBytes int) {
	if arrived {
		c.MessagesReceived++
		c.BytesReceived += uint64(sizeBytes)
	} else {
		c.MessagesSent++
		c.BytesSent += uint64(sizeBytes)
	}
}

// exchanged counts one message sent and one received, with their sizes in bytes.
func (c *Counters) exchanged(sent, received int) {
	c.MessagesSent++
	c.MessagesReceived++
	c.BytesSent += uint64(sent)
	c.BytesReceived += uint64(received)
}

// Free ports and client ports are taken from these ranges in ascending order, then from the start
// again.
const (
	firstFreePort, lastFreePort     = 30000, 39999
	firstClientPort, lastClientPort = 40000, 60999
)

// Name returns the host's name.
func (h *Host) Name() string { return h.name }

// Node returns the virtual-time node to which the host's own events belong.
func (h *Host) Node() *vtime.Node { return h.node }

// Network returns the network that the host is in.
func (h *Host) Network() *Network { return h.n }

// IPs lists the host's addresses in canonical form, possibly none. The slice must not be changed.
func (h *Host) IPs() []string { return h.ips }

// Down reports whether the host is off the network: after HostDown, before HostUp.
func (h *Host) Down() bool { return h.down }

// Counters returns the host's counts so far.
func (h *Host) Counters() Counters {
	h.n.w.CatchUp()
	return h.counters
}

// FreePort returns the next port from 30000 on which nobody listens. The port is not reserved, but
// the next call returns another one.
func (h *Host) FreePort() int {
	for {
		port := h.nextPort
		h.nextPort++
		if h.nextPort > lastFreePort {
			h.nextPort = firstFreePort
		}
		if len(h.listenersAt(port)) == 0 {
			return port
		}
	}
}

func (h *Host) clientPort() int {
	port := h.nextClientPort
	h.nextClientPort++
	if h.nextClientPort > lastClientPort {
		h.nextClientPort = firstClientPort
	}
	return port
}

// address returns the host's first IP address, or its name if it has none.
func (h *Host) address() string {
	if len(h.ips) > 0 {
		return h.ips[0]
	}
	return h.name
}
