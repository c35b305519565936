package network

import (
	"fmt"
	"time"
)

// Partition drops everything that the hosts in from send to the hosts in to, until Heal. Hosts are
// named by name or address; an unknown one is an error. Connections inside one host are not
// affected.
func (n *Network) Partition(from, to []string) error {
	return n.eachLink(from, to, func(l *link) { l.blocked = true })
}

// PartitionBoth drops everything that the hosts in a and those in b send to each other, until
// HealBoth.
func (n *Network) PartitionBoth(a, b []string) error {
	if err := n.Partition(a, b); err != nil {
		return err
	}
	return n.Partition(b, a)
}

// Heal ends a Partition of what the hosts in from send to the hosts in to. Lost segments are sent
// again at their next retransmission: 200 ms after the loss, then at doubling intervals up to 120 s
// (pipe.go).
func (n *Network) Heal(from, to []string) error {
	if err := n.eachLink(from, to, func(l *link) { l.blocked = false }); err != nil {
		return err
	}
	n.resumeStalled()
	return nil
}

// HealBoth ends a Partition between these hosts in both directions.
func (n *Network) HealBoth(a, b []string) error {
	if err := n.Heal(a, b); err != nil {
		return err
	}
	return n.Heal(b, a)
}

// HealAll ends every Partition, Refuse and Slow. Hosts that are down stay down.
func (n *Network) HealAll() {
	n.wakeAll()
	for _, l := range n.links {
		l.blocked, l.refused, l.extra = false, false, 0
	}
	n.resumeStalled()
}

// Reaches reports whether two hosts can send to each other: both are up, and no Partition separates
// them in either direction. Hosts are named by name or address. The answer for an unknown host is
// false.
func (n *Network) Reaches(a, b string) bool {
	from, to := n.Host(a), n.Host(b)
	if from == nil || to == nil || from.down || to.down {
		return false
	}
	return !n.faulty || !n.blocked(from, to) && !n.blocked(to, from)
}

func (n *Network) blocked(from, to *Host) bool {
	l := from.linkTo(to)
	return l != nil && l.blocked
}

// Slow adds extra latency to everything that the hosts in from send to the hosts in to, from now
// on. It replaces an earlier extra latency; 0 ends it. The order within a connection is kept.
func (n *Network) Slow(from, to []string, extra time.Duration) error {
	return n.eachLink(from, to, func(l *link) { l.extra = extra })
}

// ResetConns resets every connection between two hosts, as a middlebox does that sends a RST both
// ways. a and b may be the same host.
func (n *Network) ResetConns(a, b string) error {
	hosts, err := n.named([]string{a, b})
	if err != nil {
		return err
	}
	n.wakeAll()
	resetConns(hosts[0], hosts[1])
	return nil
}

func resetConns(a, b *Host) {
	for _, c := range a.conns {
		if c.state == connOpen && c.peer.host == b {
			c.out.push(segmentReset)
			c.peer.out.push(segmentReset)
		}
	}
}

// Refuse resets the connections between the hosts in a and those in b, and refuses new ones until
// Admit. It models a firewall that rejects packets.
func (n *Network) Refuse(a, b []string) error {
	return n.admit(a, b, false)
}

// Admit ends a Refuse between these hosts.
func (n *Network) Admit(a, b []string) error {
	return n.admit(a, b, true)
}

func (n *Network) admit(a, b []string, on bool) error {
	set := func(l *link) {
		if l.refused = !on; !on {
			resetConns(l.from, l.to)
		}
	}
	if err := n.eachLink(a, b, set); err != nil {
		return err
	}
	return n.eachLink(b, a, func(l *link) { l.refused = !on })
}

// Refuses reports whether a Refuse is active between two hosts, named by name or address.
func (n *Network) Refuses(a, b string) bool {
	from, to := n.Host(a), n.Host(b)
	if from == nil || to == nil || !n.faulty {
		return false
	}
	l := from.linkTo(to)
	return l != nil && l.refused
}

// HostDown takes a host off the network like a power failure. The host loses its sockets silently,
// and what is sent to it gets no answer. A process that still runs on it sees ErrHostDown. Crash
// the host's processes afterwards, not before: the sockets of a process that dies first are closed
// in an orderly way.
func (n *Network) HostDown(host string) error {
	hosts, err := n.named([]string{host})
	if err != nil {
		return err
	}
	h := hosts[0]
	if h.down {
		return nil
	}
	n.wakeAll()
	h.down, n.faulty = true, true
	for len(h.conns) > 0 {
		c := h.conns[0]
		if c.out.stalled {
			c.out.discard()
		}
		c.endSoon(ErrHostDown)
	}
	for len(h.listeners) > 0 {
		h.listeners[0].Close()
	}
	return nil
}

// HostUp brings the host back. Each old connection is reset when the next segment or
// retransmission of its peer reaches the host.
func (n *Network) HostUp(host string) error {
	hosts, err := n.named([]string{host})
	if err != nil {
		return err
	}
	hosts[0].down = false
	n.resumeStalled()
	return nil
}

// resumeStalled lets stalled pipes continue, except those whose link is still cut.
func (n *Network) resumeStalled() {
	for i := 0; i < len(n.stalled); {
		if p := n.stalled[i]; p.link.cut() {
			i++
		} else {
			p.resume() // also takes the pipe out of the list
		}
	}
}

func (n *Network) eachLink(from, to []string, do func(*link)) error {
	n.wakeAll()
	as, err := n.named(from)
	if err != nil {
		return err
	}
	bs, err := n.named(to)
	if err != nil {
		return err
	}
	n.faulty = true
	for _, a := range as {
		for _, b := range bs {
			if a != b {
				do(n.linkBetween(a, b))
			}
		}
	}
	return nil
}

func (n *Network) named(names []string) ([]*Host, error) {
	hosts := make([]*Host, len(names))
	for i, name := range names {
		if hosts[i] = n.Host(name); hosts[i] == nil {
			return nil, fmt.Errorf("network: found no host %q, want one of the %d that were added", name, len(n.hosts))
		}
	}
	return hosts, nil
}
