// Package simrun runs clusters in virtual time: the engine's agents on the simulated world.
//
// Two things to use first:
//
//   - [Runner] is the runners.Runner to pass to steps and commands.
//   - [Cluster] is what it builds; beyond runners.Cluster it compares two runs
//     ([Cluster.Divergence]).
//
// To change
//
//   - how a spec becomes a world: build.go
//   - what an operator does: act.go, and runners/test/operator for all runners
//   - what is observed: observe.go
//   - how model servers are called: serving.go
//   - how the agents' own code calls them: monitor.go
//   - what can go wrong in a cluster: sim/fault
//
// Of this package [Runner] is stable; any commit may change the rest.
package simrun

import (
	"github.com/monosim/monosim/engine/agent/agentconfig"
	"github.com/monosim/monosim/runners"
	"github.com/monosim/monosim/sim/world"
)

// Runner builds simulated clusters. The zero value is ready for use.
type Runner struct {
	// KeepLog is how many observations a cluster keeps, from the first. 0 means all. With
	// Spec.Detail a cluster keeps all, unless OnObservation is set.
	KeepLog int
	// OnObservation, when set, is called with every observation as it is made.
	OnObservation func(runners.Observation)
	// Operations, when set, answers golden cases for scenarios that call single operations of
	// the agents' code. Without it such scenarios fail.
	Operations runners.Operations
	// Traffic counts the ZooKeeper requests by pod, operation and path, for Cluster.Load.
	Traffic bool
	// CheckOwner checks that only the running task waits. It costs about a microsecond for each
	// wait, so it is for tests.
	CheckOwner bool
	// Warm, when set, keeps coroutines from cluster to cluster.
	Warm *Warm
}

// Name is "sim".
func (r *Runner) Name() string { return "sim" }

// Build makes a cluster that is not started. For an inconsistent spec the error is a
// *runners.SpecError.
func (r *Runner) Build(spec runners.Spec) (runners.Cluster, error) { return r.build(spec) }

// Check returns an error for settings of agent.conf that do not exist, and for unknown
// profiles.
func (r *Runner) Check(spec runners.Spec) error {
	name := (&Cluster{spec: spec}).confName()
	for _, p := range agentconfig.UnknownKeys(name, []byte(spec.Conf)) {
		return &runners.SpecError{Where: name, Found: p.Found, Want: p.Want}
	}
	return world.CheckProfiles(spec)
}

var (
	_ runners.Runner  = (*Runner)(nil)
	_ runners.Checker = (*Runner)(nil)
)
