// Package zkbulk has the names by which many znodes were read at a time before there were
// [recipes.GetEach] and [recipes.NewDataWatches], over which they lie.
//
// Two things to use first: none of these, but [recipes.GetEach] and [recipes.NewDataWatches].
//
// To change how many znodes are read, look in engine/recipes; this package goes when nobody
// imports it any more.
package zkbulk

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/recipes"
	"github.com/monosim/monosim/engine/recipes/bulk"
)

type (
	// DataWatches is that of recipes.
	DataWatches = recipes.DataWatches
	// ChildDataFunc is that of recipes.
	ChildDataFunc = recipes.ChildDataFunc
	// Names is that of recipes.
	Names = recipes.Names
	// Block is a part of Names.
	Block = bulk.Block
)

// NamesWatch is that of recipes.
func NamesWatch(zk env.ZooKeeper, path string, fn func(*Names) error) (env.Watch, error) {
	return recipes.NamesWatch(zk, path, fn)
}

// Usual is that of recipes.
type Usual struct {
	Kind  string
	Data  func(path string, data []byte) bool
	Ready func() bool
}

// NewDataWatches is that of recipes.
func NewDataWatches(zk env.ZooKeeper, parent string, fn ChildDataFunc, usual *Usual) DataWatches {
	if usual == nil {
		return recipes.NewDataWatches(zk, parent, fn, nil)
	}
	return recipes.NewDataWatches(zk, parent, fn, &recipes.Usual{Data: usual.Data, Ready: usual.Ready})
}

// Reads polls the data of a fixed list of znodes.
type Reads interface {
	Each(take func(i int, data []byte, err error) error, usual func(i int, data []byte) bool) error
}

// NewReads makes the Reads of these znodes.
func NewReads(zk env.ZooKeeper, paths []string) Reads {
	r := &reads{zk: zk, paths: paths}
	r.parent, r.children = recipes.Below(zk, paths)
	return r
}

// reads are the Reads of the children of a znode, or of any znodes.
type reads struct {
	zk       env.ZooKeeper
	paths    []string
	parent   string
	children []string // nil for any znodes
}

func (r *reads) Each(take func(i int, data []byte, err error) error, usual func(int, []byte) bool) error {
	if r.children != nil {
		return recipes.TakeEach(r.zk, r.parent, r.children, take, usual)
	}
	for i, path := range r.paths {
		data, _, err := r.zk.Get(path)
		if err := take(i, data, err); err != nil {
			return err
		}
	}
	return nil
}
