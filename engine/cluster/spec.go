package cluster

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/lists"
)

// Spec describes a cluster to build. The comment of each field says what its zero value means.
type Spec struct {
	// Seed decides every choice of the run.
	Seed uint64
	// Conf is the text of the agent.conf of every pod, in the reference's format. ConfName is its
	// name in messages; "" means "agent.conf".
	Conf, ConfName string
	// Shards and Replicas determine the number of pods: one for each replica of each shard. 0 means
	// 1.
	Shards, Replicas int
	// Groups, unless empty, replaces Conf, Shards and Replicas. Each group has a conf of its own,
	// for example entry containers and PS containers.
	Groups []Group
	// Locations says where the replicas run: replica r of every shard is in Locations[r % len]. If
	// it is empty, all are in idc "lf", cluster "default".
	Locations []Location
	// Env holds environment variables of every pod. They override the variables that the runner
	// sets (SHARD_ID, REPLICA_ID, MONOLITH_HOST_SHARD_N, MY_HOST_IP, MY_POD_NAME, TCE_INTERNAL_IDC,
	// TCE_LOGICAL_CLUSTER, TCE_PSM, MONOLITH_TFS_BINARY). An empty value removes the variable.
	Env []EnvVar
	// Models lists the models that are exported before the cluster starts.
	Models []Model
	// ZooKeeper is a profile: "zookeeper-3.8" (default), "zookeeper-3.9" or "kazoo-fake". With the
	// last no server runs, and every process has a tree of its own.
	ZooKeeper string
	// ModelServer is a profile: "tfs-2.4" (default), "tfs-head" or "python-fake".
	ModelServer string
	// Serving has settings of all model servers that are neither in their profile nor in their
	// flags.
	Serving ServingSpec
	// BareServer, if set, is a model server without an agent, in a pod of its own. If Shards is 0,
	// there are no other pods.
	BareServer *BareServerSpec
	// Training is a training job beside the agents; nil means none. With a job, Shards can be 0,
	// which means no agents.
	Training *TrainingSpec
	// Quirks says which of the reference's faults the agents and training jobs keep: "python" (all,
	// the default), "fixed" (none), a list of the faults to keep, such as "Q22,Q117", or a list of
	// the faults to repair, such as "-Q22,-Q117".
	Quirks string
	// Outlive keeps the child processes of an agent, such as model servers, running after the agent
	// has ended. By default a pod is a container, which ends with its first process.
	Outlive bool
	// Python is the version of the interpreter that runs the agents, such as "3.8"; "" means 3.11.
	Python string
	// Faults lists the kinds of faults that the scenario can begin, because some runners need other
	// servers for them. It is nil if that is not known.
	Faults []string
	// RestartAfter is how long after its end a pod is restarted; 0 means never.
	RestartAfter time.Duration
	// Choices fixes individual random choices of the run. All others follow from Seed.
	Choices []env.Choice
	// Chance says how the choices that are not in Choices are made. By default they follow from
	// Seed. ChanceRecorded also keeps them as the run's tape. With ChanceNone each choice is its
	// default, whatever Seed is.
	Chance Chance
	// Watch checks the invariants of the agents while the cluster runs. It does not change the run.
	Watch bool
	// Record keeps in the trace the events with numbers from RecordFrom to RecordTo (0 means
	// without end).
	Record               bool
	RecordFrom, RecordTo uint64
	// Detail observes and keeps everything that a runner can see, each observation with its cause.
	// That includes calls, log lines from INFO on, faults and remarks. It does not change the run.
	Detail bool
	// Reads also observes what pods read from ZooKeeper, as the operation "read" with the znode as
	// Path and the kind of read as Note. The simulation shows the reads of a polling loop only for
	// those turns that are events (see NoLeaps).
	Reads bool
	// NoLeaps makes every turn of a polling loop an event by itself. By default the simulation only
	// counts the turns that change nothing, and does not play them. The results are the same, but
	// the run is slower with NoLeaps.
	NoLeaps bool
	// Replay is the command that repeats this run, for failure messages.
	Replay string
}

