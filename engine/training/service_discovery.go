package training

import "github.com/monosim/monosim/engine/pysem"

// ServiceDiscovery finds the processes of a job (service_discovery.py:42). Names
// are server types, as ps and worker.
type ServiceDiscovery interface {
	// Register says that a process is at an address (host:port).
	Register(name string, index int, addr string) error
	// Deregister takes it back.
	Deregister(name string, index int, addr string) error
	// Query lists the processes of a name.
	Query(name string) (Addrs, error)
	Close()
}

// Addrs are addresses by index, in the order in which a Python dict has them.
type Addrs []IndexedAddr

// IndexedAddr is the address of one process.
type IndexedAddr struct {
	Index int
	Addr  string
}

// Get finds the address of an index.
func (a Addrs) Get(index int) (string, bool) {
	for _, entry := range a {
		if entry.Index == index {
			return entry.Addr, true
		}
	}
	return "", false
}

// With is a with an address; that of a known index is replaced in its place.
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

// Without is a without an index.
func (a Addrs) Without(index int) Addrs {
	out := Addrs{}
	for _, entry := range a {
		if entry.Index != index {
			out = append(out, entry)
		}
	}
	return out
}

// NamedAddrs are the processes of one name.
type NamedAddrs struct {
	Name  string
	Addrs Addrs
}

// keyError is what a dict raises for a key that it does not have.
func keyError(key any) error { return pysem.Raise("KeyError", "%s", pysem.Repr(key)) }

// unpackError is what assigning a list of another length to n names raises.
func unpackError(n, got int) error {
	if got > n {
		return pysem.Raise("ValueError", "too many values to unpack (expected %d)", n)
	}
	return pysem.Raise("ValueError", "not enough values to unpack (expected %d, got %d)", n, got)
}
