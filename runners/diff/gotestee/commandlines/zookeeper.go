package commandlines

import (
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners/diff/gotestee/caseworld"
)

// zooKeepers makes the ZooKeeper client of a program, which makes only one.
type zooKeepers struct {
	c    *caseworld.Call
	made *client // nil until the program makes a client
}

func zooKeepersOf(c *caseworld.Call) *zooKeepers { return &zooKeepers{c: c} }

func (z *zooKeepers) NewClient(hosts string, _ env.ZooKeeperOptions) env.ZooKeeper {
	z.made = &client{ZooKeeper: z.c.NewZK(), c: z.c, log: []any{[]any{"client", hosts}}}
	return z.made
}

// shown returns the calls of the client and the znodes in its tree. Without a client it returns
// nil.
func (z *zooKeepers) shown() any {
	if z.made == nil {
		return nil
	}
	tree := z.made.Tree()
	if tree == nil {
		tree = z.made.left
	}
	writes := z.made.Take("delete")
	if writes == nil {
		writes = []any{}
	}
	return caseworld.Object("log", z.made.log, "writes", writes, "tree", tree)
}

// client is the program's client. When it is started it creates the case's znodes, and when it is
// stopped it keeps a copy of the tree.
type client struct {
	*caseworld.ZooKeeper
	c    *caseworld.Call
	log  []any
	left any
}

func (z *client) Start(limit time.Duration) error {
	z.log = append(z.log, []any{"start"})
	if err := z.ZooKeeper.Start(limit); err != nil {
		return err
	}
	return z.Fill(z.c.In)
}

func (z *client) Stop() {
	z.log = append(z.log, []any{"stop"})
	z.left = z.Tree()
	z.ZooKeeper.Stop()
}
