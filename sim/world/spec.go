package world

import (
	"fmt"
	"strings"
	"time"

	"github.com/monosim/monosim/engine/env"
	"github.com/monosim/monosim/engine/vtime"
	"github.com/monosim/monosim/sim/hosts"
	"github.com/monosim/monosim/sim/network"
	"github.com/monosim/monosim/sim/tfserving"
	"github.com/monosim/monosim/sim/zookeeper"
)

// Spec is what a world is made of. The zero value of a field has the meaning that
// its comment gives.
type Spec struct {
	// Engine has the dials of virtual time, the seed among them.
	Engine vtime.Config
	// Conf is the agent.conf of every pod.
	Conf string
	// Pods are the containers; Shards is how many shards they belong to.
	Pods   []PodSpec
	Shards int
	// Env are environment variables of every pod, over those that the world sets;
	// an empty value removes one.
	Env map[string]string
	// Models are exported before the start.
	Models []Model
	// ZooKeeper and ModelServer are profiles; empty means "zookeeper-3.8" and
	// "tfs-2.4".
	ZooKeeper, ModelServer string
	// Cost is what loading models takes; nil means the default.
	Cost *tfserving.CostModel
	// MemoryLimitBytes is what a model server may use before it is killed (TFS-5.8);
	// 0 means no limit.
	MemoryLimitBytes int64
	// FakeBugs lets the profile python-fake keep the faults of items 4 and 18
	// (TFS-17).
	FakeBugs bool
	// NoDefaultModel leaves the path of the model `default` out, which every pod has
	// otherwise (TFS-16.4).
	NoDefaultModel bool
	// Law is the network's; nil means network.DefaultLaw.
	Law *network.Law
	// RestartAfter is how long after its end a pod starts again; 0 means never.
	RestartAfter time.Duration
	// Agent is the program of the agents; confPath is the file with Conf.
	Agent func(e *env.Env, confPath string)
	// Observe, when set, is told of what happens.
	Observe func(Observation)
	// Logs, when set, takes the log lines of the pods' processes.
	Logs *hosts.Logs
}

// PodSpec is one container.
type PodSpec struct {
	Name           string
	Shard, Replica int
	IDC, Cluster   string
	// Bare says that there is no agent: a model server with Flags is the first process.
	Bare  bool
	Flags []string
}

// Model is a model's directory: one below BasePath for each sub-graph.
type Model struct {
	BasePath  string
	SubGraphs []SubGraph
}

// SubGraph is a directory with versions.
type SubGraph struct {
	Name      string
	SizeBytes int64
	Versions  []int64
}

// FakeZooKeeper is the profile in which each process has a tree of its own.
const FakeZooKeeper = "kazoo-fake"

// zooKeeperProfile reads a profile; fake says that there is no server.
func zooKeeperProfile(name string) (cfg zookeeper.Config, fake bool, err error) {
	switch name {
	case "", "zookeeper-3.8":
		return zookeeper.Config{Profile: zookeeper.V38}, false, nil
	case "zookeeper-3.9":
		return zookeeper.Config{Profile: zookeeper.V39}, false, nil
	case FakeZooKeeper:
		return zookeeper.Config{}, true, nil
	}
	return zookeeper.Config{}, false, fmt.Errorf("zookeeper profile: found %q, want zookeeper-3.8, zookeeper-3.9 or kazoo-fake", name)
}

// LocalPath is where the path of a store is found in a pod's files: a URI as
// hdfs:///a/b lies below /.store/hdfs.
func LocalPath(path string) string { return tfserving.LocalPath(path) }

// top is the first directory of a path, where its store is mounted.
func top(path string) string {
	path = strings.TrimPrefix(LocalPath(path), "/")
	if rest, ok := strings.CutPrefix(path, ".store/"); ok {
		scheme, _, _ := strings.Cut(rest, "/")
		return "/.store/" + scheme
	}
	first, _, _ := strings.Cut(path, "/")
	return "/" + first
}
