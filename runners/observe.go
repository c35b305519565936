package runners

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Names of a pod's processes, as the Path of the observations "process.start" and "process.exit".
const (
	AgentProcess       = "agent_service"
	ModelServerProcess = "tensorflow_model_server"
)

// Observer is the part of a cluster that only observes it. Methods that ask an agent make a network
// call, which takes up to CallTimeout of cluster time. The error for an unknown pod lists the known
// pods.
type Observer interface {
	// Now returns the cluster time since Start.
	Now() time.Duration
	// Pods lists the pods with agents, shard by shard, whether they run or not.
	Pods() []Pod

	// HeartBeat asks the agent of a pod for the addresses of every task that it knows, sorted by
	// key. serverType is "ps", "entry" or "dense". An *env.RPCError is either the agent's answer,
	// or the client's own error if no agent answers.
	HeartBeat(pod, serverType string) ([]Addresses, error)
	// GetReplicas asks the agent of a pod for the addresses of one task. Its errors are as those of
	// HeartBeat.
	GetReplicas(pod, serverType string, task int) ([]string, error)
	// GetResource asks the agent of a pod for its address, shard, replica and memory. Its errors
	// are as those of HeartBeat.
	GetResource(pod string) (Resource, error)

	// ModelStatus asks a model server of a pod for all versions of a model.
	ModelStatus(pod, kind, model string) ([]env.ModelVersionStatus, error)
	// PodState returns what a pod is doing now: whether it runs, and its model servers.
	PodState(pod string) (PodState, error)
	// ReadFile reads a file of a pod. path is absolute within the pod.
	ReadFile(pod, path string) ([]byte, error)

	// Znode reads a znode directly from ZooKeeper's tree, without a session. ok is false if it is
	// missing.
	Znode(path string) (node Znode, ok bool, err error)

	// Log returns the observations of the run so far, in order. The caller must not change the
	// list.
	Log() []Observation
	// Stats returns the counts of the run so far.
	Stats() Stats
	// Failure describes what broke the run itself, such as a panic in an agent's code. It returns
	// "" if there was no failure. After a failure no more cluster time passes.
	Failure() string
}

// CallTimeout is the cluster time after which an observing call fails.
const CallTimeout = 5 * time.Second

// Tester is the node name of the processes in a simulated cluster that call its servers for the
// scenario. Other runners make such calls from outside, so comparisons ignore this node.
const Tester = "client"

// Addresses holds one key of a HeartBeat answer and its addresses.
type Addresses struct {
	Key   string
	Addrs []string
}

// Resource is the answer to GetResource.
type Resource struct {
	Address            string
	ShardID, ReplicaID int
	MemoryBytes        int64
}

// PodState describes a pod and its processes at one moment.
type PodState struct {
	// Running says whether the pod's agent runs.
	Running bool
	// ExitCode is the exit code of the agent process that ended last. -9 means that SIGKILL ended
	// it.
	ExitCode int
	// Starts counts how often the pod was started.
	Starts int
	// ModelServers lists the running model servers, sorted by kind.
	ModelServers []ModelServerState
	// IP is the pod's address.
	IP string
	// Others lists ports of the pod at which no model server answers gRPC: those of its agents' service
	// and of REST, of all processes so far. It is nil where nothing listens on a real port.
	Others []int
}

// ModelServerState is one running model server.
type ModelServerState struct {
	Kind string
	Port int
	// ConfigFile is the path of its model config file.
	ConfigFile string
}

// Znode holds the data and the metadata of a znode in ZooKeeper's tree.
type Znode struct {
	Path      string
	Data      []byte
	Children  []string
	Ephemeral bool
	Version   int32
	// Created orders znodes by the time of their creation, as their czxid does.
	Created int64
}

// Narrator is a cluster whose log can hold remarks. With Spec.Detail, a remark announces the next
// action on the cluster, and is logged as the cause of the events that follow.
type Narrator interface {
	// Remark adds a line to the log at the current time.
	Remark(text string)
}

// Meter is a cluster that measures its load.
type Meter interface {
	// Load returns the present contents of the cluster, and its requests to ZooKeeper so far.
	Load() Load
}

// Keeper is a cluster whose processes write logs to a directory.
type Keeper interface {
	// Keep prevents Close from removing the log directory, and returns the directory's path.
	Keep() string
}

// Chooser is a cluster that records at which sites its run made random choices.
type Chooser interface {
	// ChoiceSites lists the sites of random choices so far, grouped by node.
	ChoiceSites() []ChoiceSite
}

// Taped is a cluster that records the random choices of its run (the tape) if Spec.Chance asks for
// it.
type Taped interface {
	// Tape returns the choices so far that differ from their default, in the order of the run. With
	// ChanceRecorded it also returns when each choice was made. A run with ChanceNone and these
	// choices repeats this run.
	Tape() ([]Choice, []time.Duration)
}

// ChoiceSite is a place in the code of a node that made Times random choices. Choice.K numbers the
// choices of a site and is below Times.
type ChoiceSite struct {
	Node, Site string
	Times      uint64
}

// Tracer is a cluster whose events can be compared with those of another run of the same spec.
type Tracer interface {
	// Divergence finds the first event in which two runs differ. Both runs must be over, and
	// neither cluster closed. equal means that no event differs. text describes the event for
	// people: with its causes if both runs recorded the event, otherwise only with its position.
	// [from, to) is the range of events to record in order to see the causes.
	Divergence(other Cluster) (text string, from, to uint64, equal bool)
}

// Mourner is a cluster of processes that can say which of them have ended and with what words.
type Mourner interface {
	// Ended returns a line for each pod whose agent or model servers have ended and not started
	// again. The line says how they ended, and what the agent wrote last. It is for messages of
	// failures.
	Ended() []string
}

// Blind is a cluster whose log lacks some topics that the log of a simulated cluster has.
type Blind interface {
	// Unseen lists the missing topics. A topic is the part of Observation.Op before the dot.
	// Examples are "rpc", if calls between pods cannot be observed, and "child", if processes
	// forked by an agent cannot.
	Unseen() []string
}

// Thrifty is a runner whose agents may read ZooKeeper less often than the simulated ones do.
type Thrifty interface {
	// ReadsLess reports whether comparisons accept fewer reads, because agents may cache what they
	// have read. More reads, and reads at another period, always count as differences.
	ReadsLess() bool
}
