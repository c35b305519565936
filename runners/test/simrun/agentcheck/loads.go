package agentcheck

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/runners"
)

// loads follows the states of versions on the servers.
type loads struct {
	// served has the pods and models, joined by a blank, that have been AVAILABLE since the pod's
	// agent started.
	served map[string]bool
	// awaited has the versions of models, each as the pod and the version joined by a blank, that the
	// server should have loaded before it gave up its last served version, but had not begun to load.
	awaited map[string]bool
}

// changed handles a new state of a version.
func (c *Checker) changed(o runners.Observation) {
	model, _, _ := strings.Cut(o.Path, "/")
	switch o.Note {
	case "AVAILABLE":
		c.order.served[model] = true
		c.loads.served[o.Pod+" "+model] = true
	case "UNLOADING":
		c.givesUp(o.Pod, model)
	case "LOADING":
		if c.loads.awaited[o.Pod+" "+o.Path] {
			c.breaks(Gap, o.Pod+" "+o.Path, "%s loads %s only after it has given up the version that it served, want it to serve that meanwhile (TFS-4.4)", o.Pod, o.Path)
		}
	case "START", "END":
		delete(c.loads.awaited, o.Pod+" "+o.Path)
	}
}

// givesUp is called when a server unloads the only version of a model that it serves. It notes the
// newer versions that the server has not begun to load.
func (c *Checker) givesUp(pod, model string) {
	kind, _, _ := strings.Cut(model, "_")
	if strings.Contains(model, ":") {
		kind = "" // one server for all models of version 3
	}
	statuses, err := c.view.ModelStatus(pod, kind, model)
	if err != nil || c.hasAlike(pod, kind) || slices.ContainsFunc(statuses, func(s env.ModelVersionStatus) bool { return s.State == env.StateAvailable }) {
		return
	}
	for _, s := range statuses {
		if s.State == env.StateStart {
			c.loads.awaited[pod+" "+model+"/"+strconv.FormatInt(s.Version, 10)] = true
		}
	}
}

// hasAlike reports whether a pod has several servers of a kind, as for dense.
func (c *Checker) hasAlike(pod, kind string) bool {
	s, err := c.view.PodState(pod)
	return err == nil && len(slices.DeleteFunc(slices.Clone(s.ModelServers), func(m runners.ModelServerState) bool { return m.Kind != kind })) > 1
}

// started forgets what the servers of a pod served before its agent started.
func (c *Checker) started(pod string) {
	c.late.touched[pod] = c.now
	for _, seen := range []map[string]bool{c.loads.served, c.loads.awaited} {
		for key := range seen {
			if strings.HasPrefix(key, pod+" ") {
				delete(seen, key)
			}
		}
	}
}

// lingers is how long after a fault of the network a write of an earlier life may still arrive.
const lingers = time.Minute

// early checks that a pod that is registered for a model has served it.
func (c *Checker) early(path string, n *node) {
	if n.pod == "operator" || n.v1 && n.replica.Stat != env.StateAvailable || len(c.goesOn) > 0 || c.calm > 0 && c.now < c.calm+lingers {
		return
	}
	if !c.loads.served[n.pod+" "+n.model] {
		c.breaks(Early, path, "%s is registered, and %s has not served %s since its agent started, want that first", path, n.pod, n.model)
	}
}
