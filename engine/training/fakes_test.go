package training

import (
	"io/fs"
	"slices"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/env/rpcerrors"
	"github.com/monosim/monosim/engine/env/zkerrors"
	"github.com/monosim/monosim/engine/pysem"
)

// caseHost is the fake host of the testee protocol.
type caseHost struct {
	env.Host
	names      []string // names of the variables, in order
	vars       map[string]string
	ipv4, ipv6 string // addresses that a look-up returns; "" makes it fail
}

func (h *caseHost) LookupEnv(key string) (string, bool) {
	v, ok := h.vars[key]
	return v, ok
}

func (h *caseHost) Setenv(key, value string) {
	if _, ok := h.vars[key]; !ok {
		h.names = append(h.names, key)
	}
	h.vars[key] = value
}

func (h *caseHost) Unsetenv(key string) {
	h.names = slices.DeleteFunc(h.names, func(name string) bool { return name == key })
	delete(h.vars, key)
}

func (h *caseHost) Environ() []string {
	var list []string
	for _, name := range slices.Sorted(slices.Values(h.names)) {
		list = append(list, name+"="+h.vars[name])
	}
	return list
}

func (h *caseHost) LookupIP() (string, error)   { return lookUp(h.ipv4) }
func (h *caseHost) LookupIPv6() (string, error) { return lookUp(h.ipv6) }

func lookUp(ip string) (string, error) {
	if ip == "" {
		return "", fs.ErrNotExist
	}
	return ip, nil
}

// deadNetwork reaches nobody.
type deadNetwork struct{ env.Network }

func (deadNetwork) Probe(string, time.Duration) error {
	return &env.RPCError{Code: rpcerrors.Unavailable}
}

// inlineTasks runs tasks at once, except those that register again.
type inlineTasks struct{ env.Tasks }

func (inlineTasks) Sleep(time.Duration) {}
func (inlineTasks) Go(name string, fn func()) env.Task {
	if name != "register" {
		fn()
	}
	return doneTask{}
}
func (inlineTasks) NewCond(string) env.Cond { return silentCond{} }

type doneTask struct{ env.Task }

func (doneTask) Join() {}

type silentCond struct{ env.Cond }

func (silentCond) Broadcast() {}

// caseZooKeeper behaves like the reference's fake client: it lists children in creation order and
// runs watches during the change.
type caseZooKeeper struct {
	env.ZooKeeper
	nodes    []*caseNode
	data     map[string]env.DataFunc
	children map[string]env.ChildrenFunc
	fill     func()
}

type caseNode struct {
	path      string
	value     []byte
	version   int
	ephemeral bool
}

func (z *caseZooKeeper) AddListener(func(env.SessionState) bool) {}
func (z *caseZooKeeper) Stop()                                   { z.nodes = nil }
func (z *caseZooKeeper) Close()                                  {}
func (z *caseZooKeeper) Start(time.Duration) error {
	z.fill()
	return nil
}

func (z *caseZooKeeper) find(path string) *caseNode {
	for _, n := range z.nodes {
		if n.path == path {
			return n
		}
	}
	return nil
}

func (z *caseZooKeeper) make(path string, value []byte, ephemeral bool) error {
	if parent := pysem.Dirname(path); parent != "/" && z.find(parent) == nil {
		if err := z.make(parent, []byte{}, false); err != nil {
			return err
		}
	}
	z.nodes = append(z.nodes, &caseNode{path: path, value: value, ephemeral: ephemeral})
	return z.changed(path, value)
}

func (z *caseZooKeeper) changed(path string, value []byte) error {
	if fn := z.children[pysem.Dirname(path)]; fn != nil {
		if err := fn(z.childrenOf(pysem.Dirname(path))); err != nil {
			return err
		}
	}
	if fn := z.data[path]; fn != nil {
		return fn(value, nil, nil)
	}
	return nil
}

func (z *caseZooKeeper) childrenOf(path string) []string {
	var names []string
	for _, n := range z.nodes {
		if pysem.Dirname(n.path) == path {
			names = append(names, pysem.Basename(n.path))
		}
	}
	return names
}

func (z *caseZooKeeper) Create(path string, data []byte, o env.CreateOptions) (string, error) {
	if z.find(path) != nil {
		return "", zkerrors.ErrNodeExists
	}
	return path, z.make(path, data, o.Ephemeral)
}

func (z *caseZooKeeper) EnsurePath(path string) error {
	if z.find(path) != nil {
		return nil
	}
	return z.make(path, []byte{}, false)
}

func (z *caseZooKeeper) Set(path string, data []byte, version int32) error {
	n := z.find(path)
	if n == nil {
		return zkerrors.ErrNoNode
	}
	n.value, n.version = data, n.version+1
	if fn := z.data[path]; fn != nil {
		return fn(data, nil, nil)
	}
	return nil
}

func (z *caseZooKeeper) Delete(path string, o env.DeleteOptions) error {
	deleted := z.find(path)
	if deleted == nil {
		return zkerrors.ErrNoNode
	}
	z.nodes = slices.DeleteFunc(z.nodes, func(n *caseNode) bool { return n == deleted })
	// The reference's fake passes the old data even after the node is deleted.
	return z.changed(path, deleted.value)
}

func (z *caseZooKeeper) DataWatch(path string, fn env.DataFunc) (env.Watch, error) {
	z.data[path] = fn
	if n := z.find(path); n != nil {
		return nil, fn(n.value, nil, nil)
	}
	return nil, nil
}

func (z *caseZooKeeper) ChildrenWatch(path string, fn env.ChildrenFunc) (env.Watch, error) {
	z.children[path] = fn
	return nil, fn(z.childrenOf(path))
}
