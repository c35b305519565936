// Package world builds a cluster in virtual time from a spec: pods that run an agent and its model
// servers, or a model server alone, a ZooKeeper, a store of exported models, and a network between
// them.
//
// Two things to use first:
//
//   - [New] builds a [World] from a cluster.Spec, and [World.Start] starts the pods.
//   - [Pod] is one container: its processes, the number of its starts, and its exit code.
//
// The agent itself is a program in [Options], because sim does not depend on its code. Faults are
// in sim/fault.
//
// To change:
//
//   - a pod's disk and environment: pod.go
//   - how model servers run: modelserver.go
//   - the processes of a training job: trainer.go, application.go
//   - how long code takes: pace.go
//   - what a spec means to the simulation: options.go
//   - what is recorded of a run: observe.go
//   - what is counted: counts.go
//
// Unstable: any commit may change it.
package world
