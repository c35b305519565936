// Package bulk holds what recipes ask of a session that can make many reads at a time.
//
// A session of the simulated world has these optional interfaces, and gives by them what single
// reads would give. No other package than engine/recipes asks for them.
//
// Things to use first:
//
//   - [EachGetter] reads the children of a znode.
//   - [Feeder] reads what a storm of watches tells of.
//
// To change
//
//   - what a session may be asked, look here;
//   - how a simulated session does it, in sim/zookeeper/node;
//   - what numbers children have, in numbers.go.
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
	// Kind identifies the rules that say which data is usual. Lists with different rules have
	// different kinds.
	Kind uintptr
	// Seen is for the session, which can store here what belongs to these names.
	Seen any
}

// Taker receives the data that was read. Its methods must not wait or call env, except for the log.
type Taker interface {
	// Take receives the data of the child with index i of a block, or the error of reading it.
	Take(block, i int, data []byte, err error) error
	// Usual reports whether Take would accept non-empty data without an error. The result depends
	// only on the arguments.
	Usual(block, i int, data []byte) bool
	// TakeUsual receives usual data of children of a block. The indices from (included) and to (not
	// included) bound these children. It may be called late. data has the data of all children of
	// the block, and never changes.
	TakeUsual(block, from, to int, data [][]byte)
}

// NamesLister is an optional interface of an env.ZooKeeperSession. It lists the children of a znode
// as blocks of names.
type NamesLister interface {
	ChildrenNames(path string, watch env.Watcher) (*Names, error)
}

// Feed describes a series of reads of znodes. Each read sets a watch again, as after many watches
// have fired at once. The functions must not wait or call env.
type Feed struct {
	// Usual reports whether Take accepts the data of a path. The result depends only on the
	// arguments. Functions that are made at the same place in the code give the same results.
	Usual func(path string, data []byte) bool
	// Parents lists the parents of all znodes that are read. The list only grows.
	Parents func() []string
	// Next returns the next read. ok is false if there is none that the session can make.
	Next func() (path string, watch env.Watcher, ok bool)
	// Ready reports whether Take can be called for the present read, and for the reads that Ahead
	// has counted. Only tasks of the reading process can change that.
	Ready func() bool
	// Ahead counts the reads that Next is certain to return and for which Take can be called, up to
	// the limit most. It stops before a znode for which odd returns true. odd can be nil.
	Ahead func(most int, odd func(path string) bool) int
	// Take receives the result of a read whose data is usual. Ready must be true.
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
	// Feed makes the reads while the current task waits. It ends when Next has no more reads. It
	// also ends at the first answer that Take does not accept, and returns that answer. ok is false
	// if it has done nothing, because the task has to read by itself.
	Feed(f *Feed) (odd *Answer, ok bool)
}

// Numberer is an optional interface of an env.ZooKeeperSession. All clients get the same numbers
// for the children of a znode.
type Numberer interface {
	Numbers(parent string) *Numbers
}
