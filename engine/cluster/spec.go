package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
)

// Spec is a cluster to build. The zero value of a field has the meaning that its
// comment gives.
type Spec struct {
	// Seed decides every choice of the run.
	Seed uint64
	// Conf is the text of the agent.conf that every pod has, in the reference's
	// format; ConfName is what messages call it, "" means "agent.conf".
	Conf, ConfName string
	// Shards and Replicas say how many pods there are: one for each replica of each
	// shard. 0 means 1.
	Shards, Replicas int
	// Groups, unless empty, are the pods in the place of those that Conf, Shards and Replicas say:
	// groups with a conf each, as entry and PS containers have.
	Groups []Group
	// Locations are where the replicas run: replica r of every shard is in
	// Locations[r % len]; none means one place, idc "lf", cluster "default".
	Locations []Location
	// Env holds environment variables of every pod, over those that the runner sets
	// (SHARD_ID, REPLICA_ID, MONOLITH_HOST_SHARD_N, MY_HOST_IP, MY_POD_NAME,
	// TCE_INTERNAL_IDC, TCE_LOGICAL_CLUSTER, TCE_PSM, MONOLITH_TFS_BINARY).
	// An empty value removes the variable.
	Env []EnvVar
	// Models holds exported before the start.
	Models []Model
	// ZooKeeper is a profile: "zookeeper-3.8" (default), "zookeeper-3.9" or
	// "kazoo-fake", in which every process has a tree of its own and no server runs.
	ZooKeeper string
	// ModelServer is a profile: "tfs-2.4" (default), "tfs-head" or "python-fake".
	ModelServer string
	// Serving is how model servers run, beyond profile and flags.
	Serving ServingSpec
	// BareServer, when set, is a model server without an agent, in a pod of its own;
	// with Shards 0 there are no other pods then.
	BareServer *BareServerSpec
	// Training is a training job beside the agents; nil means none. With Shards 0 there are
	// no agents then.
	Training *TrainingSpec
	// Quirks says which faults of the reference agents and training jobs keep: "python"
	// (default), "fixed", a list of the only ones as "Q22,Q117", or one of the only
	// ones to repair as "-Q22,-Q117".
	Quirks string
	// Outlive keeps model servers and children running after the agent that started them has ended.
	// Without it a pod is a container, which ends with its first process.
	Outlive bool
	// Python is the version of the interpreter that runs the agents, as "3.8"; "" means 3.11.
	Python string
	// Faults has the kinds of faults that the scenario can begin, which some runners need other
	// servers for; nil where nobody knows.
	Faults []string
	// RestartAfter is how long after its end a pod is started again; 0 means never.
	RestartAfter time.Duration
	// Choices fix single choices of the run; all others follow from Seed.
	Choices []env.Choice
	// Chance says where the other choices come from: by default from Seed; with ChanceRecorded too,
	// and the run's tape is kept; with ChanceNone every one of them is its default, whatever Seed is.
	Chance Chance
	// Watch has the invariants of the agents checked while the cluster runs. The run itself stays
	// the same.
	Watch bool
	// Record keeps the events numbered from RecordFrom up to RecordTo (0: no end)
	// in the trace.
	Record               bool
	RecordFrom, RecordTo uint64
	// Detail has everything observed that a runner can see, calls, log lines from INFO
	// on, faults and remarks too, each with its cause, and keeps all of it. The run
	// itself stays the same.
	Detail bool
	// NoLeaps has every step of loops that poll happen as an event by itself, in place of
	// leaping over those that bring nothing new: slower, and the same otherwise.
	NoLeaps bool
	// Replay is the command that repeats this run, for failure messages.
	Replay string
}

// Chance says where the choices of a run come from that Spec.Choices does not fix.
type Chance uint8

// The values of Spec.Chance.
const (
	ChanceDrawn Chance = iota
	ChanceRecorded
	ChanceNone
)

// Group is a group of pods with an agent.conf of their own. Its pods are named after it.
type Group struct {
	// Name is what the pods' names begin with, Conf the text of their agent.conf, and ConfName what
	// messages call that.
	Name, Conf, ConfName string
	// Shards and Replicas say how many pods there are, as in Spec. HostShards is what the pods are
	// told of the number of shards, which for an entry is that of its PS.
	Shards, Replicas, HostShards int
}

