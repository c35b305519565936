package wiretap

import (
	"path"
	"slices"

	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/zookeeper"
)

// tree is the tree of znodes as the acts have left it. The answers of two connections may be read in
// another order than the server gave them, so a tree compares the zxids of acts: whatever the order
// of the same acts, the znodes are the same.
type tree map[string]*node

// node is a znode, or what is known of a path without one.
type node struct {
	runners.Znode
	there bool
	// changed is the zxid of the last known create or delete. written is that of the last known
	// write of the data, and not before changed.
	changed, written int64
}

// at returns the node of a path, which gets one if it has none.
func (t tree) at(path string) *node {
	n := t[path]
	if n == nil {
		n = &node{Znode: runners.Znode{Path: path}, there: path == "/"}
		t[path] = n
	}
	return n
}

// latest reports whether the znode at an act's path was neither created nor deleted since the act.
func (t tree) latest(a Act) bool { return a.Zxid == 0 || a.Zxid >= t.at(a.Path).changed }

// apply applies a create, a delete, or a write of data. An act without a zxid counts as the latest.
func (t tree) apply(a Act) {
	effect := a.Op.Effect()
	switch effect {
	case zookeeper.EffectCreate, zookeeper.EffectDelete, zookeeper.EffectData:
	default:
		return
	}
	if !t.latest(a) {
		return
	}
	n := t.at(a.Path)
	zxid := a.Zxid
	if zxid == 0 {
		zxid = max(n.changed, n.written)
	}
	if n.written <= zxid {
		n.Data, n.Version, n.written = a.Data, a.Version, zxid
	}
	if effect != zookeeper.EffectData {
		n.there, n.changed, n.Ephemeral, n.Created = effect == zookeeper.EffectCreate, zxid, a.Ephemeral, zxid
		t.list(n)
	}
}

// list adds a node that is there to its parent's children, and removes one that is not.
func (t tree) list(n *node) {
	parent, name := t.at(path.Dir(n.Path)), path.Base(n.Path)
	i, listed := slices.BinarySearch(parent.Children, name)
	switch {
	case n.there && !listed:
		parent.Children = slices.Insert(slices.Clone(parent.Children), i, name)
	case !n.there && listed:
		parent.Children = slices.Delete(slices.Clone(parent.Children), i, i+1)
	}
}
