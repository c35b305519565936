package training

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
