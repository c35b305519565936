package env

// Reads reads the data of the same znodes again and again.
type Reads interface {
	// Each gets one znode after the other, as a loop of Get does, and hands take the
	// data of each before it asks for the next; data that it has handed over before,
	// for which take returned no error, it may leave out. The first error, of a Get or
	// of take, ends it and is the result. take neither waits nor calls env.
	Each(take func(i int, data []byte) error) error
}

// ReadsMaker is what a ZooKeeper or ZooKeeperSession may also be: it has a cheaper
// way than a loop, with the same requests.
type ReadsMaker interface {
	NewReads(paths []string) Reads
}

// NewReads makes the reads of znodes, in their order.
func NewReads(zk ZooKeeper, paths []string) Reads {
	if m, ok := zk.(ReadsMaker); ok {
		return m.NewReads(paths)
	}
	return PlainReads(zk, paths)
}

// PlainReads is the loop.
func PlainReads(zk ZooKeeper, paths []string) Reads { return &plainReads{zk: zk, paths: paths} }

type plainReads struct {
	zk    ZooKeeper
	paths []string
}

func (r *plainReads) Each(take func(i int, data []byte) error) error {
	for i, path := range r.paths {
		data, _, err := r.zk.Get(path)
		if err != nil {
			return err
		}
		if err := take(i, data); err != nil {
			return err
		}
	}
	return nil
}
