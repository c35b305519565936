package network

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/vtime"
)

// Network connects the hosts of one world.
type Network struct {
	w       *vtime.World
	latency LatencyModel
	hosts   []*Host
	byName  map[string]*Host // hosts by their names and by their addresses in canonical form
	byNode  map[*vtime.Node]*Host
	nowhere *Host // host that stands for addresses that no host has
	links   []*link
	stalled []*pipe
	// faulty is true once a host was down, or a link cut or slow. While it is false, no link needs
	// a check.
	faulty    bool
	idle      []*Conn // one end of each connection that sleeping loops use
	byProcess map[*vtime.Process]*sockets
	freeCalls []*Call
	observers []func(RPC)
	onProbe   func(from, to string)
	calls     []CallCount
}

// New makes a network without hosts in the world w.
func New(w *vtime.World, latency LatencyModel) *Network {
	n := &Network{
		w: w, latency: latency,
		byName:    map[string]*Host{},
		byNode:    map[*vtime.Node]*Host{},
		byProcess: map[*vtime.Process]*sockets{},
	}
	n.nowhere = &Host{n: n, name: "nowhere", node: w.Node("nowhere"), index: -1, down: true}
	return n
}

// World returns the world that the network is in.
func (n *Network) World() *vtime.World { return n.w }

// MaxLatency returns the largest latency between two hosts while there are no faults.
func (n *Network) MaxLatency() time.Duration {
	m := &n.latency
	return max(m.Min+m.Spread, m.LoopbackMin+m.LoopbackSpread)
}

// AddHost adds a host. The host's events and random choices belong to the virtual-time node called
// node, which must have no other host. The host's name and addresses resolve from every host.
// AddHost panics if one of them is taken; use Assign to move a name or address.
func (n *Network) AddHost(node, name string, ips ...string) *Host {
	h := &Host{
		n: n, name: name, node: n.w.Node(node), index: len(n.hosts),
		nextPort: firstFreePort, nextClientPort: firstClientPort,
	}
	if other, ok := n.byNode[h.node]; ok {
		panic(fmt.Sprintf("network: node %s of host %s has host %s", node, name, other.name))
	}
	n.byNode[h.node] = h
	for _, a := range append([]string{name}, ips...) {
		a = canonical(a)
		if other, ok := n.byName[a]; ok {
			panic(fmt.Sprintf("network: %q of host %s is taken by host %s", a, name, other.name))
		}
		n.byName[a] = h
	}
	h.ips = append(h.ips, lists.Map(ips, canonical)...)
	n.hosts = append(n.hosts, h)
	return h
}

// Assign makes a name or address resolve to the host from now on, as a changed DNS entry or a
// moved address does. Existing connections are not affected.
func (n *Network) Assign(nameOrIP string, h *Host) { n.byName[canonical(nameOrIP)] = h }

// Host returns the host with a name or address; nil if there is none.
func (n *Network) Host(nameOrIP string) *Host {
	if h := n.byName[nameOrIP]; h != nil { // it is canonical
		return h
	}
	return n.byName[canonical(nameOrIP)]
}

// Hosts lists all hosts in the order in which they were added. The slice must not be changed.
func (n *Network) Hosts() []*Host { return n.hosts }

// canonical returns the canonical form of an IP address. It returns names unchanged.
func canonical(nameOrIP string) string {
	if ip, err := netip.ParseAddr(nameOrIP); err == nil {
		return ip.Unmap().String()
	}
	return nameOrIP
}