// Location is a data centre and a cluster in it.
type Location struct{ IDC, Cluster string }

// EnvVar is one environment variable.
type EnvVar struct{ Key, Value string }

// Model is an exported model: one directory below BasePath per sub-graph.
type Model struct {
	Name string
	// BasePath holds the sub-graphs' directories.
	BasePath  string
	SubGraphs []SubGraph
}

// SubGraphNames returns the names of its sub-graphs.
func (m *Model) SubGraphNames() []string {
	return lists.Map(m.SubGraphs, func(g SubGraph) string { return g.Name })
}

// SubGraphPath returns the base path of a sub-graph, in which its versions are.
func (m *Model) SubGraphPath(name string) string {
	return strings.TrimSuffix(m.BasePath, "/") + "/" + name
}

// SubGraph is one graph of a model with the versions that were exported, each of
// SizeBytes.
type SubGraph struct {
	Name      string
	SizeBytes int64
	Versions  []int64
	// Incomplete lists those of Versions whose folder has no saved_model.pb, which no server loads.
	Incomplete []int64
}

// BareServerSpec is a model server without an agent.
type BareServerSpec struct {
	// Flags holds its command line.
	Flags []string
}

// ServingSpec is how all model servers of a cluster run, beyond their flags. Nil
// and zero values leave the default.
type ServingSpec struct {
	// MemoryLimitBytes is what a server may use before it is killed; 0 means no limit.
	MemoryLimitBytes int64
	// RetainedPercent of the memory of an unloaded model stays with the process.
	RetainedPercent *int
	// PredictTime is how long a Predict takes while nothing loads.
	PredictTime time.Duration
	// A version takes LoadTime and a second for each LoadBytesPerSecond on disk to load,
	// and then RAMPerDiskByte of memory for each byte.
	LoadTime           time.Duration
	LoadBytesPerSecond int64
	RAMPerDiskByte     float64
	// FakeBugs lets the profile python-fake keep the faults of its queue.
	FakeBugs bool
	// FakeSwitches lets the thread of python-fake run within calls (Q229).
	FakeSwitches bool
	// NoDefaultModel leaves the model `default` out, which every pod has otherwise.
	NoDefaultModel bool
}

// BareServer is the name of the pod whose first process is a model server without
// an agent, where Spec.BareServer asks for one.
const BareServer = "model-server"

// Pod is one container of a cluster.
type Pod struct {
	Name           string
	Shard, Replica int
	Location       Location
	// Group is the number of its group, from 1; 0 where the spec has none.
	Group int
}

// ConfOf returns the agent.conf of a pod and the number of shards that it is told.
func (s *Spec) ConfOf(p Pod) (conf string, shards int) {
	if p.Group == 0 {
		return s.Conf, max(s.Shards, 1)
	}
	g := &s.Groups[p.Group-1]
	return g.Conf, max(g.HostShards, g.Shards, 1)
}

// PodName returns the name of the pod of a replica of a shard: "shard0-replica1".
func PodName(shard, replica int) string { return fmt.Sprintf("shard%d-replica%d", shard, replica) }

// Pods lists the pods with agents, shard by shard.
func (s *Spec) Pods() []Pod {
	if (s.BareServer != nil || s.Training != nil) && s.Shards == 0 {
		return nil
	}
	locations := s.Locations
	if len(locations) == 0 {
		locations = []Location{{IDC: "lf", Cluster: "default"}}
	}
	var pods []Pod
	add := func(group int, prefix string, shards, replicas int) {
		for shard := range max(shards, 1) {
			for replica := range max(replicas, 1) {
				pods = append(pods, Pod{Name: prefix + PodName(shard, replica), Shard: shard, Replica: replica, Location: locations[replica%len(locations)], Group: group})
			}
		}
	}
	for i, g := range s.Groups {
		add(i+1, g.Name+"-", g.Shards, g.Replicas)
	}
	if len(s.Groups) == 0 {
		add(0, "", s.Shards, s.Replicas)
	}
	return pods
}

// SpecError says what is wrong with a spec, for a person. A runner returns it
// before anything has started.
type SpecError struct {
	// Where is a file and line, or a field.
	Where string
	Found string
	// Want may be empty.
	Want string
}

func (e *SpecError) Error() string {
	s := e.Where + ": found " + e.Found
	if e.Want != "" {
		s += ", want " + e.Want
	}
	return s
}
