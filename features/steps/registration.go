package steps

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// containerCluster returns a pod's cluster in the form in which znodes name it (utils.py:578,
// container_cluster).
func (w *World) containerCluster(p runners.Pod) string {
	return w.psm() + ";" + p.Location.IDC + ";" + p.Location.Cluster
}

// psm returns the value of TCE_PSM that the runner sets in the pods.
func (w *World) psm() string {
	for _, v := range w.spec.Env {
		if v.Key == "TCE_PSM" {
			return v.Value
		}
	}
	return "monolith.serving"
}

// pod returns the pod with a name, or an error if there is none.
func (w *World) pod(name string) (runners.Pod, error) {
	for _, p := range w.cluster.Pods() {
		if p.Name == name {
			return p, nil
		}
	}
	return runners.Pod{}, fmt.Errorf("found pod %s, want one of the %d of the cluster", name, len(w.cluster.Pods()))
}

// boundTo makes a check of which pods a sub-graph is bound to. Its binding znodes are named
// <sub-graph>:<cluster>:<pod>.
func (w *World) boundTo(servable, pods string) check {
	model, subGraph := modelAndSubGraph(servable)
	path := "/" + w.bzid() + "/binding/" + model
	return func() error {
		node, _, err := w.cluster.Znode(path)
		if err != nil {
			return err
		}
		var got []string
		for _, child := range node.Children {
			if parts := strings.Split(child, ":"); parts[0] == subGraph {
				got = append(got, parts[len(parts)-1])
			}
		}
		want := slices.Clone(w.pods(pods))
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(want, got) {
			return differ("bindings of "+servable, want, got)
		}
		return nil
	}
}

// boundEarlier makes a check that one sub-graph was bound to a pod before another one was.
func (w *World) boundEarlier(servable, pod, other string) check {
	return func() error {
		var made [2]int64
		for i, s := range []string{servable, other} {
			p, err := w.pod(pod)
			if err != nil {
				return err
			}
			model, subGraph := modelAndSubGraph(s)
			node, ok, err := w.cluster.Znode("/" + w.bzid() + "/binding/" + model + "/" + subGraph + ":" + w.containerCluster(p) + ":" + pod)
			if err != nil {
				return err
			}
			if !ok {
				return differ("binding of "+s+" to "+pod, "one", "none")
			}
			made[i] = node.Created
		}
		if made[0] >= made[1] {
			return differ("bindings to "+pod, servable+" before "+other, other+" before "+servable)
		}
		return nil
	}
}

// serviceInfo makes a check of whether the named pods have published their service info.
func (w *World) serviceInfo(pods string, want bool) check {
	return func() error {
		for _, name := range w.pods(pods) {
			p, err := w.pod(name)
			if err != nil {
				return err
			}
			_, ok, err := w.cluster.Znode("/" + w.bzid() + "/container_service/" + w.containerCluster(p) + ":" + name)
			if err != nil {
				return err
			}
			if ok != want {
				return differ("service info of "+name, there(want), there(ok))
			}
		}
		return nil
	}
}

func there(ok bool) string {
	if ok {
		return "there"
	}
	return "missing"
}

func (w *World) haveServiceInfo(pods string) check   { return w.serviceInfo(pods, true) }
func (w *World) haveNoServiceInfo(pods string) check { return w.serviceInfo(pods, false) }

// registration is the znode in which a pod of v1 registers for a task such as "ps:0".
type registration struct {
	state env.ModelState
	// writes counts how often the znode was written, including its creation.
	writes int
}

