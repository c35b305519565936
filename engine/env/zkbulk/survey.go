package zkbulk

import (
	"github.com/monosim/monosim/engine/env"
)

// Survey reads one znode for each name of a list, one after the other.
type Survey struct {
	// Kind tells apart surveys of other znodes and of other code: those of one kind make the
	// same of the same.
	Kind string
	// Paths are the znodes of a block's names. With fewer paths than names the survey ends
	// behind the last of them, with the error.
	Paths func(names []string) ([]string, error)
	// Value is what the data of a znode say, not nil. ok is false for data of which Odd wants
	// to be told. It does nothing else: it may be called at any time, or not at all for data
	// that the program or another one of the runtime has had the value of.
	Value func(data []byte) (value any, ok bool)
	// Odd is told of an answer that has no value, with its name, when it has come. An error
	// ends the survey. It must not wait nor call env, but for the log.
	Odd func(name string, data []byte, err error) error
}

// Findings are the values that a survey has found, in the order of the names. They never
// change, and are shared by those who have found the same.
type Findings struct {
	Parts []*Part
	made  any
}

// Part is what was found for a block of names: a value for each, nil where it was odd.
type Part struct {
	Block  *Block
	Values []any
}

// Once is what was made of the findings, the first time it is asked for.
func (f *Findings) Once(make func() any) any {
	if f.made == nil {
		f.made = make()
	}
	return f.made
}

// Surveyor is an optional interface of a ZooKeeper or ZooKeeperSession that can make a
// survey more cheaply than a loop of Get does, with the same requests.
type Surveyor interface {
	Survey(names *Names, of *Survey) (*Findings, error)
}

// Make makes a survey in the cheapest way that zk has.
func (s *Survey) Make(zk env.ZooKeeper, names *Names) (*Findings, error) {
	if m, ok := zk.(Surveyor); ok {
		return m.Survey(names, s)
	}
	return s.Plain(zk, names)
}

// Getter reads one znode.
type Getter interface {
	Get(path string) ([]byte, env.Stat, error)
}

// Plain makes a survey by a loop of Get.
func (s *Survey) Plain(zk Getter, names *Names) (*Findings, error) {
	f := &Findings{}
	for _, b := range names.Blocks() {
		paths, odd := s.Paths(b.Names)
		part := &Part{Block: b, Values: make([]any, len(paths))}
		for i, path := range paths {
			data, _, err := zk.Get(path)
			if err == nil {
				v, ok := s.Value(data)
				if ok {
					part.Values[i] = v
					continue
				}
			}
			if err := s.Odd(b.Names[i], data, err); err != nil {
				return nil, err
			}
		}
		if f.Parts = append(f.Parts, part); odd != nil {
			return nil, odd
		}
	}
	return f, nil
}

// NamesLister is an optional interface of a ZooKeeperSession: Children in blocks.
type NamesLister interface {
	ChildrenNames(path string, watch env.Watcher) (*Names, error)
}

// NamesWatcher is an optional interface of a ZooKeeper that can list children in blocks.
type NamesWatcher interface {
	NamesWatch(path string, fn func(*Names) error) (env.Watch, error)
}

// NamesWatch is ZooKeeper.ChildrenWatch for a function that takes the names in blocks, if zk
// has such.
func NamesWatch(zk env.ZooKeeper, path string, fn func(*Names) error) (env.Watch, error) {
	if m, ok := zk.(NamesWatcher); ok {
		return m.NamesWatch(path, fn)
	}
	return zk.ChildrenWatch(path, func(children []string) error { return fn(NamesOf(children)) })
}