// Chance says how a run makes the choices that Spec.Choices does not fix.
type Chance uint8

// The values of Spec.Chance.
const (
	ChanceDrawn Chance = iota
	ChanceRecorded
	ChanceNone
)

// Group is a group of pods that share an agent.conf. Their names begin with the group's name.
type Group struct {
	// Name is the beginning of the pods' names, Conf the text of their agent.conf, and ConfName the
	// name of that file in messages.
	Name, Conf, ConfName string
	// Shards and Replicas determine the number of pods, as in Spec. HostShards is the number of
	// shards that an environment variable tells the pods. For an entry it is the number of its PS
	// shards.
	Shards, Replicas, HostShards int
}

// Location is a data centre and a cluster in it.
type Location struct{ IDC, Cluster string }

// EnvVar is one environment variable.
type EnvVar struct{ Key, Value string }

// Model is an exported model. It has one directory below BasePath for each sub-graph.
type Model struct {
	Name string
	// BasePath is the directory with the sub-graphs' directories.
	BasePath  string
	SubGraphs []SubGraph
}

// SubGraphNames returns the names of its sub-graphs.
func (m *Model) SubGraphNames() []string {
	return lists.Map(m.SubGraphs, func(g SubGraph) string { return g.Name })
}

// SubGraphPath returns the base path of a sub-graph, which contains its version directories.
func (m *Model) SubGraphPath(name string) string {
	return strings.TrimSuffix(m.BasePath, "/") + "/" + name
}

// SubGraph is one graph of a model, with its exported versions. Each version has SizeBytes.
type SubGraph struct {
	Name      string
	SizeBytes int64
	Versions  []int64
	// Incomplete lists those of Versions whose folder lacks saved_model.pb. No server loads them.
	Incomplete []int64
}

// BareServerSpec describes a model server that runs without an agent.
type BareServerSpec struct {
	// Flags holds the flags of its command line.
	Flags []string
}

// ServingSpec has settings of all model servers of a cluster that are not command line flags. Nil
// and zero values mean the default.
type ServingSpec struct {
	// MemoryLimitBytes is the memory limit of a server, which is killed beyond it; 0 means no
	// limit.
	MemoryLimitBytes int64
	// RetainedPercent is the share of an unloaded model's memory that the process keeps, in
	// percent.
	RetainedPercent *int
	// PredictTime is the duration of a Predict call while no model is being loaded.
	PredictTime time.Duration
	// Loading a version takes LoadTime, plus its size on disk divided by LoadBytesPerSecond. A
	// loaded version takes RAMPerDiskByte bytes of memory for each byte on disk.
	LoadTime           time.Duration
	LoadBytesPerSecond int64
	RAMPerDiskByte     float64
	// FakeBugs lets the profile python-fake keep the faults in its queue of requests.
	FakeBugs bool
	// FakeSwitches lets the thread of python-fake run in the middle of calls (Q229).
	FakeSwitches bool
	// NoDefaultModel leaves out the model `default`, which every pod otherwise has.
	NoDefaultModel bool
}

// BareServer is the name of the pod with a model server without an agent, which Spec.BareServer
// asks for.
const BareServer = "model-server"

// Pod is one container of a cluster.
type Pod struct {
	Name           string
	Shard, Replica int
	Location       Location
	// Group is the number of the pod's group in Spec.Groups, from 1; 0 if there are no groups.
	Group int
}

// ConfOf returns the agent.conf of a pod, and the number of shards for its environment variable.
func (s *Spec) ConfOf(p Pod) (conf string, shards int) {
	if p.Group == 0 {
		return s.Conf, max(s.Shards, 1)
	}
	g := &s.Groups[p.Group-1]
	return g.Conf, max(g.HostShards, g.Shards, 1)
}

// PodName returns the name of the pod of a replica of a shard: "shard0-replica1".
func PodName(shard, replica int) string { return fmt.Sprintf("shard%d-replica%d", shard, replica) }

// Pods lists the pods that run agents, shard by shard.
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

// SpecError says in words what is wrong with a spec. A runner returns it before it has started
// anything.
type SpecError struct {
	// Where is file:line, or the name of a field.
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
