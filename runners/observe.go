package runners

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Observer is what can be seen of a cluster. What asks an agent is a call over the
// network: it takes cluster time, up to CallTimeout. An unknown pod is an error that
// lists the known ones.
type Observer interface {
	// Now is the cluster time since Start.
	Now() time.Duration
	// Pods lists the pods with agents, shard by shard, whether they run or not.
	Pods() []Pod

	// HeartBeat asks the agent of a pod for the addresses of every task that it knows,
	// sorted by key; serverType is "ps", "entry" or "dense". An *env.RPCError is what
	// the agent answered, or what the client says when nobody answers.
	HeartBeat(pod, serverType string) ([]Addresses, error)
	// GetReplicas asks the agent of a pod for the addresses of one task; errors are as
	// with HeartBeat.
	GetReplicas(pod, serverType string, task int) ([]string, error)
	// GetResource asks the agent of a pod for its place and its memory; errors are as
	// with HeartBeat.
	GetResource(pod string) (Resource, error)

	// ModelStatus asks a model server of a pod for all versions of a model.
	ModelStatus(pod, kind, model string) ([]env.ModelVersionStatus, error)
	// PodState returns how a pod is right now.
	PodState(pod string) (PodState, error)
	// ReadFile reads a file of a pod, by its absolute path there.
	ReadFile(pod, path string) ([]byte, error)

	// Znode looks at ZooKeeper's tree, without a session; ok is false for a missing
	// znode.
	Znode(path string) (node Znode, ok bool, err error)

	// Log is what the implementation did so far, in order. It must not be changed.
	Log() []Observation
	// Stats are the counts of the run so far.
	Stats() Stats
	// Failure describes what broke the run itself, as a panic of an agent's code, and is
	// "" while nothing did. After a failure the cluster goes on no more.
	Failure() string
}

// CallTimeout is the cluster time after which an observing call gives up.
const CallTimeout = 5 * time.Second

// Tester names the processes of a simulated cluster that call its servers for the
// scenario. Other runners call from outside, so what was done does not include them.
const Tester = "client"

// Addresses are the addresses of one key of a HeartBeat answer; they are sorted
// by key.
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

// PodState is how a pod is.
type PodState struct {
	// Running is set while the pod runs, which is as long as its agent does.
	Running bool
	// ExitCode is that of the last agent that ended; -9 is SIGKILL.
	ExitCode int
	// Starts counts how often the pod was started.
	Starts int
	// ModelServers are the running model servers by kind, sorted.
	ModelServers []ModelServerState
	// IP is the pod's address.
	IP string
}

// ModelServerState is one running model server.
type ModelServerState struct {
	Kind string
	Port int
	// ConfigFile is its model config file.
	ConfigFile string
}

// Znode is one znode.
type Znode struct {
	Path      string
	Data      []byte
	Children  []string
	Ephemeral bool
	Version   int32
}

// Narrator is a cluster whose log, in a run with Spec.Detail, has a line for what is
// about to be done to it, so that causes lead back to that.
type Narrator interface {
	// Remark takes a line down at the present instant.
	Remark(text string)
}

// Meter is a cluster that knows the load that it bears.
type Meter interface {
	// Load is what the cluster holds now, and what its ZooKeeper was asked for so far.
	Load() Load
}

// Keeper is a cluster whose processes have written logs.
type Keeper interface {
	// Keep has the directory with the logs stay after Close, and names it.
	Keep() string
}

// Chooser is a cluster that knows where the random choices of its run were made.
type Chooser interface {
	// ChoiceSites are the places of choices so far, those of a node together.
	ChoiceSites() []ChoiceSite
}

// ChoiceSite is where choices were made: Choice.K of these is below Times.
type ChoiceSite struct {
	Node, Site string
	Times      uint64
}

// Tracer is a cluster whose run can be compared with another of the same spec.
type Tracer interface {
	// Divergence finds the first event in which two runs differ; both must be over
	// and not closed. equal says that there is none. text says what is known of it
	// to a person: the event and its causes when it was recorded by both runs, else
	// only about where. It lies among the events [from, to), which are those to
	// record in order to see it.
	Divergence(other Cluster) (text string, from, to uint64, equal bool)
}

// Blind is a cluster whose log lacks what a simulated one's has.
type Blind interface {
	// Unseen are the topics of Observation.Op, before the dot, of which the log has
	// nothing although it may have happened: "rpc" where nobody sees the calls between
	// pods, and "child" where nobody sees the processes that an agent has forked.
	Unseen() []string
}
