package worldtest

import (
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/sim/zookeeper/kazoofake"
)

// ZooKeeper is the reference's fake client, which has its own tree of znodes and no server. A test
// can suppress its watches, and make a znode disappear.
type ZooKeeper struct {
	*kazoofake.Client
	// Deaf suppresses all calls of watch functions while it is true, as if the events were lost.
	Deaf bool
	// Gone is the path of a znode that exists but cannot be read, as if it was deleted between the
	// check and the read; "" for none.
	Gone string
}

// NewZooKeeper makes a client that is not yet started.
func NewZooKeeper(e *env.Env) *ZooKeeper {
	return &ZooKeeper{Client: kazoofake.New(e)}
}

// StartedZooKeeper makes a started client with an empty tree.
func (c *Case) StartedZooKeeper() *ZooKeeper {
	c.T.Helper()
	zk := NewZooKeeper(c.Env)
	c.Must(zk.Start(0))
	return zk
}

// Create creates a persistent znode and its parents.
func (c *Case) Create(zk env.ZooKeeper, path string, data []byte) {
	c.T.Helper()
	_, err := zk.Create(path, data, env.CreateOptions{MakePath: true})
	c.Must(err)
}

// Get reads a znode. For the path Gone it returns ErrNoNode.
func (z *ZooKeeper) Get(path string) ([]byte, env.Stat, error) {
	if path == z.Gone {
		return nil, env.Stat{}, zkerrors.ErrNoNode
	}
	return z.Client.Get(path)
}

// DataWatch calls fn with the data at path, now and after each change. While Deaf is set, fn is not
// called.
func (z *ZooKeeper) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	return z.Client.DataWatch(path, func(data []byte, stat *env.Stat, event *env.WatchEvent) error {
		if z.Deaf {
			return nil
		}
		return fn(data, stat, event)
	})
}

// ChildrenWatch calls fn with the children of path, now and after each change. While Deaf is set,
// fn is not called.
func (z *ZooKeeper) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	return z.Client.ChildrenWatch(path, func(children []string) error {
		if z.Deaf {
			return nil
		}
		return fn(children)
	})
}
