// Package members has the membership of a ZooKeeper ensemble, as /zookeeper/config stores it and a
// reconfig changes it (ZK-24.6). It runs no server.
//
// Two things to use first: [New] makes the [List] of an ensemble, and List.Changed applies a
// [Change] to it.
//
// To change:
//
//   - how a server is written or parsed: members.go
//   - which changes are refused: change.go
//
// Unstable: any commit may change it.
package members

import (
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
)

// Server is one server of an ensemble.
type Server struct {
	ID                     int64
	Host                   string
	PeerPort, ElectionPort int
	Observer               bool
	// Client is host:port for clients; "" if the configuration has none.
	Client string
}

// String formats the server as in a ZooKeeper configuration, without the id.
func (s Server) String() string {
	kind := "participant"
	if s.Observer {
		kind = "observer"
	}
	text := fmt.Sprintf("%s:%d:%d:%s", s.Host, s.PeerPort, s.ElectionPort, kind)
	if s.Client != "" {
		text += ";" + s.Client
	}
	return text
}

// List is the membership of an ensemble.
type List struct {
	// Version is the zxid of the reconfig that made the list. The first list has the zxid of the
	// first leader.
	Version int64
	// members is in the order of insertion. buckets is the size of the Java HashMap that a real
	// server keeps them in.
	members []Server
	buckets int
}

// New returns the membership in an ensemble's first configuration.
func New(members []Server) List {
	m := List{buckets: 16}
	for _, one := range members {
		m.put(one)
	}
	return m
}

// Servers returns the servers in a real server's order, by hash bucket (QuorumMaj.java).
func (m List) Servers() []Server {
	list := slices.Clone(m.members)
	bucket := func(id int64) int {
		h := uint32(id ^ int64(uint64(id)>>32))
		return int((h ^ h>>16) & uint32(m.buckets-1))
	}
	slices.SortStableFunc(list, func(a, b Server) int { return bucket(a.ID) - bucket(b.ID) })
	return list
}

// Voters returns the ids of the servers that may vote, which are all but the observers.
func (m List) Voters() (ids []int64) {
	return lists.Select(m.Servers(), func(one Server) (int64, bool) { return one.ID, !one.Observer })
}

// String formats the list as in the data of /zookeeper/config.
func (m List) String() string {
	var b strings.Builder
	for _, one := range m.Servers() {
		fmt.Fprintf(&b, "server.%d=%s\n", one.ID, one)
	}
	fmt.Fprintf(&b, "version=%x", uint64(m.Version))
	return b.String()
}

func (m *List) put(one Server) {
	m.remove(one.ID)
	m.members = append(m.members, one)
	for len(m.members) > m.buckets/4*3 {
		m.buckets *= 2
	}
}

func (m *List) remove(id int64) {
	m.members = slices.DeleteFunc(slices.Clone(m.members), func(old Server) bool { return old.ID == id })
}

// copied returns a copy of the list. Its order is that of a Java HashMap made by copying, whose
// number of buckets depends only on its size.
func (m List) copied() List {
	next := List{Version: m.Version, buckets: 1}
	for float64(next.buckets) < float64(len(m.members))/0.75+1 {
		next.buckets *= 2
	}
	next.members = m.Servers()
	return next
}
