package zkmirror_test

import (
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/agent/zkmirror"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/pysem/threading"
	"github.com/monosim/monosim/sim/world/worldtest"
)

// This file has the helpers for tests of a mirror on the fake ZooKeeper client.

// mirrorZK is a fake client that deletes recursively only if the caller asks for it, as a mirror
// does explicitly.
type mirrorZK struct{ *worldtest.ZooKeeper }

func (z mirrorZK) Delete(path string, o env.DeleteOptions) error {
	if o.Recursive {
		return z.ZooKeeper.Delete(path, o)
	}
	return z.DeleteLeaf(path)
}

// mirrorRun is a mirror on a fake client, with its event queue.
type mirrorRun struct {
	*worldtest.Case
	zk    mirrorZK
	m     *zkmirror.ZKMirror
	queue *threading.Queue[datadef.Event]
}

func newMirror(c *worldtest.Case, o zkmirror.MirrorOptions) *mirrorRun {
	r := &mirrorRun{Case: c, zk: mirrorZK{worldtest.NewZooKeeper(c.Env)}}
	r.queue = threading.NewQueue[datadef.Event](c.Env.Tasks, "events")
	o.Queue = r.queue
	r.m = zkmirror.NewZKMirror(c.Env, r.zk, o)
	return r
}
