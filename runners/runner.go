// Package runners is where a scenario or a case meets an implementation: the interface that
// every runner offers, and the plain types that go through it.
//
// Two things to use first:
//
//   - [Runner] builds a [Cluster] from a [Spec]; runners/test/simrun does so in
//     virtual time.
//   - [Cluster] is acted on and observed.
//
// Steps and commands know an implementation only by these interfaces. [Operations] is the
// one that needs no cluster: single operations of the agents' code.
//
// To change
//
//   - what a cluster is made of, or what a fault may hit: engine/cluster, whose types have a second
//     name in spec.go;
//   - what can be done to a cluster: this file;
//   - what can be observed: observe.go;
//   - calls to model servers: modelserver.go;
//   - training jobs: training.go;
//   - the settings that agents start from: conf.go;
//   - how to wait for something: wait.go;
//   - which pods agents list: discovery.go.
package runners

import (
	"time"
)

// Runner builds clusters, several of which may exist at the same time. Its methods may be called
// from several goroutines.
type Runner interface {
	// Name returns the runner's name in reports, for example "sim".
	Name() string
	// Build makes a cluster without starting it. An invalid spec gives a *SpecError.
	Build(spec Spec) (Cluster, error)
	// Faults lists the kinds of faults that the runner's clusters support, sorted by name.
	// Scenarios for this runner may use the sentences of these faults.
	Faults() []FaultKind
}

// Checker is a runner that can check a spec before Build. So scenarios with an invalid spec are
// refused before any scenario runs.
type Checker interface {
	// Check returns an error for settings that no agent has, and for profiles that no server has.
	// It accepts empty fields.
	Check(spec Spec) error
}

// Scheduler is a cluster that can end faults by itself at a given time.
type Scheduler interface {
	// EndFaultAfter makes a fault end after d of cluster time. If ending it fails, the Pass that
	// reaches that time returns the error.
	EndFaultAfter(f Fault, d time.Duration) error
}

// Operations is a runner that can run single operations of the agents' code. The inputs are golden
// cases that were recorded from the reference.
type Operations interface {
	// Operation runs the golden case with the given id. quirks has the form of Spec.Quirks. An
	// unknown id gives a *SpecError.
	Operation(id, quirks string) (Answer, error)
}

// Answer is the answer to a golden case.
type Answer struct {
	// JSON is the returned value, or {"e": {"type", "message"}} for a raised error. Nested calls
	// are {"r": value} or {"e": ...}. Bytes are written as text if possible, and messages in
	// protobuf's JSON form.
	JSON []byte
	// Differs describes how JSON differs from the recorded answer; "" means equal.
	Differs string
}

// Cluster is one cluster under test. Its pods have names such as "shard0-replica1". Its methods
// must be called by one goroutine only. Methods that need cluster time let it pass.
type Cluster interface {
	Actor
	Observer
	// Close ends all processes of the cluster and frees its resources. It must be called once.
	Close()
}

// Actor is the part of a cluster that changes it.
type Actor interface {
	// Start starts all pods at once.
	Start() error
	// Pass lets d of cluster time pass, or less if until returns true. until may be nil. It is
	// called at the start, after every Resolution of time, and at the end. met is its last result.
	// The error is a failure of the cluster itself, such as a panic in it.
	Pass(d time.Duration, until func() bool) (met bool, err error)

	// Declare writes the deploy config of model:subGraph.
	Declare(model, subGraph, basePath, policy string) error
	// Publish adds sub-graphs of a model to a layout, and Unpublish removes them. Each works on one
	// sub-graph after the other, in one ZooKeeper session.
	Publish(layout, model string, subGraphs ...string) error
	Unpublish(layout, model string, subGraphs ...string) error
	// WriteZnode creates or sets a persistent znode, and creates missing parents.
	WriteZnode(path string, data []byte) error
	// DeleteZnode deletes a znode and everything below it.
	DeleteZnode(path string) error

	// ExportVersion adds a version directory of sizeBytes below a base path.
	ExportVersion(basePath string, version, sizeBytes int64) error
	// DeleteVersion removes a version directory below a base path. version 0 removes the whole base
	// path.
	DeleteVersion(basePath string, version int64) error
	// StartPod starts a pod that has ended. It does nothing to a running pod.
	StartPod(pod string) error

	// BeginFault begins a fault, and EndFault ends it. Momentary faults, such as the death of a
	// process, are not ended. The error says what is wrong with the fault, such as an unknown pod.
	// It is ErrUnsupported if the cluster cannot have the fault. After an error the cluster is
	// unchanged.
	BeginFault(f Fault) error
	EndFault(f Fault) error
}

// Resolution is the cluster time between two calls of the function until that Pass gets. Pass stops
// with this precision.
const Resolution = 100 * time.Millisecond
