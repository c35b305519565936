package wiretap

import (
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/sim/zookeeper"
	"github.com/monosim/monosim/sim/zookeeper/wire"
)

// onServer converts a client's path to the path on the server, by adding the chroot. A path
// that is no absolute path stays unchanged.
func (z *ZooKeeper) onServer(path string) string {
	switch {
	case z.Chroot == "" || !strings.HasPrefix(path, "/"):
		return path
	case path == "/":
		return z.Chroot
	}
	return z.Chroot + path
}

// onClient converts a path on the server to the path that clients see, by removing the chroot.
func (z *ZooKeeper) onClient(path string) string {
	rest, ok := strings.CutPrefix(path, z.Chroot)
	switch {
	case z.Chroot == "" || !ok || rest != "" && rest[0] != '/':
		return path
	case rest == "":
		return "/"
	}
	return rest
}

// below returns a copy of a request in which all paths are paths on the server.
func (z *ZooKeeper) below(req zookeeper.Request) zookeeper.Request {
	req.Path = z.onServer(req.Path)
	req.Ops = slices.Clone(req.Ops)
	for i := range req.Ops {
		req.Ops[i].Path = z.onServer(req.Ops[i].Path)
	}
	if w := req.Watches; w != nil {
		server := func(paths []string) []string { return lists.Map(paths, z.onServer) }
		req.Watches = &zookeeper.WatchLists{
			RelativeZxid: w.RelativeZxid, Data: server(w.Data), Exist: server(w.Exist), Child: server(w.Child),
			Persistent: server(w.Persistent), PersistentRecursive: server(w.PersistentRecursive),
		}
	}
	return req
}

// above replaces the paths in a reply by those that clients see. It returns false if there is no
// chroot, or if the reply has no paths.
func (z *ZooKeeper) above(reply *zookeeper.Reply) bool {
	if z.Chroot == "" {
		return false
	}
	reply.Path = z.onClient(reply.Path)
	for i := range reply.Results {
		reply.Results[i].Path = z.onClient(reply.Results[i].Path)
	}
	if reply.Op == zookeeper.OpGetEphemerals {
		reply.Children = lists.Map(reply.Children, z.onClient)
	}
	return reply.Path != "" || len(reply.Results) > 0 || reply.Op == zookeeper.OpGetEphemerals
}

// event returns a watch event with the path that clients see. It returns nil if the event
// need not change.
func (z *ZooKeeper) event(message []byte) []byte {
	e, err := wire.DecodeEvent(message)
	if z.Chroot == "" || err != nil {
		return nil
	}
	e.Path = z.onClient(e.Path)
	return wire.AppendEvent(nil, &e)
}
