// Package bulk has optional interfaces of a ZooKeeper session that can make many reads at a time
// without waking the task after each. A session of the simulated world has them, and gives by them
// the same results as single reads would. Only engine/recipes uses them.
//
// Two things to use first:
//
//   - [EachGetter] reads the data of a znode's children.
//   - [Feeder] makes the reads that follow when very many watches fire.
//
// To change:
//
//   - what a session may be asked to do: bulk.go
//   - how a simulated session does it: sim/zookeeper/node
//   - lists of names in parts: names.go
//   - what numbers children have: numbers.go
//
// Unstable: any commit may change it.
package bulk

import "github.com/monosim/monosim/engine/env"

// EachGetter is an optional interface of an env.ZooKeeperSession. It reads the data of many
// children without waking the task after each read.
type EachGetter interface {
	// GetEach reads the data of children one after another, block by block, while the current task
	// waits. No block may be empty. It stops at the first error of Take and returns it.
	GetEach(parent string, blocks []*Children, to Taker) error
}

// Children is a block of names of children to read. All clients that read the same list can share
// it.
type Children struct {
	Names []string
	// Kind identifies the function that decides which data is usual ([Taker.Usual]). Lists with
	// different functions have different kinds.
	Kind uintptr
	// Seen is for the session: it can store here what it knows about the data of these names.
	Seen any
}

// Taker receives the data that was read. Its methods must not wait or call env, except for the log.
type Taker interface {
	// Take receives the data of the child with index i of a block, or the error of reading it.
	Take(block, i int, data []byte, err error) error
	// Usual reports whether Take would accept this data, which is not empty, without an error. The
	// result depends only on the arguments.
	Usual(block, i int, data []byte) bool
	// TakeUsual receives the data of several children of a block, all of which Usual accepts. Their
	// indices begin at from and end before to. It may be called later than Take would be. data has
	// the data of all children of the block, and never changes.
	TakeUsual(block, from, to int, data [][]byte)
}

// NamesLister is an optional interface of an env.ZooKeeperSession. It lists the children of a znode
// as blocks of names.
type NamesLister interface {
	ChildrenNames(path string, watch env.Watcher) (*Names, error)
}

// Feed describes a series of reads of znodes, such as follow when very many watches have fired.
// Each read sets a watch again. The functions must not wait or call env.
type Feed struct {
	// Usual reports whether Take accepts the data of a path. The result depends only on the
	// arguments, and is the same for all functions that come from the same place in the code.
	Usual func(path string, data []byte) bool
	// Parents lists the parents of all znodes that are read. The list only grows.
	Parents func() []string
	// Next returns the next read. ok is false if there is none that the session can make.
	Next func() (path string, watch env.Watcher, ok bool)
	// Ready reports whether Take can be called now, for the present read and for those that Ahead
	// has counted. Only tasks of the reading process can change that.
	Ready func() bool
	// Ahead returns how many reads, at most most, are certain to come from Next and can be given to
	// Take. It stops before a znode for which odd returns true. odd can be nil.
	Ahead func(most int, odd func(path string) bool) int
	// Take receives the result of a read whose data Usual accepts. Ready must be true.
	Take func(data []byte, stat *env.Stat)
}

// Answer is the result of a read, in a form that Take does not accept.
type Answer struct {
	Data []byte
	Stat env.Stat
	Err  error
}

// Feeder is an optional interface of an env.ZooKeeperSession. It makes the reads of a Feed without
// waking the task.
type Feeder interface {
	// Feed makes the reads while the current task waits. It ends when Next has no more reads, or at
	// the first answer that Take does not accept, which it returns as odd. ok is false if it has
	// done nothing, so that the task has to read by itself.
	Feed(f *Feed) (odd *Answer, ok bool)
}

// Numberer is an optional interface of an env.ZooKeeperSession. All clients get the same numbers
// for the children of a znode.
type Numberer interface {
	Numbers(parent string) *Numbers
}
