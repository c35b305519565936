package wiretap

import "github.com/monosim/monosim/sim/zookeeper"

// answered reports what an answered request has done. For a multi it reports each operation.
func (c *Conn) answered(req *zookeeper.Request, reply *zookeeper.Reply) {
	switch {
	case req.Op == zookeeper.OpCloseSession && reply.Err == zookeeper.CodeOK:
		c.z.end(c.z.sessions[c.session.id])
	case req.Op == zookeeper.OpMulti && len(reply.Results) == len(req.Ops):
		for i := range req.Ops {
			result := &reply.Results[i]
			c.z.acted(c.session, &req.Ops[i], result.Path, Act{Of: req.Op, Err: result.Err, Version: result.Stat.Version, Zxid: reply.Zxid})
		}
	default:
		c.z.acted(c.session, req, reply.Path, Act{Of: req.Op, Err: reply.Err, Version: reply.Stat.Version, Zxid: reply.Zxid})
	}
}

// acted reports one operation that was answered. a holds the values from the answer, and path the path
// in it, "" if the answer has none.
func (z *ZooKeeper) acted(s *session, req *zookeeper.Request, path string, a Act) {
	a.Op, a.Path = req.Op, req.Path
	if a.Err != zookeeper.CodeOK {
		z.tell(s, a)
		return
	}
	switch req.Op.Effect() {
	case zookeeper.EffectCreate:
		if z.told(s, path) {
			return
		}
		a.Path, a.Data = path, req.Data
		a.Ephemeral = req.Flags == zookeeper.FlagEphemeral || req.Flags == zookeeper.FlagEphemeralSequential
		if z.tree.latest(a) {
			z.born(s, a)
		}
	case zookeeper.EffectData:
		a.Data, a.Ephemeral = req.Data, z.ephemerals[a.Path] != nil
	case zookeeper.EffectDelete:
		if z.tree.latest(a) {
			a.Ephemeral = z.ephemerals[a.Path] != nil
			z.dead(a.Path)
		}
	}
	z.tell(s, a)
}

// born records a new ephemeral. If an older one is known at its path, the older one's end
// was not observed and is reported first.
func (z *ZooKeeper) born(s *session, a Act) {
	if old := z.ephemerals[a.Path]; old != nil {
		if by, ok := z.doubtful[a.Path]; ok {
			z.dead(a.Path)
			z.report(by)
		} else if z.deleting(a.Path) {
			z.dead(a.Path) // the delete was before this create, and its answer is read after it
		} else {
			z.end(z.sessions[old.Session])
		}
	}
	if !a.Ephemeral {
		return
	}
	e := &Ephemeral{Path: z.onServer(a.Path), Session: s.id, Over: make(chan struct{}), path: a.Path}
	z.ephemerals[a.Path] = e
	if z.Born != nil {
		z.Born(e)
	}
}

// Read reports whether an operation only reads.
func Read(op zookeeper.OpCode) bool { return !op.Writes() }
