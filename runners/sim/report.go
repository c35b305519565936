package sim

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/lists"
	"github.com/monosim/monosim/runners"
)

// Report sums up a run. Times are in seconds; virtual times count from the start.
type Report struct {
	Conf        string         `json:"conf"`
	Seed        uint64         `json:"seed"`
	Shards      int            `json:"shards"`
	Replicas    int            `json:"replicas"`
	Pods        int            `json:"pods"`
	Groups      []GroupPods    `json:"groups,omitempty"`
	Version     int            `json:"agent_version"`
	ZooKeeper   string         `json:"zookeeper"`
	ModelServer string         `json:"model_server"`
	Quirks      string         `json:"quirks"`
	Startup     []Step         `json:"startup"`
	Models      []Availability `json:"models"`
	Missing     []string       `json:"never_available"`
	Exits       []Moment       `json:"exits"`
	ExitsTotal  int            `json:"exits_total"`
	Errors      []Trouble      `json:"errors"`
	ServiceMap  []ServiceEntry `json:"service_map"`
	Asked       string         `json:"service_map_of"`
	Rollouts    []Rollout      `json:"rollouts"`
	// Unavailable lists the models that should have been served at the end but were not, each
	// with its pod, such as "ctr:entry on shard0-replica1".
	Unavailable []string `json:"unavailable"`
	// Unlisted lists the models that are served at the end but absent from the service map, so
	// that clients do not find them. It has the form of Unavailable and is filled for agents of
	// version 3 only.
	Unlisted []string `json:"unlisted"`
	Acts     []Done   `json:"acts"`
	Load     Load     `json:"load"`
	// Samples holds the time series, and Bars the bars of each pod's timeline. Both are written
	// to files of their own, and not to the JSON of the report.
	Samples    []Sample       `json:"-"`
	Bars       []Bar          `json:"-"`
	Counts     runners.Counts `json:"counts"`
	Trace      string         `json:"trace"`
	VirtualSec float64        `json:"virtual_s"`
	WallSec    float64        `json:"wall_s"`
	Failure    string         `json:"failure,omitempty"`
}

// GroupPods is a group of pods with a conf of their own.
type GroupPods struct {
	Name     string `json:"name"`
	Conf     string `json:"conf"`
	Shards   int    `json:"shards"`
	Replicas int    `json:"replicas"`
}

func (c *Cluster) groupPods() (list []GroupPods) {
	return lists.MapOrNil(c.groups, func(g runners.Group) GroupPods { return GroupPods{g.Name, g.ConfName, g.Shards, g.Replicas} })
}

// Step is a stage of the start-up. First and Last are when the first and the last pod reached it.
// Times counts how often pods reached it in all, so it can count a pod more than once.
type Step struct {
	What  string  `json:"what"`
	First float64 `json:"first_s"`
	Last  float64 `json:"last_s"`
	Pods  int     `json:"pods"`
	Times int     `json:"times"`
}

// Availability says when a version of a model became AVAILABLE for the first time, on the
// first pod and on the last one.
type Availability struct {
	Model string  `json:"model"`
	First float64 `json:"first_available_s"`
	Last  float64 `json:"last_available_s"`
	Pods  int     `json:"pods"`
}

// Trouble is an error message from the logs of agents or from a model server. Pods is the number of
// pods that had it, and Times is how often it occurred.
type Trouble struct {
	Text  string  `json:"text"`
	First float64 `json:"first_s"`
	Pods  int     `json:"pods"`
	Times int     `json:"times"`
}

// ServiceEntry is a service with its addresses, as listed in the service map of the agent that was
// asked at the end.
type ServiceEntry struct {
	Key   string   `json:"key"`
	Addrs []string `json:"addresses"`
}

// maxListed limits how many process exits and how many errors a report lists.
const maxListed = 10

// report sums up the run. It asks an agent for the service map, which takes a little virtual
// time. The counts are taken before, so they do not include that time.
func (r *run) report(wall time.Duration, failure error) *Report {
	s, cluster := r.story, r.Cluster
	stats, o := cluster.Stats(), s.cluster.options
	out := &Report{
		Conf: o.Conf, Seed: o.Seed, Shards: s.cluster.shards, Replicas: o.Replicas, Pods: s.cluster.pods(), Groups: s.cluster.groupPods(), Version: s.cluster.values.version,
		ZooKeeper: o.ZooKeeper, ModelServer: o.ModelServer, Quirks: o.Quirks,
		ExitsTotal: len(s.exits), Exits: s.exits[:min(len(s.exits), maxListed)],
		Counts: stats.Counts,
		Trace:  fmt.Sprintf("%016x", stats.TraceHash), VirtualSec: stats.Virtual.Seconds(), WallSec: wall.Seconds(),
	}
	for _, step := range []string{stepAgent, stepSession, stepRegistered, stepProcess, stepServing} {
		if m, ok := s.steps[step]; ok {
			out.Startup = append(out.Startup, Step{step, m.first.Seconds(), m.last.Seconds(), m.pods.len(), m.times})
		}
	}
	sort.SliceStable(out.Startup, func(i, j int) bool { return out.Startup[i].First < out.Startup[j].First })
	for _, name := range s.order {
		m := s.models[name]
		out.Models = append(out.Models, Availability{name, m.first.Seconds(), m.last.Seconds(), m.pods.len()})
	}
	out.Missing = s.missing()
	for _, text := range s.messages[:min(len(s.messages), maxListed)] {
		m := s.errors[text]
		out.Errors = append(out.Errors, Trouble{text, m.first.Seconds(), m.pods.len(), m.times})
	}
	out.Rollouts, out.Unavailable, out.Acts = s.rollouts(), s.unavailable(cluster), s.acts(r.Now())
	out.Load = r.samples.load(r.Now(), r.Load().ZooKeeper)
	out.Load.Memory = s.memory.list(r.Pods())
	out.Samples, out.Bars = r.samples.kept, s.closed(r.Now())
	if failure != nil {
		out.Failure = failure.Error()
		return out
	}
	out.ServiceMap, out.Asked = serviceMap(cluster)
	out.Unlisted = s.unlisted(cluster, out.ServiceMap, out.Asked)
	return out
}

// missing returns the exported graphs that were never AVAILABLE in any version.
func (s *story) missing() []string {
	var names []string
	for _, m := range s.cluster.models {
		for _, g := range m.SubGraphs {
			name := g.Name
			if s.cluster.publishes() {
				name = m.Name + ":" + g.Name
			}
			served := false
			for _, key := range s.order {
				served = served || strings.HasPrefix(key, name+"/")
			}
			if !served {
				names = append(names, name)
			}
		}
	}
	return names
}

// serviceMap asks the first running pod for all services that it knows. It returns these services
// and the pod's name.
func serviceMap(cluster runners.Cluster) (entries []ServiceEntry, asked string) {
	for _, p := range cluster.Pods() {
		state, err := cluster.PodState(p.Name)
		if err != nil || !state.Running {
			continue
		}
		seen := map[string]bool{}
		for _, kind := range []string{"ps", "entry", "dense"} {
			list, err := cluster.HeartBeat(p.Name, kind)
			if err != nil {
				continue
			}
			for _, a := range list {
				if !seen[a.Key] {
					seen[a.Key] = true
					entries = append(entries, ServiceEntry{a.Key, a.Addrs})
				}
			}
		}
		sort.SliceStable(entries, func(i, j int) bool { return entries[i].Key < entries[j].Key })
		return entries, p.Name
	}
	return nil, ""
}
