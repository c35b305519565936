// Package runners is where a scenario or a case meets an implementation: the
// interface that every runner offers, and the plain types that go through it.
//
// Two things to use first:
//
//   - [Runner] builds a [Cluster] from a [Spec]; runners/simrun does so in
//     virtual time.
//   - [Cluster] is acted on and observed. What steps and commands know of an
//     implementation is this interface and nothing else, but for [Operations],
//     single operations of the agents' code without a cluster.
//
// To change what a cluster is made of look in spec.go; what can be done to it,
// in this file; what can be seen of it, in observe.go; calls to model servers and
// faults of the store of models, in modelserver.go.
package runners

import (
	"errors"
	"time"
)

// Runner builds clusters.
type Runner interface {
	// Name names the runner in reports, as "sim".
	Name() string
	// Build makes a cluster that is not started. A spec that makes no sense is a
	// *SpecError.
	Build(spec Spec) (Cluster, error)
}

// ErrUnsupported is what a runner answers to what it cannot do; the scenario is
// then skipped.
var ErrUnsupported = errors.New("this runner cannot do that")

// Operations is a runner that has single operations of the agents' code done too, by
// the golden cases that were recorded from the reference.
type Operations interface {
	// Operation answers the golden case of that id, with quirks as Spec.Quirks has
	// them. An id that nobody knows is a *SpecError.
	Operation(id, quirks string) (Answer, error)
}

// Ensemble is a cluster whose ZooKeeper is an ensemble of servers, with what can
// happen to it. A cluster without one is no Ensemble, or answers ErrUnsupported.
type Ensemble interface {
	// LoseLeader ends every connection to ZooKeeper, and every new one at once,
	// until ElectLeader: an election that takes its time. Sessions do not expire
	// meanwhile, and have their full timeouts after it.
	LoseLeader() error
	ElectLeader() error
	// PlaceOnFollower moves the agent of a pod to a server of its own, which knows
	// of every write only after lag; PlaceOnLeader moves it back. Sessions stay.
	PlaceOnFollower(pod string, lag time.Duration) error
	PlaceOnLeader(pod string) error
	// ReadOnly lets every server of ZooKeeper serve reads only, and only to clients
	// that asked for it; EndReadOnly ends that with an election.
	ReadOnly() error
	EndReadOnly() error
}

// Answer is the answer to a golden case.
type Answer struct {
	// JSON is what was returned, or {"e": {"type", "message"}} for what was raised;
	// calls inside are {"r": what they returned} or {"e": ...}. Bytes are text where
	// they can be, messages are in protobuf's JSON form.
	JSON []byte
	// Differs says how it differs from the recorded answer, "" for not at all.
	Differs string
}

// Cluster is one cluster under test. Pods have names as "shard0-replica1"; see
// Spec.PodName. Every method that takes cluster time lets it pass.
type Cluster interface {
	Actor
	Observer
	// Close ends everything.
	Close()
}

// Actor is what can be done to a cluster.
type Actor interface {
	// Start starts all pods at once.
	Start() error
	// Pass lets d of cluster time pass, or less when until becomes true. until
	// may be nil; it is asked now, at every step of Resolution, and at the end. It
	// reports whether until was true. An error is a failure of the cluster itself,
	// as a panic in it.
	Pass(d time.Duration, until func() bool) (met bool, err error)

	// Declare writes the deploy config of model:subGraph.
	Declare(model, subGraph, basePath, policy string) error
	// Publish adds model:subGraph to a layout, Unpublish removes it.
	Publish(layout, model, subGraph string) error
	Unpublish(layout, model, subGraph string) error
	// WriteZnode creates or sets a persistent znode and its parents.
	WriteZnode(path string, data []byte) error
	// DeleteZnode deletes a znode and everything below it.
	DeleteZnode(path string) error

	// ExportVersion adds a version directory of a size below a base path.
	ExportVersion(basePath string, version, sizeBytes int64) error
	// DeleteVersion removes a version directory; version 0 removes the base path.
	DeleteVersion(basePath string, version int64) error
	// BreakVersion makes loading of the version fail until RepairVersion.
	BreakVersion(basePath string, version int64) error
	RepairVersion(basePath string, version int64) error

	// KillAgent ends the agent of a pod with SIGKILL; StopAgent asks it to end with
	// SIGTERM. The pod ends with its agent, and comes back after
	// Spec.RestartAfter, if that is set.
	KillAgent(pod string) error
	StopAgent(pod string) error
	// KillModelServer ends the pod's model server with SIGKILL; kind is "" for a
	// pod with one only, else ps, entry or dense.
	KillModelServer(pod, kind string) error
	// StartPod starts a pod that has ended.
	StartPod(pod string) error

	// StopZooKeeper ends the ZooKeeper server, StartZooKeeper brings it back with
	// what it had acknowledged.
	StopZooKeeper() error
	StartZooKeeper() error
	// ExpireSession ends the ZooKeeper session of a pod's agent at once.
	ExpireSession(pod string) error
	// LoseAnswers lets ZooKeeper apply the next n requests of a pod without the
	// answer arriving.
	LoseAnswers(pod string, n int) error

	// Cut stops all traffic from the places in from to those in to; Heal lets it
	// flow again. A place is a pod, "zookeeper", or "idc:<name>".
	Cut(from, to []string) error
	Heal(from, to []string) error
	// Slow adds to the latency between the places, both ways.
	Slow(from, to []string, extra time.Duration) error
}

// Resolution is the step of Pass, and so the precision of what it observes.
const Resolution = 100 * time.Millisecond
