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
//   - what a cluster is made of, or what a fault may hit: engine/cluster, whose types have a
//     second name in spec.go;
//   - what can be done to a cluster: this file; what can be observed: observe.go;
//   - calls to model servers: modelserver.go; training jobs: training.go;
//   - the settings that agents start from: conf.go;
//   - how to wait for something: wait.go; which pods agents list: discovery.go.
package runners

import (
	"time"
)

// Runner builds clusters. Several of them may live at the same time. Its methods may be
// called from several goroutines.
type Runner interface {
	// Name names the runner in reports, for example "sim".
	Name() string
	// Build makes a cluster and does not start it. The error for a spec that makes no sense
	// is a *SpecError.
	Build(spec Spec) (Cluster, error)
	// Faults lists the kinds of faults that its clusters support, sorted by name. Scenarios
	// for this runner may say their sentences.
	Faults() []FaultKind
}

// Checker is a runner that can check a spec before Build, so that scenarios with a bad spec
// are refused before any of them runs.
type Checker interface {
	// Check finds settings that no agent has, and profiles that no server has. It accepts
	// fields that are still empty.
	Check(spec Spec) error
}

// Scheduler is a cluster that ends faults by itself.
type Scheduler interface {
	// EndFaultAfter has a fault end once d of cluster time has passed. An error at that
	// time is returned by the Pass that reaches it.
	EndFaultAfter(f Fault, d time.Duration) error
}

// Operations is a runner that can perform single operations of the agents' code, given by
// the golden cases that were recorded from the reference.
type Operations interface {
	// Operation answers the golden case with an id. quirks has the form of Spec.Quirks. The
	// error for an unknown id is a *SpecError.
	Operation(id, quirks string) (Answer, error)
}

// Answer is the answer to a golden case.
type Answer struct {
	// JSON is the returned value, or {"e": {"type", "message"}} for a raised error. Calls
	// inside are {"r": value} or {"e": ...}. Bytes are written as text where possible,
	// messages in protobuf's JSON form.
	JSON []byte
	// Differs describes how JSON differs from the recorded answer; "" means equal.
	Differs string
}

// Cluster is one cluster under test. Pods have names such as "shard0-replica1". Only one
// goroutine may call its methods. Methods that take cluster time let it pass.
type Cluster interface {
	Actor
	Observer
	// Close ends everything that runs and frees it. It must be called once.
	Close()
}

// Actor is the part of a cluster that can be acted on.
type Actor interface {
	// Start starts all pods at once.
	Start() error
	// Pass lets d of cluster time pass, or less if until returns true. until may be nil. It
	// is called now, at every step of Resolution, and at the end. met is its last answer.
	// The error is a failure of the cluster itself, such as a panic in it.
	Pass(d time.Duration, until func() bool) (met bool, err error)

	// Declare writes the deploy config of model:subGraph.
	Declare(model, subGraph, basePath, policy string) error
	// Publish adds sub-graphs of a model to a layout, and Unpublish removes them, one after
	// the other in one session of ZooKeeper.
	Publish(layout, model string, subGraphs ...string) error
	Unpublish(layout, model string, subGraphs ...string) error
	// WriteZnode creates or sets a persistent znode and its parents.
	WriteZnode(path string, data []byte) error
	// DeleteZnode deletes a znode and everything below it.
	DeleteZnode(path string) error

	// ExportVersion adds a version directory of sizeBytes below a base path.
	ExportVersion(basePath string, version, sizeBytes int64) error
	// DeleteVersion removes a version directory; version 0 removes the base path.
	DeleteVersion(basePath string, version int64) error
	// StartPod starts a pod that has ended. It does nothing to a running pod.
	StartPod(pod string) error

	// BeginFault begins a fault, and EndFault ends it. A fault that is over at once, such
	// as the death of a process, has no end. The error names what is wrong with the fault,
	// such as an unknown pod. It is ErrUnsupported if the cluster cannot have the fault.
	// After an error the cluster is as before.
	BeginFault(f Fault) error
	EndFault(f Fault) error
}

// Resolution is the step of Pass, and so the precision of its observations.
const Resolution = 100 * time.Millisecond
