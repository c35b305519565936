package zkbulk

import "github.com/monosim/monosim/engine/env"

// DataWatches are data watches of the children of one znode, with one function for all.
type DataWatches interface {
	// Watch watches the data of children as ZooKeeper.DataWatch of their paths does, one
	// after the other in the order of the names. A child that was watched before, in the
	// life of the DataWatches, is passed over, whatever has become of it. The first error
	// ends it; the child that it came from counts as watched. names must not be changed
	// from now on.
	Watch(names []string) error
	// WatchWhile is Watch that asks goOn before it begins with a child: false ends it. Only
	// tasks of the process change that, and calls for data that are not usual. watched is how
	// many of the names it has seen to, from the first on.
	WatchWhile(names []string, goOn func() bool) (watched int, err error)
}

// ChildDataFunc is a DataFunc that is told which child's data it is about, by its path.
type ChildDataFunc func(path string, data []byte, stat *env.Stat, event *env.WatchEvent) error

// DataWatchesMaker is an optional interface of a ZooKeeper that can watch many children
// of a znode in less memory than as many data watches need, with the same requests and
// calls.
type DataWatchesMaker interface {
	NewDataWatches(parent string, fn ChildDataFunc, usual *Usual) DataWatches
}

// NewDataWatches makes the data watches of a znode's children, of which none is watched
// yet, in the cheapest way that zk has. usual may be nil, for none.
func NewDataWatches(zk env.ZooKeeper, parent string, fn ChildDataFunc, usual *Usual) DataWatches {
	if m, ok := zk.(DataWatchesMaker); ok {
		return m.NewDataWatches(parent, fn, usual)
	}
	return PlainDataWatches(zk, parent, fn)
}

// PlainDataWatches makes DataWatches that are a data watch each.
func PlainDataWatches(zk env.ZooKeeper, parent string, fn ChildDataFunc) DataWatches {
	return &plainDataWatches{zk: zk, prefix: env.NewNames(parent).Prefix(), fn: fn, watched: map[string]bool{}}
}

type plainDataWatches struct {
	zk      env.ZooKeeper
	prefix  string
	fn      ChildDataFunc
	watched map[string]bool
}

func (w *plainDataWatches) Watch(names []string) error {
	_, err := w.WatchWhile(names, func() bool { return true })
	return err
}

func (w *plainDataWatches) WatchWhile(names []string, goOn func() bool) (watched int, err error) {
	for i, name := range names {
		if w.watched[name] {
			continue
		}
		if !goOn() {
			return i, nil
		}
		w.watched[name] = true
		path := w.prefix + name
		_, err := w.zk.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
			return w.fn(path, data, stat, event)
		})
		if err != nil {
			return i + 1, err
		}
	}
	return len(names), nil
}
