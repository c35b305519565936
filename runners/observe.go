package runners

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Observer is the part of a cluster that can be observed. Methods that ask an agent make a
// call over the network, which takes cluster time up to CallTimeout. An unknown pod is an
// error that lists the known ones.
type Observer interface {
	// Now returns the cluster time since Start.
	Now() time.Duration
	// Pods lists the pods with agents, shard by shard, whether they run or not.
	Pods() []Pod

	// HeartBeat asks the agent of a pod for the addresses of every task that it knows,
	// sorted by key. serverType is "ps", "entry" or "dense". An *env.RPCError is the
	// agent's answer, or the client's own error if no agent answers.
	HeartBeat(pod, serverType string) ([]Addresses, error)
	// GetReplicas asks the agent of a pod for the addresses of one task. Errors are those
	// of HeartBeat.
	GetReplicas(pod, serverType string, task int) ([]string, error)
	// GetResource asks the agent of a pod for its place and its memory. Errors are those of
	// HeartBeat.
	GetResource(pod string) (Resource, error)

	// ModelStatus asks a model server of a pod for all versions of a model.
	ModelStatus(pod, kind, model string) ([]env.ModelVersionStatus, error)
	// PodState returns the present state of a pod.
	PodState(pod string) (PodState, error)
	// ReadFile reads a file of a pod, by its absolute path there.
	ReadFile(pod, path string) ([]byte, error)

	// Znode reads ZooKeeper's tree without a session; ok is false for a missing znode.
	Znode(path string) (node Znode, ok bool, err error)

	// Log lists what the implementation did so far, in order. The caller must not change
	// it.
	Log() []Observation
	// Stats returns the counts of the run so far.
	Stats() Stats
	// Failure describes what broke the run itself, such as a panic of an agent's code. It
	// returns "" while nothing did. After a failure no more time passes.
	Failure() string
}

// CallTimeout is the cluster time after which an observing call gives up.
const CallTimeout = 5 * time.Second

// Tester names the processes of a simulated cluster that call its servers for the scenario.
// Other runners call from outside of the cluster, so comparisons leave this node out.
const Tester = "client"

// Addresses holds the addresses of one key of a HeartBeat answer.
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

// PodState is the state of a pod.
type PodState struct {
	// Running says whether the pod's agent runs.
	Running bool
	// ExitCode is the exit code of the agent that ended last; -9 means SIGKILL.
	ExitCode int
	// Starts counts how often the pod was started.
	Starts int
	// ModelServers lists the running model servers, sorted by kind.
	ModelServers []ModelServerState
	// IP is the pod's address.
	IP string
}

// ModelServerState is one running model server.
type ModelServerState struct {
	Kind string
	Port int
	// ConfigFile is the path of its model config file.
	ConfigFile string
}

// Znode is a znode as read from the tree.
type Znode struct {
	Path      string
	Data      []byte
	Children  []string
	Ephemeral bool
	Version   int32
	// Created orders znodes by when they were made, as their czxid does.
	Created int64
}

// Narrator is a cluster whose log can hold remarks. With Spec.Detail a remark says what is
// about to be done to the cluster, and is the cause of what follows.
type Narrator interface {
	// Remark adds a line to the log at the present instant.
	Remark(text string)
}

// Meter is a cluster that measures its load.
type Meter interface {
	// Load returns what the cluster holds now, and the requests to ZooKeeper so far.
	Load() Load
}

// Keeper is a cluster whose processes write logs to a directory.
type Keeper interface {
	// Keep has that directory stay after Close, and returns its path.
	Keep() string
}

// Chooser is a cluster that records where the random choices of its run were made.
type Chooser interface {
	// ChoiceSites lists the sites of choices so far, grouped by node.
	ChoiceSites() []ChoiceSite
}

// Taped is a cluster that keeps the tape of its run, if Spec.Chance asks for it.
type Taped interface {
	// Tape returns the choices so far that differ from their default, in the order in which they
	// were made, and with ChanceRecorded when each was. With the choices and ChanceNone the run is the
	// same again.
	Tape() ([]Choice, []time.Duration)
}

// ChoiceSite is a site where choices were made. Choice.K of each is below Times.
type ChoiceSite struct {
	Node, Site string
	Times      uint64
}

// Tracer is a cluster whose run can be compared with another of the same spec.
type Tracer interface {
	// Divergence finds the first event in which two runs differ. Both must be over and not
	// closed. equal says that there is none. text describes the event for people: with its
	// causes if both runs recorded it, else only where it lies. [from, to) are the events
	// to record in order to see it.
	Divergence(other Cluster) (text string, from, to uint64, equal bool)
}

// Blind is a cluster whose log lacks topics that a simulated cluster's log has.
type Blind interface {
	// Unseen lists these topics: the part of Observation.Op before the dot. Examples are
	// "rpc", if the calls between pods cannot be observed, and "child", if the processes
	// that an agent forks cannot.
	Unseen() []string
}
