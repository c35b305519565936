package zkbulk

import "github.com/monosim/monosim/engine/env"

// Feed is reads of the data of znodes, each of which leaves a watch, one after the other: what
// comes of a storm of watches. Its functions neither wait nor call env.
type Feed struct {
	// Kind tells apart feeds for which other data are usual.
	Kind string
	// Usual reports whether Take takes data of a path. It depends on nothing else.
	Usual func(path string, data []byte) bool
	// Parents are those of all znodes that are read. The list only grows.
	Parents func() []string
	// Next is the next read; ok is false when there is none that can be made so.
	Next func() (path string, watch env.Watcher, ok bool)
	// Ready reports whether Take can be called for what is read now, and for what Ahead has
	// told of. Only tasks of the process that reads change that.
	Ready func() bool
	// Ahead is how many reads Next will tell of, whatever else comes, for which Take can be
	// called, up to one whose znode is odd; most are enough. odd may be nil, for none.
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

// Feeder is an optional interface of a ZooKeeperSession that can make the reads of a Feed
// without its task.
type Feeder interface {
	// Feed reads until there is no Next, or up to an answer that Take does not take, which
	// it returns. The current task waits meanwhile. It reports false, and has done nothing,
	// when the task must read by itself.
	Feed(f *Feed) (odd *Answer, ok bool)
}

// Usual says for which data of children a ChildDataFunc only notes what they say: it neither
// waits nor calls env then, and has no error.
type Usual struct {
	// Kind tells apart functions for which other data are usual.
	Kind string
	// Data depends on nothing but the child's path and the data.
	Data func(path string, data []byte) bool
	// Ready reports whether it is so at present. Only tasks of the process change that.
	Ready func() bool
}
