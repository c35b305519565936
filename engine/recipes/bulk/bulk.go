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

// EachGetter is an optional interface of an env.ZooKeeperSession that reads the children of a
// znode without waking the task for each.
type EachGetter interface {
	// GetEach reads the data of children one after the other, block by block, none of which is
	// empty. The current task waits meanwhile. The first error of Take ends it and is returned.
	GetEach(parent string, blocks []*Children, to Taker) error
}

// Children is a block of the names of children that are to be read. All who read for the same
// list may have it in common.
type Children struct {
	Names []string
	// Kind tells apart lists for which other data are usual.
	Kind uintptr
	// Seen is what a session keeps beside the names.
	Seen any
}

// Taker takes what was read. Its methods neither wait nor call env, but for the log.
type Taker interface {
	// Take takes the data of a child of a block, or the error.
	Take(block, i int, data []byte, err error) error
	// Usual reports whether Take would take data, that are not empty, without an error. It
	// depends on its arguments alone.
	Usual(block, i int, data []byte) bool
	// TakeUsual is Take for usual data of children of a block, from one to before another. It
	// may come late. data has those of all children of the block, and never changes.
	TakeUsual(block, from, to int, data [][]byte)
}

// NamesLister is an optional interface of an env.ZooKeeperSession that lists the children of a
// znode in blocks.
type NamesLister interface {
	ChildrenNames(path string, watch env.Watcher) (*Names, error)
}

// Feed is reads of the data of znodes, each of which leaves a watch, one after the other: what
// comes of a storm of watches. Its functions neither wait nor call env.
type Feed struct {
	// Usual reports whether Take takes data of a path. It depends on its arguments alone, and
	// functions of one place in the code agree.
	Usual func(path string, data []byte) bool
	// Parents lists those of all znodes that are read. The list only grows.
	Parents func() []string
	// Next gives the next read; ok is false when there is none that can be made so.
	Next func() (path string, watch env.Watcher, ok bool)
	// Ready reports whether Take can be called for what is read now, and for what Ahead has
	// told of. Only tasks of the process that reads change that.
	Ready func() bool
	// Ahead counts the reads that Next will tell of, whatever else comes, for which Take can be
	// called, up to one whose znode is odd. It counts no more than most. odd may be nil, for
	// none.
	Ahead func(most int, odd func(path string) bool) int
	// Take takes what was read, when it is usual and Ready.
	Take func(data []byte, stat *env.Stat)
}

// Answer is the answer to a read of a Feed that Take does not take.
type Answer struct {
	Data []byte
	Stat env.Stat
	Err  error
}

// Feeder is an optional interface of an env.ZooKeeperSession that makes the reads of a Feed
// without its task.
type Feeder interface {
	// Feed reads until there is no Next, or up to an answer that Take does not take, which
	// it returns. The current task waits meanwhile. It reports false, and has done nothing,
	// when the task must read by itself.
	Feed(f *Feed) (odd *Answer, ok bool)
}

// Numberer is an optional interface of an env.ZooKeeperSession whose clients number the
// children of a znode alike.
type Numberer interface {
	Numbers(parent string) *Numbers
}
