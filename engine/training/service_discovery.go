package training

import (
	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/training/gflagsutils"
)

// ServiceDiscoveryType is a kind of discovery (service_discovery.py:36).
type ServiceDiscoveryType int

// The kinds of discovery.
const (
	DiscoveryPrimus ServiceDiscoveryType = 1
	DiscoveryConsul ServiceDiscoveryType = 2
	DiscoveryZK     ServiceDiscoveryType = 3
	DiscoveryMLP    ServiceDiscoveryType = 4
)

var discoveryNames = []string{DiscoveryPrimus: "PRIMUS", DiscoveryConsul: "CONSUL", DiscoveryZK: "ZK", DiscoveryMLP: "MLP"}

// String returns the Python enum member's name.
func (t ServiceDiscoveryType) String() string { return enum.Listed(discoveryNames, t) }

// LoadPython returns the value that Python code sees, the number of the enum member.
func (t *ServiceDiscoveryType) LoadPython() any { return int(*t) }

// StorePython sets the type from a Python value. exact is false if the value is not a number.
func (t *ServiceDiscoveryType) StorePython(value any) (exact bool) {
	n, ok := value.(int)
	*t = ServiceDiscoveryType(n)
	return ok
}

// MemberPython returns the enum member with number n.
func (*ServiceDiscoveryType) MemberPython(n int) any { return ServiceDiscoveryType(n) }

// EnumMembers returns the enum's name and all members, for flags.
func (*ServiceDiscoveryType) EnumMembers() (class string, members []gflagsutils.Member) {
	for i, name := range discoveryNames[DiscoveryPrimus:] {
		members = append(members, gflagsutils.Member{Name: name, Value: i + 1})
	}
	return "ServiceDiscoveryType", members
}

// ServiceDiscovery finds the processes of a job (service_discovery.py:42). A process has the name
// of its server type, such as ps or worker, and an index among the processes of that name.
type ServiceDiscovery interface {
	// Register registers a process at an address, host:port.
	Register(name string, index int, addr string) error
	// Deregister removes a registration.
	Deregister(name string, index int, addr string) error
	// Query lists the processes that are known now under a name.
	Query(name string) (Addrs, error)
	// Close releases what the discovery holds. Do not use it afterwards.
	Close()
}

// Addrs holds the addresses of the processes of one name, in the order of a Python dict. Its
// methods return new lists and leave the old one unchanged.
type Addrs []IndexedAddr

// IndexedAddr is the address of one process.
type IndexedAddr struct {
	Index int
	Addr  string
}

// Get returns the address of an index; the second result reports whether there is one.
func (a Addrs) Get(index int) (string, bool) {
	for _, entry := range a {
		if entry.Index == index {
			return entry.Addr, true
		}
	}
	return "", false
}

// With returns a list in which index has address addr. An index that was listed keeps its place,
// and a new one is added at the end.
func (a Addrs) With(index int, addr string) Addrs {
	out := append(Addrs{}, a...)
	for i := range out {
		if out[i].Index == index {
			out[i].Addr = addr
			return out
		}
	}
	return append(out, IndexedAddr{Index: index, Addr: addr})
}

// Without returns a list without the process of an index.
func (a Addrs) Without(index int) Addrs {
	return append(Addrs{}, lists.Filter(a, func(entry IndexedAddr) bool { return entry.Index != index })...)
}

// NamedAddrs holds the processes of one name.
type NamedAddrs struct {
	Name  string
	Addrs Addrs
}
