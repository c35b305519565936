// Package cluster describes a serving cluster in plain data: what it is built
// from, what can go wrong in it, what it was seen to do, and what was counted. It
// has no behaviour, so that every runner, and the simulated world below one of
// them, speaks of clusters in the same words.
//
// Two things to use first:
//
//   - [Spec] is a cluster to build; [Spec.Pods] lists the containers it asks for.
//   - [Fault] is something that goes wrong in a cluster; [FaultKind] says what
//     there is of that, and the sentences of Gherkin that bring it about.
//
// Package runners gives most of these types a second name, so that code above the runners
// needs one import only.
//
// To change:
//
//   - what a cluster is made of: spec.go
//   - what is counted of a run: counts.go, and with the time, in load.go
//   - what a log of a run has: observation.go
//   - what a fault may hit: fault.go
//
// What each fault does to a simulated cluster is in sim/fault, a file per kind.
//
// Unstable: any commit may change it.
package cluster
