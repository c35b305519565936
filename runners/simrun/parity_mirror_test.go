package simrun_test

import (
	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/monitor"
)

// mirrorZK is a fake client whose deletes are recursive only when asked to be: a
// mirror always says.
type mirrorZK struct{ *recordingZK }

func (z mirrorZK) Delete(path string, o env.DeleteOptions) error {
	if o.Recursive {
		return z.recordingZK.Delete(path, o)
	}
	z.note("delete", object("path", path))
	return z.DeleteLeaf(path)
}

// mirrorHost is a host whose variables a case can change.
type mirrorHost struct {
	env.Host
	vars map[string]agent.OptString
}

func (h *mirrorHost) LookupEnv(name string) (string, bool) {
	if v, ok := h.vars[name]; ok {
		return v.V, v.Set
	}
	return h.Host.LookupEnv(name)
}

// mirrorRun is a mirror on a fake client.
type mirrorRun struct {
	*parityCase
	host  *mirrorHost
	zk    mirrorZK
	m     *agent.ZKMirror
	queue *monitor.Queue[agent.Event]
}

func (c *parityCase) newMirror(o agent.MirrorOptions) *mirrorRun {
	r := &mirrorRun{parityCase: c, host: &mirrorHost{Host: c.env.Host, vars: map[string]agent.OptString{}}}
	c.env.Host = r.host
	r.zk = mirrorZK{newRecordingZK(c.env)}
	r.queue = monitor.NewQueue[agent.Event](c.env.Tasks, "events")
	o.Queue = r.queue
	r.m = agent.NewZKMirror(c.env, r.zk, o)
	return r
}
