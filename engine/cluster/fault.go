package cluster

import (
	"errors"
	"strings"
	"time"
)

// ErrUnsupported is what a runner returns, wrapped or as it is, when it is asked
// for what it cannot do. It says nothing against the cluster under test: scenarios
// that meet it are skipped.
var ErrUnsupported = errors.New("this runner cannot do that")

// Fault is one thing that goes wrong in a cluster: what happens, and what it hits.
// Of the fields below Kind only those count that the kind's sentences name; the
// others stay zero.
type Fault struct {
	// Kind is the Name of a FaultKind, as "zookeeper.down".
	Kind string
	// Pod is the pod that is hit.
	Pod string
	// Server says which of the pod's model servers is hit: "ps", "entry" or "dense",
	// and "" in a pod that runs only one.
	Server string
	// BasePath is the directory that has a sub-graph's version directories, or a file that
	// processes of a training job share.
	BasePath string
	// N is a number: of a version, or of requests.
	N int64
	// SizeBytes is the size of a version's variables.
	SizeBytes int64
	// Duration is a delay.
	Duration time.Duration
	// From and To are two groups of places. A place is the name of a pod,
	// "zookeeper", or "idc:<name>" for all pods of a data centre.
	From, To []string
}

// FaultKind says what can go wrong in a cluster, for people and for scenarios.
//
// A sentence is Gherkin with a word in braces where an argument stands, as
// "{pod} is served by a ZooKeeper follower that lags by {duration}". The words fill
// the fields of a Fault: {pod} Pod, {server} Pod and Server, {model} and {path} BasePath,
// {n} and {status} N, {size} SizeBytes, {duration} Duration, the first {places} From
// and the second To.
// An empty sentence means that the kind has none of that use.
type FaultKind struct {
	// Name is "<topic>.<what>": the part of the cluster that is hit, and how. Lists
	// of kinds are sorted by it.
	Name string
	// Help says in one sentence what the fault does.
	Help string
	// Fatal says why a cluster need not be whole again once the fault is over, "" where it has to.
	Fatal string
	// Lasts begins the fault; followed by "for 12s" it lets that time pass and ends
	// the fault again.
	Lasts string
	// Begins begins the fault, and Ends ends it.
	Begins, Ends string
	// Onset begins the fault too; followed by "for 12s" it lets no time pass, and the
	// fault ends by itself that much later.
	Onset string
}

// Topic returns the part of the cluster that faults of this kind hit: what stands
// before the dot in Name.
func (k FaultKind) Topic() string {
	topic, _, _ := strings.Cut(k.Name, ".")
	return topic
}
