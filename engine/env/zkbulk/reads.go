package zkbulk

import "github.com/monosim/monosim/engine/env"

// Reads polls the data of a fixed list of znodes.
type Reads interface {
	// Each reads one znode after the other, as a loop of Get does, and calls take with
	// the index and data of each, or the error, before it asks for the next. It may leave
	// a call out when the data is what take was called with before and returned nil for.
	// The first error of take ends it and is returned. take must not wait nor call env, but for the log.
	//
	// usual says of which data, that are not empty, take only notes what they say: it returns
	// nil, and nobody but the task that calls Each sees by it that it was called, or when. It
	// depends on nothing but the path and the data. It may be nil, for none.
	Each(take func(i int, data []byte, err error) error, usual func(i int, data []byte) bool) error
}

// ReadsMaker is an optional interface of a ZooKeeper or ZooKeeperSession that can poll
// more cheaply than a loop of Get does, with the same requests.
type ReadsMaker interface {
	NewReads(paths []string) Reads
}

// NewReads makes the Reads of these znodes, in this order, in the cheapest way that zk
// has.
func NewReads(zk env.ZooKeeper, paths []string) Reads {
	if m, ok := zk.(ReadsMaker); ok {
		return m.NewReads(paths)
	}
	return PlainReads(zk, paths)
}

// PlainReads makes Reads that are a loop of Get.
func PlainReads(zk env.ZooKeeper, paths []string) Reads { return &plainReads{zk: zk, paths: paths} }

type plainReads struct {
	zk    env.ZooKeeper
	paths []string
}

func (r *plainReads) Each(take func(i int, data []byte, err error) error, _ func(int, []byte) bool) error {
	for i, path := range r.paths {
		data, _, err := r.zk.Get(path)
		if err := take(i, data, err); err != nil {
			return err
		}
	}
	return nil
}
