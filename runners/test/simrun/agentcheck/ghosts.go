package agentcheck

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// LookEvery is how often a runner should call Look, in virtual time.
const LookEvery = 5 * time.Second

// outlives is how long a registration may outlive its server. The agent's session may live
// 10 s longer (kazoo client.py:128), and a living agent checks its servers every 30 s
// (agent_v3.py:182).
const outlives = 40*time.Second + LookEvery

// registrations mirrors the znodes that say which pod serves a model.
type registrations struct{ nodes map[string]*node }

// node is one znode that says that a pod serves a model.
type node struct {
	pod, kind, model string
	v1               bool
	replica          replica // what was last written to a node of v1
	// lost says that the pod's server does not serve the model. since is when that began.
	lost  bool
	since time.Duration
}

// wrote updates the mirrored znodes after a successful write to ZooKeeper.
func (c *Checker) wrote(o runners.Observation) {
	for _, q := range c.quiets {
		q.wrote(o)
	}
	if strings.Contains(o.Path, "/layouts/") {
		c.late.laid = c.now
	}
	switch o.Op {
	case "zookeeper.create", "zookeeper.create2":
		n := c.registration(o)
		if n != nil {
			c.owned(o, n)
			c.registered.nodes[o.Path] = n
		}
		c.filled(o, n)
	case "zookeeper.setData":
		c.filled(o, c.registered.nodes[o.Path])
	case "zookeeper.delete":
		delete(c.registered.nodes, o.Path)
		c.follows(o.Path, nil)
	}
	c.declared(o)
}

// filled handles what was written to a znode. n is the registration in it, nil for none.
func (c *Checker) filled(o runners.Observation, n *node) {
	if n == nil && !strings.Contains(o.Path, "/container_service/") {
		return
	}
	z, ok, err := c.view.Znode(o.Path)
	if err != nil || !ok {
		return
	}
	if n != nil && n.v1 {
		n.replica = replicaOf(z.Data)
		if z.Ephemeral && o.Pod != "operator" { // others may be the parents of replicas
			c.addressed(o.Path, n.replica.Address)
		}
	}
	if n != nil && o.Pod == n.pod {
		c.early(o.Path, n)
	}
	c.follows(o.Path, z.Data)
}

// registration parses a znode's path as a binding,
// /<bzid>/binding/<model>/<sub-graph>:<cluster>:<pod>, or as a replica of v1,
// /<bzid>/service/<name>[/<location>]/<kind>:<task>/<replica>. It returns nil for other paths.
func (c *Checker) registration(o runners.Observation) *node {
	parts := strings.Split(o.Path, "/")
	switch {
	case len(parts) == 5 && parts[2] == "binding":
		subGraph, container, ok := strings.Cut(parts[4], ":")
		if !ok {
			return nil
		}
		return &node{pod: container[strings.LastIndexByte(container, ':')+1:], model: parts[3] + ":" + subGraph}
	case len(parts) > 5 && parts[2] == "service":
		kind, task, ok := strings.Cut(parts[len(parts)-2], ":")
		if !ok {
			return nil
		}
		return &node{pod: o.Pod, kind: kind, model: modelV1(kind, task), v1: true}
	}
	return nil
}

// modelV1 returns the name by which the model servers of agents v1 know the model of a task.
func modelV1(kind, task string) string {
	if kind == "entry" {
		return kind
	}
	return kind + "_" + task
}

// lookForGhosts finds the registrations without a server.
func (c *Checker) lookForGhosts() error {
	for _, path := range slices.Sorted(maps.Keys(c.registered.nodes)) {
		n := c.registered.nodes[path]
		if n.pod == "operator" || c.isServed(n) {
			n.lost = false
			continue
		}
		if n.v1 && n.replica.Stat != env.StateAvailable {
			n.lost = false
			continue
		}
		if !n.lost {
			n.lost, n.since = true, c.now
		}
	}
	return nil
}

// timeGhosts finds the registrations that have had no server for longer than allowed.
func (c *Checker) timeGhosts() {
	if len(c.goesOn) > 0 {
		return
	}
	var over []string
	for path, n := range c.registered.nodes {
		if n.lost && c.now > max(n.since, c.calm)+outlives {
			over = append(over, path)
		}
	}
	slices.Sort(over)
	for _, path := range over {
		n := c.registered.nodes[path]
		c.breaks(Ghost, path, "%s is there, and %s does not serve %s since %v, want it gone within %v", path, n.pod, n.model, max(n.since, c.calm), outlives)
	}
}

// isServed reports whether the registration's server serves its model. A pod may have
// several servers of one kind, as for dense. The registration does not say which of them it
// is about, so it counts as served.
func (c *Checker) isServed(n *node) bool {
	if c.hasAlike(n.pod, n.kind) {
		return true
	}
	versions, err := c.view.ModelStatus(n.pod, n.kind, n.model)
	return err == nil && slices.ContainsFunc(versions, func(s env.ModelVersionStatus) bool { return s.State == env.StateAvailable })
}

// replica is the data that an agent v1 writes to the znode of a replica.
type replica struct {
	Address string         `json:"address"`
	Stat    env.ModelState `json:"stat"`
}

// replicaOf decodes the data of a replica's znode. Other data gives a replica without an
// address.
func replicaOf(data []byte) (r replica) {
	if json.Unmarshal(data, &r) != nil {
		return replica{}
	}
	return r
}
