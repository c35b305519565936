package network

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Listener waits for connections on one port of all addresses of a host.
type Listener struct {
	host    *Host
	owner   Owner
	sockets *sockets
	place   int
	port    int
	shared  bool
	accept  func(*Conn)
	closed  bool
}

// Listen accepts connections on the port and passes each one to the function accept; port 0 picks a
// free port. It returns ErrInUse if the port is taken.
func (h *Host) Listen(o Owner, port int, accept func(*Conn)) (*Listener, error) {
	return h.listen(o, port, false, accept)
}

// ListenShared does what Listen does, on a port that several listeners may share, like
// SO_REUSEPORT. Each connection goes to one of them.
func (h *Host) ListenShared(o Owner, port int, accept func(*Conn)) (*Listener, error) {
	return h.listen(o, port, true, accept)
}

func (h *Host) listen(o Owner, port int, shared bool, accept func(*Conn)) (*Listener, error) {
	o.check()
	if port == 0 {
		port = h.FreePort()
	}
	switch {
	case h.down || o.dead():
		return nil, fmt.Errorf("listen on %s: %w", joinHostPort(h.name, port), ErrHostDown)
	case slices.ContainsFunc(h.listenersAt(port), func(l *Listener) bool { return !shared || !l.shared }):
		return nil, fmt.Errorf("listen on %s: %w", joinHostPort(h.name, port), ErrInUse)
	}
	l := &Listener{host: h, owner: o, port: port, shared: shared, accept: accept, sockets: h.n.socketsOf(o.Process)}
	l.sockets.add(l)
	from, n := h.listening(port)
	h.listeners = slices.Insert(h.listeners, from+n, l)
	return l, nil
}

// listening returns the index of a port's first listener, and the number of its listeners.
func (h *Host) listening(port int) (from, n int) {
	for from < len(h.listeners) && h.listeners[from].port < port {
		from++
	}
	for from+n < len(h.listeners) && h.listeners[from+n].port == port {
		n++
	}
	return from, n
}

// listenersAt returns the listeners of a port, the oldest first.
func (h *Host) listenersAt(port int) []*Listener {
	from, n := h.listening(port)
	return h.listeners[from : from+n]
}

// Port returns the port that it listens on.
func (l *Listener) Port() int { return l.port }

// Close frees the port. Accepted connections stay open.
func (l *Listener) Close() {
	if l.closed {
		return
	}
	l.closed = true
	l.host.listeners = slices.DeleteFunc(l.host.listeners, func(other *Listener) bool { return other == l })
	l.sockets.remove(l.place)
}

func (l *Listener) abandon()       { l.Close() }
func (l *Listener) setPlace(i int) { l.place = i }

// Dial connects to host:port. host is a name, an address, or one of the ways to write the dialing
// host itself (localhost, 127.0.0.1, [::1], 0.0.0.0, [::]). done is called once, never from inside
// Dial. It gets a connection or ErrRefused after one round trip, ErrUnknown at once if the name
// does not resolve, and ErrTimedOut after 127 s without an answer. cancel aborts the dial; done is
// then not called.
func (h *Host) Dial(o Owner, addr string, done func(*Conn, error)) (cancel func()) {
	return h.dial(o, addr, done).Close
}

func (h *Host) dial(o Owner, addr string, done func(*Conn, error)) *Conn {
	o.check()
	to, port, err := h.resolve(addr)
	if err != nil || h.down {
		to = h
	}
	ends := &[2]Conn{}
	c, s := &ends[0], &ends[1]
	*c = Conn{n: h.n, host: h, peer: s, port: int32(h.clientPort()), done: done, dialer: true}
	*s = Conn{n: h.n, host: to, node: to.node, peer: c, port: int32(port)}
	c.out = pipe{from: c, to: s, link: h.n.linkBetween(h, to), local: h == to}
	s.out = pipe{from: s, to: c, link: h.n.linkBetween(to, h), local: h == to}
	c.number = h.n.nextNumber(h, to)
	s.number = c.number
	if o.dead() {
		c.state = connClosed
		return c
	}
	c.enter(o, connDialing)
	switch {
	case h.down:
		c.endSoon(ErrHostDown)
	case err != nil:
		c.endSoon(err)
	default:
		h.counters.Dials++
		c.out.push(segmentSyn)
	}
	return c
}

// nextNumber returns the number of a new connection between hosts a and b. Dials from a to b and
// from b to a share one count.
func (n *Network) nextNumber(a, b *Host) uint64 {
	if b.index < a.index {
		a, b = b, a
	}
	l := n.linkBetween(a, b)
	l.conns++
	return l.conns
}

// accept handles the arrival of a dial at the listening end: it accepts or refuses the connection.
func (c *Conn) accept() {
	l := c.host.listenerOf(int(c.port))
	if l == nil || c.out.link.refused {
		c.state = connClosed
		c.out.push(segmentReset)
		return
	}
	c.listener = l
	c.enter(l.owner, connOpen)
	c.host.counters.Accepts++
	c.out.push(segmentAccepted)
	l.accept(c)
}

// listenerOf returns the listener that gets the next connection to a port, nil for none.
func (h *Host) listenerOf(port int) *Listener {
	switch listeners := h.listenersAt(port); len(listeners) {
	case 0:
		return nil
	case 1:
		return listeners[0]
	default:
		return listeners[h.node.Source("network.listener").Intn(len(listeners))]
	}
}

// resolve finds the host and port of an address. For an IP address that no host has it returns a
// nil host, so that packets get lost. An unknown name is an error.
func (h *Host) resolve(addr string) (*Host, int, error) {
	name, port, err := splitHostPort(addr)
	if err != nil {
		return nil, 0, err
	}
	if to := h.n.byName[name]; to != nil && !mayBeOwn(name) {
		return to, port, nil
	}
	ip, ipErr := netip.ParseAddr(name)
	switch {
	case name == "localhost", name == "", ipErr == nil && (ip.IsLoopback() || ip.IsUnspecified()):
		return h, port, nil
	}
	if to := h.n.Host(name); to != nil {
		return to, port, nil
	}
	if ipErr == nil {
		return h.n.nowhere, port, nil
	}
	return nil, 0, ErrUnknown
}

// mayBeOwn reports whether a name may stand for the own host, as localhost does.
func mayBeOwn(name string) bool {
	return name == "" || name == "localhost" || name[0] == '0' || strings.HasPrefix(name, "127.") || strings.IndexByte(name, ':') >= 0
}

// splitHostPort splits host:port and [v6]:port.
func splitHostPort(addr string) (host string, port int, err error) {
	i := strings.LastIndexByte(addr, ':')
	if i < 0 {
		return "", 0, fmt.Errorf("address %q: found no port, want host:port", addr)
	}
	host = addr[:i]
	if inner, ok := strings.CutPrefix(host, "["); ok {
		host, ok = strings.CutSuffix(inner, "]")
		if !ok {
			return "", 0, fmt.Errorf("address %q: found no ] after the address, want [address]:port", addr)
		}
	}
	port, err = strconv.Atoi(addr[i+1:])
	if err != nil || port < 1 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: found port %q, want 1 to 65535", addr, addr[i+1:])
	}
	return host, port, nil
}

func joinHostPort(host string, port int) string {
	if strings.IndexByte(host, ':') >= 0 {
		return "[" + host + "]:" + strconv.Itoa(port)
	}
	return host + ":" + strconv.Itoa(port)
}
