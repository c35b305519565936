// Package world builds a cluster in virtual time from a spec: pods that run an
// agent and its model servers, or a model server alone, a ZooKeeper, a store of
// exported models, a network between them.
//
// Two things to use first:
//
//   - [New] builds a [World] from a cluster.Spec; [World.Start] starts the pods.
//   - [Pod] is one container: what runs in it, how often it was started, how it
//     ended.
//
// The agent itself is a program that [Options] bring along: sim knows nothing of its
// code. To change what a pod finds on its disk and in its environment look in pod.go;
// how model servers are run, in modelserver.go; what a spec means to the simulation, in
// options.go; what is written down of a run, in observe.go, and counted, in counts.go.
// What can go wrong is in sim/fault.
package world