// registration finds the znode by which a pod registers for a task. It recognizes the znode by the
// address that the znode holds. ok is false if the pod has no such znode.
func (w *World) registration(pod, task string) (r registration, ok bool, err error) {
	p, err := w.pod(pod)
	if err != nil {
		return r, false, err
	}
	s, err := w.cluster.PodState(pod)
	if err != nil {
		return r, false, err
	}
	path := "/" + w.bzid() + "/service/" + w.conf.get("base_name")
	if aware := w.conf.get("dc_aware"); aware == "true" || aware == "1" {
		path += "/" + p.Location.IDC + ":" + p.Location.Cluster
	}
	path += "/" + task
	parent, _, err := w.cluster.Znode(path)
	if err != nil {
		return r, false, err
	}
	for _, child := range parent.Children {
		node, ok, err := w.cluster.Znode(path + "/" + child)
		if err != nil {
			return r, false, err
		}
		if !ok {
			continue // another pod's ephemeral znode, deleted since the children were read
		}
		var meta struct {
			Address string         `json:"address"`
			Stat    env.ModelState `json:"stat"`
		}
		if err := json.Unmarshal(node.Data, &meta); err != nil {
			return r, false, fmt.Errorf("znode %s/%s: %w", path, child, err)
		}
		if host, _, _ := strings.Cut(meta.Address, ":"); host == s.IP {
			return registration{state: meta.Stat, writes: int(node.Version) + 1}, true, nil
		}
	}
	return r, false, nil
}

// registered makes a check of a registration. It fails if there is no registration.
func (w *World) registered(pod, task string, want any, fn func(what string, r registration) error) check {
	return func() error {
		r, ok, err := w.registration(pod, task)
		what := fmt.Sprintf("registration of %s for %s", pod, task)
		switch {
		case err != nil:
			return err
		case !ok:
			return differ(what, want, "none")
		}
		return fn(what, r)
	}
}

func (w *World) registeredAs(pod, task, state string) check {
	return w.registered(pod, task, state, func(what string, r registration) error {
		if r.state.String() != state {
			return differ(what, state, r.state)
		}
		return nil
	})
}

func (w *World) writtenAtLeast(pod, task string, n int) check {
	return w.registered(pod, task, "one", func(what string, r registration) error {
		if r.writes < n {
			return differ("writes of the "+what, fmt.Sprintf("%d or more", n), r.writes)
		}
		return nil
	})
}

func (w *World) writtenAtMost(pod, task string, n int) check {
	return w.registered(pod, task, "one", func(what string, r registration) error {
		if r.writes > n {
			return differ("writes of the "+what, fmt.Sprintf("%d or less", n), r.writes)
		}
		return nil
	})
}

func (w *World) notRegistered(pod, task string) check {
	return func() error {
		r, ok, err := w.registration(pod, task)
		if err != nil {
			return err
		}
		if ok {
			return differ(fmt.Sprintf("registration of %s for %s", pod, task), "none", r.state)
		}
		return nil
	}
}

func (w *World) writeZnode(path, data string) error {
	return w.cluster.WriteZnode(path, []byte(data))
}

func (w *World) deleteZnode(path string) error { return w.cluster.DeleteZnode(path) }

// znode makes a check of a znode. It fails if the znode does not exist.
func (w *World) znode(path string, fn func(n runners.Znode) error) check {
	return func() error {
		n, ok, err := w.cluster.Znode(path)
		if err != nil {
			return err
		}
		if !ok {
			return differ("znode "+path, "one", "none")
		}
		return fn(n)
	}
}

func (w *World) znodeExists(path string) check {
	return w.znode(path, func(runners.Znode) error { return nil })
}

func (w *World) znodeMissing(path string) check {
	return func() error {
		_, ok, err := w.cluster.Znode(path)
		if err != nil {
			return err
		}
		if ok {
			return differ("znode "+path, "none", "one")
		}
		return nil
	}
}

func (w *World) znodeEphemeral(path string) check {
	return w.znode(path, func(n runners.Znode) error {
		if !n.Ephemeral {
			return differ("znode "+path, "ephemeral", "persistent")
		}
		return nil
	})
}

func (w *World) znodeHolds(path, data string) check {
	return w.znode(path, func(n runners.Znode) error {
		if string(n.Data) != data {
			return differ("znode "+path, data, string(n.Data))
		}
		return nil
	})
}

func (w *World) znodeChildren(path string, n int) check {
	return w.znode(path, func(z runners.Znode) error {
		if len(z.Children) != n {
			return differ("children of "+path, n, z.Children)
		}
		return nil
	})
}
