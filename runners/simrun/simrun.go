// Package simrun runs clusters in virtual time: the engine's agents on the
// simulated world.
//
// Two things to use first:
//
//   - [Runner] is the runners.Runner to hand to steps and commands.
//   - [Cluster] is what it builds; beyond runners.Cluster it compares two runs
//     ([Cluster.Divergence]).
//
// To change how a spec becomes a world look in build.go; what acts on it, in
// act.go, faults.go and storage.go; what looks at it, in observe.go; how model
// servers are called, in serving.go, and through the agents' own code, in
// monitor.go; how golden cases are answered, in operation.go.
package simrun

import (
	"github.com/monosim/monosim/runners"
)

// Runner builds simulated clusters.
type Runner struct {
	// KeepLog is how many observations a cluster keeps; 0 means all.
	KeepLog int
	// OnObservation, when set, is told of every observation.
	OnObservation func(runners.Observation)
	// CheckOwner verifies every wait of every task, which costs time.
	CheckOwner bool
}

// Name is "sim".
func (r *Runner) Name() string { return "sim" }

// Build makes a cluster that is not started.
func (r *Runner) Build(spec runners.Spec) (runners.Cluster, error) { return r.build(spec) }

var _ runners.Runner = (*Runner)(nil)
