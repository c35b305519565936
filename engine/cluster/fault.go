package cluster

import (
	"errors"
	"strings"
	"time"
)

// ErrUnsupported is the error, possibly wrapped, with which a runner refuses what it cannot do. It
// says nothing about the cluster under test, so scenarios that get it are skipped.
var ErrUnsupported = errors.New("this runner cannot do that")

// Fault is one thing that goes wrong in a cluster: what happens, and what it hits. A kind of fault
// uses only those fields below Kind that its sentences mention. The others stay zero.
type Fault struct {
	// Kind is the Name of a FaultKind, such as "zookeeper.down".
	Kind string
	// Pod is the name of the pod that the fault hits.
	Pod string
	// Server says which of the pod's model servers the fault hits: "ps", "entry" or "dense". It is
	// "" in a pod that runs only one.
	Server string
	// BasePath is the directory with the version directories of a sub-graph, or a file that
	// processes of a training job share.
	BasePath string
	// N is the number of a version, or a number of requests.
	N int64
	// SizeBytes is the size of a version's variables.
	SizeBytes int64
	// Duration is a delay.
	Duration time.Duration
	// From and To are two groups of places. A place is the name of a pod, "zookeeper", or
	// "idc:<name>" for all pods of a data centre.
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
	// Name is "<topic>.<what>": the part of the cluster that the fault hits, and what happens to
	// it. Lists of kinds are sorted by name.
	Name string
	// Help says in one sentence what the fault does.
	Help string
	// Fatal says why a cluster may stay broken after the fault is over. It is "" if the cluster has
	// to recover.
	Fatal string
	// Lasts is a sentence that begins the fault. It is followed by "for 12s": the scenario waits
	// that long, and then the fault ends.
	Lasts string
	// Begins is a sentence that begins the fault, and Ends a sentence that ends it.
	Begins, Ends string
	// Onset is another sentence that begins the fault. It is followed by "for 12s": the scenario
	// goes on at once, and the fault ends by itself after that time.
	Onset string
	// Only is the role of the training processes that the fault can hit, such as "ps". "" means
	// that the fault can hit a process of any role, or hits no training process.
	Only string
}

// Topic returns the part of the cluster that faults of this kind hit: the part of Name before the
// dot.
func (k FaultKind) Topic() string {
	topic, _, _ := strings.Cut(k.Name, ".")
	return topic
}
