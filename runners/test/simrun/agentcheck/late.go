package agentcheck

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/agent"
	"github.com/monosim/monosim/engine/agent/datadef"
	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

const (
	// undisturbed is how long nothing may have disturbed an agent before it has to follow what is
	// registered. A client may need that long to connect again.
	undisturbed = 2 * time.Minute
	// followsV1 is how soon an agent v1 has to list a change. It learns of the change by a watch.
	// Its poll would show the change only a minute later (replica_manager.py:188).
	followsV1 = 15 * time.Second
	// followsV3 is how soon an agent v3 has to list a change. It learns of a new binding by a watch.
	// It may read the service info of the bound pod only in its next round, up to 30 s later.
	followsV3 = 45 * time.Second
)

// late follows what is registered, and since when.
type late struct {
	// written maps the path of each registration and service info to when it was last written or
	// deleted.
	written map[string]time.Duration
	// infos maps the path of each service info to the address in it. containers maps the parent's
	// path and the address of every service info so far, joined by a blank, to the container's name.
	infos, containers map[string]string
	// laid is when a layout was last changed. An agent v3 begins to follow what it publishes then.
	laid time.Duration
	// touched maps each pod to when it last started or was disturbed. "" stands for all pods.
	touched map[string]time.Duration
	// behind says that some agent did not list what is registered at the last look.
	behind bool
}

// follows records a change of a registration or a service info.
func (c *Checker) follows(path string, data []byte) {
	l := &c.late
	if strings.Contains(path, "/container_service/") {
		if info, err := datadef.ReadContainerServiceInfo(data); err == nil && len(data) > 0 {
			end, addr := strings.LastIndexByte(path, '/'), info.GRPC.String()
			l.infos[path] = addr
			l.containers[path[:end]+" "+addr] = path[end+1:]
		} else {
			delete(l.infos, path)
		}
	}
	l.written[path] = c.now
}

// touches records that a disturbance has hit the pods that what names, or all if it names none.
func (c *Checker) touches(what string) {
	named, words := false, strings.FieldsFunc(what, func(r rune) bool { return r == ' ' || r == ',' })
	for _, p := range c.view.Pods() {
		if slices.Contains(words, p.Name) {
			c.late.touched[p.Name], named = c.now, true
		}
	}
	if !named {
		c.late.touched[""] = c.now
	}
}

// lookForLate finds the agents that do not list what is registered although nothing has disturbed
// them.
func (c *Checker) lookForLate() error {
	c.late.behind = false
	if len(c.goesOn) > 0 {
		c.late.behind = true
		return nil
	}
	for _, pod := range c.view.Pods() {
		calm := max(c.late.touched[pod.Name], c.late.touched[""], c.calm) + undisturbed
		if c.now <= calm {
			c.late.behind = true
			continue
		}
		for _, a := range c.view.Agents(pod.Name) {
			want, got, limit := c.registeredFor(a)
			for _, path := range slices.Sorted(maps.Keys(want)) {
				c.follow(pod, path, want[path], got[path], calm, limit)
			}
			for _, path := range slices.Sorted(maps.Keys(got)) {
				if _, ok := want[path]; !ok {
					c.follow(pod, path, "", got[path], calm, limit)
				}
			}
		}
	}
	return nil
}

// follow compares what an agent lists for a registration with what is registered.
func (c *Checker) follow(pod runners.Pod, path, want, got string, calm, limit time.Duration) {
	if want == got {
		return
	}
	c.late.behind = true
	since := max(c.late.written[path], c.late.laid, calm)
	if info := c.infoOf(path); info != "" {
		since = max(since, c.late.written[info])
	}
	if c.now > since+limit {
		c.breaks(Late, pod.Name+" "+path, "the agent of %s lists %q for %s, want %q: that is so since %v, and nothing disturbs it", pod.Name, got, path, want, since)
	}
}

// infoOf returns the path of the service info of a binding, "" for other paths.
func (c *Checker) infoOf(path string) string {
	root, binding, ok := strings.Cut(path, "/binding/")
	if !ok {
		return ""
	}
	_, container, _ := strings.Cut(binding, ":")
	return root + "/container_service/" + container
}

// registeredFor returns two maps from the path of a registration to its address: want has the AVAILABLE
// registrations that the agent has to list, and got has those that it lists.
func (c *Checker) registeredFor(a agent.Agent) (want, got map[string]string, limit time.Duration) {
	want, got = map[string]string{}, map[string]string{}
	switch a := a.(type) {
	case *agent.AgentV1:
		w := a.Watcher()
		for path, n := range c.registered.nodes {
			if n.v1 && strings.HasPrefix(path, w.PathPrefix()+"/") && n.replica.Stat == env.StateAvailable {
				want[path] = n.replica.Address
			}
		}
		for task, replicas := range w.Replicas().All {
			for id, r := range replicas.All {
				if meta := r.Value(); meta.Stat == env.StateAvailable {
					got[nodeOf(c.registered.nodes, task, id)] = meta.Address.String()
				}
			}
		}
		return want, got, followsV1
	case *agent.AgentV3:
		root := "/" + a.Conf().Bzid.String()
		for _, m := range a.Backend().ServiceMap() {
			for path, n := range c.registered.nodes {
				model, _, _ := strings.Cut(n.model, ":")
				if addr := c.late.infos[c.infoOf(path)]; !n.v1 && model == m.Model && strings.HasPrefix(path, root+"/") && addr != "" {
					want[path] = addr
				}
			}
			for _, g := range m.SubGraphs {
				for _, s := range g.Services {
					got[c.bindingAt(root, m.Model, g.SubGraph, s.GRPC.String())] = s.GRPC.String()
				}
			}
		}
	}
	return want, got, followsV3
}

// nodeOf returns the path of a replica. An agent knows it by its number, without leading zeros.
func nodeOf(nodes map[string]*node, task, id string) string {
	if n, err := strconv.ParseInt(id, 10, 64); err == nil {
		if path := task + "/" + padded(int(n)); nodes[path] != nil {
			return path
		}
	}
	return task + "/" + id
}

// bindingAt returns the path of the binding of a container that serves at addr.
func (c *Checker) bindingAt(root, model, subGraph, addr string) string {
	return root + "/binding/" + model + "/" + subGraph + ":" + c.late.containers[root+"/container_service "+addr]
}
