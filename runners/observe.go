package runners

import (
	"time"

	"github.com/monosim/monosim/engine/env"
)

// Observer is what can be seen of a cluster. Calls over the network take cluster
// time, up to CallTimeout.
type Observer interface {
	// Now is the cluster time since Start.
	Now() time.Duration
	Pods() []Pod

	// HeartBeat asks the agent of a pod; serverType is "ps", "entry" or "dense". An
	// *env.RPCError is an answer too.
	HeartBeat(pod, serverType string) ([]Addresses, error)
	// GetReplicas asks the agent of a pod for one task.
	GetReplicas(pod, serverType string, task int) ([]string, error)
	// GetResource asks the agent of a pod.
	GetResource(pod string) (Resource, error)

	// ModelStatus asks a model server of a pod for all versions of a model.
	ModelStatus(pod, kind, model string) ([]env.ModelVersionStatus, error)
	// PodState tells how a pod is.
	PodState(pod string) (PodState, error)
	// ReadFile reads a file of a pod.
	ReadFile(pod, path string) ([]byte, error)

	// Znode looks at ZooKeeper's tree; ok is false for a missing znode.
	Znode(path string) (node Znode, ok bool, err error)

	// Log is what the implementation did so far.
	Log() []Observation
	// Stats are counts of the run so far.
	Stats() Stats
	// Failure describes what broke the run itself, "" for nothing.
	Failure() string
}

// CallTimeout is the limit of an observing call.
const CallTimeout = 5 * time.Second

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
	// Running says whether the agent runs.
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

// Observation is one thing that an implementation did.
type Observation struct {
	At   time.Duration
	Pod  string // who did it: a pod, "zookeeper", "operator"
	Op   string // "zookeeper.create", "modelserver.state", "process.start", ...
	Path string // znode, model, program, method
	// Note is what else there is to say, in a few words.
	Note string
}

// Stats are counts of a run.
type Stats struct {
	// Events is the number of events of the engine.
	Events uint64
	// TraceHash is the rolling hash of the run.
	TraceHash uint64
	// Virtual is the cluster time that has passed.
	Virtual time.Duration
	// ZooKeeper counts requests by operation, sorted by name; Writes and Watches
	// are sums.
	ZooKeeper                        []Count
	ZooKeeperWrites, WatchesFired    uint64
	SessionsOpened, SessionsExpired  uint64
	RPCs                             []Count
	ModelServerCalls, MessagesOnWire uint64
}

// Count is a named number.
type Count struct {
	Name string
	N    uint64
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
