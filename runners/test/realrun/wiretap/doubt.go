package wiretap

import (
	"slices"

	"github.com/monosim/monosim/sim/zookeeper"
)

// doubtCreate notes that a create may have happened, because its connection was lost before the
// answer. It skips creates of sequential znodes: their names are only in the lost answer, so nobody
// can look for them.
func (z *ZooKeeper) doubtCreate(s *session, req *zookeeper.Request) {
	ephemeral := req.Flags == zookeeper.FlagEphemeral
	if z.Unanswered == nil || z.sessions[s.id] == nil || !ephemeral && req.Flags != zookeeper.FlagPersistent {
		return
	}
	c := &Create{
		Path: z.onServer(req.Path), Session: s.id, Over: make(chan struct{}),
		act: Act{Op: req.Op, Of: req.Op, Path: req.Path, Data: req.Data, Ephemeral: ephemeral},
	}
	if ephemeral {
		c.Owner = s.id
	}
	z.forget(req.Path)
	z.unanswered[req.Path] = c
	z.Unanswered(c)
}

// doubtDelete notes that an ephemeral may have been deleted, because the delete's connection was
// lost before the answer.
func (z *ZooKeeper) doubtDelete(s *session, req *zookeeper.Request) {
	e := z.ephemerals[req.Path]
	if e == nil {
		return
	}
	z.doubtful[req.Path] = Act{Client: s.client, Session: s.id, Op: req.Op, Of: req.Op, Path: req.Path}
	if e.gone {
		z.left(e)
	}
}

// forget drops an unanswered create that has not been reported.
func (z *ZooKeeper) forget(path string) {
	if c := z.unanswered[path]; c != nil {
		close(c.Over)
		delete(z.unanswered, path)
	}
}

// Made tells the tap that a create without an answer has happened, because a znode with its path
// and owner is there, which was created by the given zxid.
func (z *ZooKeeper) Made(c *Create, zxid int64) {
	z.mu.Lock()
	defer z.mu.Unlock()
	s := z.sessions[c.Session]
	if z.unanswered[c.act.Path] != c || s == nil {
		return
	}
	z.forget(c.act.Path)
	c.act.Zxid = zxid
	if c.act.Ephemeral {
		z.born(s, c.act)
	}
	z.made[c.act.Path] = c
	z.tell(s, c.act)
}

// told reports whether an answered create was already reported, by Made. This happens if a client
// tries an unanswered create again, and the receiver of Unanswered sees the new znode before the
// second try is answered.
func (z *ZooKeeper) told(s *session, path string) bool {
	z.forget(path)
	c := z.made[path]
	delete(z.made, path)
	return c != nil && c.Session == s.id
}

// left reports the end of an ephemeral that is gone, unless a delete of it is still to be answered.
func (z *ZooKeeper) left(e *Ephemeral) {
	if by, ok := z.doubtful[e.path]; ok {
		z.dead(e.path)
		z.report(by)
	} else if !z.deleting(e.path) {
		z.end(z.sessions[e.Session])
	}
}

// settle reports the ends of ephemerals that are gone and whose delete was in the request. These
// reports had to wait for the request's answer.
func (z *ZooKeeper) settle(req *zookeeper.Request) {
	for _, path := range deletes(req) {
		if e := z.ephemerals[path]; e != nil && e.gone {
			z.left(e)
		}
	}
}

// deleting reports whether a delete of a path waits for its answer.
func (z *ZooKeeper) deleting(path string) bool {
	for c := range z.open {
		for _, req := range c.asked {
			if slices.Contains(deletes(&req), path) {
				return true
			}
		}
	}
	return false
}

// deletes lists the paths that a request deletes.
func deletes(req *zookeeper.Request) (paths []string) {
	if req.Op.Effect() == zookeeper.EffectDelete {
		return []string{req.Path}
	}
	for i := range req.Ops {
		paths = append(paths, deletes(&req.Ops[i])...)
	}
	return paths
}
