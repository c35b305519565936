package training

import (
	"cmp"
	"math/big"
	"strconv"

	"github.com/monosim/monosim/engine/enum"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/engine/pysem"
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
	// Past is the index in decimal digits if it is too large for an int, otherwise "". If Past is set,
	// Index is the nearest int.
	Past string
}

// String returns the address as index=host:port.
func (a IndexedAddr) String() string { return a.slot().String() + "=" + a.Addr }

// slot returns the index without the address.
func (a IndexedAddr) slot() slot { return slot{a.Index, a.Past} }

// Compare orders addresses by their index, as Python orders ints of any size.
func (a IndexedAddr) Compare(b IndexedAddr) int {
	if a.Past == b.Past {
		return cmp.Compare(a.Index, b.Index)
	}
	return a.slot().exact().Cmp(b.slot().exact())
}

// slot is the index of a process as a key. Its fields are those of IndexedAddr.
type slot struct {
	n    int
	past string
}

// slotOf returns an int of Python as an index.
func slotOf(number any) slot {
	if large, ok := number.(*big.Int); ok {
		return slot{pysem.Saturate(large), large.String()}
	}
	return slot{n: pysem.Saturate(number)}
}

// String returns the index in decimal.
func (i slot) String() string {
	if i.past != "" {
		return i.past
	}
	return strconv.Itoa(i.n)
}

func (i slot) exact() *big.Int {
	n, _ := new(big.Int).SetString(i.String(), 10)
	return n
}

// Get returns the address of an index; the second result reports whether there is one.
func (a Addrs) Get(index int) (string, bool) {
	for _, entry := range a {
		if entry.slot() == (slot{n: index}) {
			return entry.Addr, true
		}
	}
	return "", false
}

// With returns a list in which index has address addr. An index that was listed keeps its place,
// and a new one is added at the end.
func (a Addrs) With(index int, addr string) Addrs {
	return a.with(IndexedAddr{Index: index, Addr: addr})
}

func (a Addrs) with(one IndexedAddr) Addrs {
	out := append(Addrs{}, a...)
	for i := range out {
		if out[i].slot() == one.slot() {
			out[i] = one
			return out
		}
	}
	return append(out, one)
}

// Without returns a list without the process of an index.
func (a Addrs) Without(index int) Addrs {
	return append(Addrs{}, lists.Filter(a, func(entry IndexedAddr) bool { return entry.slot() != slot{n: index} })...)
}

// NamedAddrs holds the processes of one name.
type NamedAddrs struct {
	Name  string
	Addrs Addrs
}
