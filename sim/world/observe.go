package world

import (
	"path"
	"strings"

	"github.com/monosim/monosim/engine/cluster"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/zookeeper"
)

// observe reports an event of the cluster to Options.Observe. The arguments become fields of a
// cluster.Observation.
func (w *World) observe(host, op, path, note string, id int64) {
	w.changes++
	if w.options.Observe == nil {
		return
	}
	w.options.Observe(w.observation(host, op, path, note, id))
}

func (w *World) observation(host, op, path, note string, id int64) cluster.Observation {
	o := cluster.Observation{At: w.engine.Now(), Pod: host, Op: op, Path: path, Note: note}
	if w.spec.Detail {
		o.ID = id
	}
	return o
}

// observeCall reports a finished gRPC call. It is called only if the spec asks for details.
func (w *World) observeCall(r network.RPC) {
	note := "OK"
	if r.Err != nil {
		note = r.Err.Error()
	}
	if spec, ok := r.Request.(*env.ModelSpec); ok {
		note = spec.Name + ": " + note
	}
	w.options.Observe(cluster.Observation{
		At: r.Ended, Pod: r.From, Op: "rpc", Path: path.Base(r.Method), Note: note, Peer: w.HostAt(r.To), Took: r.Ended - r.Started,
	})
}

// observeProbe reports that a pod has found one of its own ports open.
func (w *World) observeProbe(from, to string) {
	if w.byName[from] != nil && (w.HostAt(to) == from || strings.HasPrefix(to, "127.")) {
		w.observe(from, "probe", "modelserver", "", 0)
	}
}

// read reports that an agent's pod has asked ZooKeeper for a znode. The id of the connection stands
// for the session, because it only has to differ from the ids of the pod's other sessions.
func (w *World) read(host string, conn zookeeper.ConnID, op zookeeper.OpCode, path string) {
	if w.byName[host] != nil {
		w.observe(host, "read", path, op.String(), int64(conn))
	}
}

// HostAt returns the name of the pod with an address, or the address itself.
func (w *World) HostAt(addr string) string {
	ip, _, _ := strings.Cut(addr, ":")
	if p := w.byIP[ip]; p != nil {
		return p.Name
	}
	return addr
}

// wrote reports a write of ZooKeeper to Options.History and Options.Observe.
func (w *World) wrote(write zookeeper.Write) {
	w.changes++
	if w.options.History != nil {
		w.options.History.Wrote(write)
	}
	if w.options.Observe == nil {
		return
	}
	note := ""
	switch {
	case write.Err != zookeeper.CodeOK:
		note = zookeeper.CodeName(write.Err)
	case write.Ephemeral:
		note = "ephemeral"
	}
	if write.Of == zookeeper.OpCloseSession && write.Op == zookeeper.OpDelete {
		note = "with its session"
	}
	o := w.observation(w.zk.HostOf(write.Session), write.Op.LogName(), write.Path, note, write.Session)
	if w.spec.Detail {
		o.Data = string(write.Data)
	}
	w.options.Observe(o)
}

// Changes returns a number that grows with each change of znodes, of the names and contents of
// files, of pods and their processes, and of the answers of model servers about their models. While
// the number stays the same, none of these has changed. Changes of kazoo-fake and of python-fake
// are not reported, so with either of them the number grows at each call.
func (w *World) Changes() uint64 {
	if w.zk == nil || w.profile == tfserving.ProfilePythonFake {
		w.changes++
	}
	n := w.changes
	for _, s := range w.stores {
		n += s.fs.Changes()
	}
	for _, p := range w.pods {
		n += p.machine.FS.Changes()
	}
	return n
}

func flags(args []string) string { return strings.Join(args[1:], " ") }
