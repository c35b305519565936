package network

import (
	"time"

	"github.com/monosim/monosim/engine/vtime"
)

// link is the one-way path from one host to another. All connections between them share it.
type link struct {
	from, to *Host
	blocked  bool          // whether a partition stops all messages
	refused  bool          // whether Refuse makes the link refuse messages
	extra    time.Duration // latency that Slow adds
	loss     *vtime.Source // source of random packet loss; nil before the first draw
	conns    uint64        // number of connections between the two hosts; counted in the link from the host that was added first
}

// linkBetween returns the link between two hosts. It creates links on first use, so that a large
// cluster has only the links that it needs.
func (n *Network) linkBetween(from, to *Host) *link {
	if l := from.linkTo(to); l != nil {
		return l
	}
	l := &link{from: from, to: to}
	n.faulty = n.faulty || to.down || from.down
	if from == to {
		from.loopback = l
	} else {
		from.linksTo.set(to.index+1, l)
	}
	n.links = append(n.links, l)
	return l
}

// linkTo returns the link to another host; nil before its first use.
func (h *Host) linkTo(to *Host) *link {
	if h == to {
		return h.loopback
	}
	return h.linksTo.at(to.index + 1)
}

// linksTo holds the links of one host by the index of the other host. The table consists of blocks
// of neighbouring indexes, because hosts that communicate were mostly added one after another.
type linksTo struct{ blocks []*[linksBlock]*link }

const linksBlock = 32

func (l *linksTo) at(i int) *link {
	if b := i / linksBlock; b < len(l.blocks) && l.blocks[b] != nil {
		return l.blocks[b][i%linksBlock]
	}
	return nil
}

func (l *linksTo) set(i int, to *link) {
	b := i / linksBlock
	if more := b + 1 - len(l.blocks); more > 0 {
		l.blocks = append(l.blocks, make([]*[linksBlock]*link, more)...)
	}
	if l.blocks[b] == nil {
		l.blocks[b] = new([linksBlock]*link)
	}
	l.blocks[b][i%linksBlock] = to
}

// cut reports whether a segment that arrives now is lost, because of a partition or a host that is
// down.
func (l *link) cut() bool { return l.blocked || l.to.down }

// arrival returns the time at which a segment that is sent now arrives. It does not yet put the
// segment behind the earlier ones of its connection.
func (l *link) arrival(sizeBytes int, latency *vtime.Source) time.Duration {
	m := &l.from.n.latency
	at := l.from.n.w.Now()
	if l.from == l.to {
		return at + l.draw(latency)
	}
	if m.BytesPerSecond > 0 {
		// The segment waits until the host's line has sent everything before it.
		at = max(at, l.from.lineFree) + time.Duration(int64(sizeBytes)*int64(time.Second)/m.BytesPerSecond)
		l.from.lineFree = at
	}
	at += l.draw(latency) + l.extra
	if m.LossPerMille > 0 {
		at += l.retransmissions()
	}
	return at
}

// draw returns a random latency for one segment.
func (l *link) draw(s *vtime.Source) time.Duration {
	min, spread := l.law()
	return min + draw(s, spread)
}

// law returns the range of latencies: [min, min + spread).
func (l *link) law() (min, spread time.Duration) {
	return l.from.n.latency.law(l.from == l.to)
}

// maxLatency returns the largest latency that draw can give.
func (l *link) maxLatency() time.Duration {
	min, spread := l.law()
	return min + spread
}

func draw(s *vtime.Source, spread time.Duration) time.Duration {
	if spread <= 0 {
		return 0
	}
	return time.Duration(s.Uint64n(uint64(spread)))
}

// retransmissions draws how many times one segment is lost, and returns the resulting delay.
func (l *link) retransmissions() time.Duration {
	var cost time.Duration
	if l.loss == nil {
		l.loss = l.from.node.Source("network.loss")
	}
	for i, rto := 0, rtoMin; i < maxLosses && l.loss.Chance(float64(l.from.n.latency.LossPerMille)/1000); i++ {
		cost += rto
		rto = min(2*rto, rtoMax)
	}
	return cost
}
