package sim

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/runners/test/simrun"
)

// Rollout is how a version of a model spread over the pods.
type Rollout struct {
	Model string `json:"model"` // name of the model as in [Availability], such as ctr:entry/8
	// Since is when the version could first be served: when it was exported and, for agents of
	// version 3, also published.
	Since float64 `json:"since_s"`
	First float64 `json:"first_available_s"`
	Last  float64 `json:"last_available_s"`
	// Took is the time in seconds from Since until the last pod had the version. Pods counts the
	// pods that got this version. Of counts the pods that had any version of the model.
	Took float64 `json:"took_s"`
	Pods int     `json:"pods"`
	Of   int     `json:"of"`
}

// rollouts returns the roll-outs of all versions, in the order in which they became available.
func (s *story) rollouts() []Rollout {
	var list []Rollout
	for _, name := range s.order {
		m := s.models[name]
		key, version, _ := strings.Cut(name, "/")
		since := s.since(key, version)
		list = append(list, Rollout{
			Model: name, Since: since.Seconds(), First: m.first.Seconds(), Last: m.last.Seconds(),
			Took: (m.last - since).Seconds(), Pods: m.pods.len(), Of: s.hosts[key].len(),
		})
	}
	return list
}

// since returns when a version could first be served: the later of its export and its
// publishing.
func (s *story) since(key, version string) time.Duration {
	since := s.published[key]
	for _, m := range s.cluster.models {
		for _, g := range m.SubGraphs {
			if s.cluster.keyOf(m.Name, g.Name) == key {
				since = max(since, s.exported[fmt.Sprintf("%s/%s/%s", m.BasePath, g.Name, version)])
			}
		}
	}
	return since
}

// keyOf returns the name under which model servers serve a sub-graph: "model:sub-graph" for
// agents of version 3, the sub-graph alone otherwise.
func (c *Cluster) keyOf(model, subGraph string) string {
	if c.publishes() {
		return model + ":" + subGraph
	}
	return subGraph
}

// unavailable lists the models that pods fail to serve at the end. A pod should serve every model
// that it ever had a version of. Models that no pod ever had are listed, too.
func (s *story) unavailable(cluster *simrun.Cluster) []string {
	list := lists.MapOrNil(s.missing(), func(name string) string { return name + " on no pod" })
	for _, p := range cluster.Pods() {
		state, err := cluster.PodState(p.Name)
		if err != nil || !state.Running {
			list = append(list, p.Name+" does not run")
			continue
		}
		served := servedBy(cluster, p.Name)
		for _, key := range slices.Sorted(maps.Keys(s.hosts)) {
			if s.hosts[key].has(s.numbers.of(p.Name)) && !served(key) {
				list = append(list, key+" on "+p.Name)
			}
		}
	}
	return list
}

// unlisted lists the models that pods serve but that the service map of the asked pod lacks,
// so that clients do not find them. The cause is a lost session: it deletes the bindings of
// a version 3 agent, and not all come back (Q206, Q208). Pods in another location than the
// asked pod are skipped, because its agent may leave them out on purpose.
func (s *story) unlisted(cluster *simrun.Cluster, services []ServiceEntry, asked string) []string {
	if asked == "" || !s.cluster.publishes() {
		return nil
	}
	listed := map[string]bool{}
	for _, e := range services {
		for _, addr := range e.Addrs {
			if host, _, err := net.SplitHostPort(addr); err == nil {
				listed[e.Key+" "+host] = true
			}
		}
	}
	pods := cluster.Pods()
	at := slices.IndexFunc(pods, func(p runners.Pod) bool { return p.Name == asked })
	var list []string
	for _, p := range pods {
		state, err := cluster.PodState(p.Name)
		if err != nil || !state.Running || p.Location != pods[at].Location {
			continue
		}
		served := servedBy(cluster, p.Name)
		for _, key := range slices.Sorted(maps.Keys(s.hosts)) {
			if !listed[key+" "+state.IP] && s.hosts[key].has(s.numbers.of(p.Name)) && served(key) {
				list = append(list, key+" on "+p.Name)
			}
		}
	}
	return list
}

// servedBy returns a function that reports whether the pod has any version of the model key
// in state AVAILABLE.
func servedBy(cluster *simrun.Cluster, pod string) func(key string) bool {
	state, err := cluster.PodState(pod)
	return func(key string) bool {
		if err != nil {
			return false
		}
		for _, server := range state.ModelServers {
			versions, err := cluster.ModelStatus(pod, server.Kind, key)
			if err == nil && slices.ContainsFunc(versions, func(v env.ModelVersionStatus) bool { return v.State == env.StateAvailable }) {
				return true
			}
		}
		return false
	}
}
