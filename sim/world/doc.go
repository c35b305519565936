// Package world builds a cluster in virtual time from a spec: pods that run an
// agent and its model servers, or a model server alone, a ZooKeeper, a store of
// exported models, a network between them.
//
// Two things to use first:
//
//   - [New] builds a [World] from a [Spec]; [World.Start] starts the pods.
//   - [Pod] is one container: what runs in it, how often it was started, how it
//     ended.
//
// The agent itself is a program that the spec brings along: sim knows nothing of
// its code. To change what a pod finds on its disk and in its environment look in
// pod.go; how model servers are run, in modelserver.go; what is written down of a
// run, in observe.go.
package world
