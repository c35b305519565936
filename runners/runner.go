// Package runners is where a scenario or a case meets an implementation: the
// interface that every runner offers, and the plain types that go through it.
//
// Two things to use first:
//
//   - [Runner] builds a [Cluster] from a [Spec]; runners/test/simrun does so in
//     virtual time.
//   - [Cluster] is acted on and observed. What steps and commands know of an
//     implementation is this interface and nothing else, but for [Operations],
//     single operations of the agents' code without a cluster.
//
// To change what a cluster is made of, or what a fault may hit, look in engine/cluster,
// whose types have a second name in spec.go; what can be done to a cluster, in this
// file; what can be seen of it, in observe.go; calls to model servers, in
// modelserver.go; the settings that agents start from, in conf.go; how one waits for
// something, in wait.go; who serves what by the agents' own account, in discovery.go.
package runners

import (
	"time"
)

// Runner builds clusters. It may build several that live at the same time, also from
// several goroutines.
type Runner interface {
	// Name names the runner in reports, as "sim".
	Name() string
	// Build makes a cluster that is not started. A spec that makes no sense is a
	// *SpecError.
	Build(spec Spec) (Cluster, error)
	// Faults lists the kinds of faults that its clusters take, sorted by name. Their
	// sentences are part of what scenarios may say to this runner.
	Faults() []FaultKind
}

// Checker is a runner that can tell of a spec that it will not build, before it is asked
// to: scenarios with such a spec are refused as a whole.
type Checker interface {
	// Check says what in a spec there is not: agent settings that no agent has, profiles
	// that no server has. Fields that are not filled in yet are no mistake.
	Check(spec Spec) error
}

// Scheduler is a cluster that ends faults by itself.
type Scheduler interface {
	// EndFaultAfter ends a fault that was begun once d of cluster time has passed from
	// now; what goes wrong then is the error of the Pass in which it is.
	EndFaultAfter(f Fault, d time.Duration) error
}

// Operations is a runner that has single operations of the agents' code done too, by
// the golden cases that were recorded from the reference.
type Operations interface {
	// Operation answers the golden case of that id, with quirks as Spec.Quirks has
	// them. An id that nobody knows is a *SpecError.
	Operation(id, quirks string) (Answer, error)
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

// Cluster is one cluster under test. Pods have names as "shard0-replica1". Its methods
// are called by one goroutine; those that take cluster time let it pass.
type Cluster interface {
	Actor
	Observer
	// Close ends everything that runs and frees it. It must be called once.
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
	// Publish adds sub-graphs of a model to a layout, Unpublish removes them: in one session
	// of ZooKeeper's, one after the other.
	Publish(layout, model string, subGraphs ...string) error
	Unpublish(layout, model string, subGraphs ...string) error
	// WriteZnode creates or sets a persistent znode and its parents.
	WriteZnode(path string, data []byte) error
	// DeleteZnode deletes a znode and everything below it.
	DeleteZnode(path string) error

	// ExportVersion adds a version directory of a size below a base path.
	ExportVersion(basePath string, version, sizeBytes int64) error
	// DeleteVersion removes a version directory; version 0 removes the base path.
	DeleteVersion(basePath string, version int64) error
	// StartPod starts a pod that has ended, and leaves one alone that runs.
	StartPod(pod string) error

	// BeginFault brings a fault about, EndFault ends it. A kind whose faults are over
	// at once, as the death of a process, has no end. The error says what is wrong with
	// the fault, as an unknown kind or pod, or is ErrUnsupported, as for a fault of the
	// ZooKeeper server where none runs; the cluster is then as it was.
	BeginFault(f Fault) error
	EndFault(f Fault) error
}

// Resolution is the step of Pass, and so the precision of what it observes.
const Resolution = 100 * time.Millisecond
