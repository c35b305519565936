// Package agentcheck checks the invariants of agents while a cluster runs, and whether a cluster
// that nothing disturbs any more is as it should be.
//
// Two things to use first:
//
//   - [New] makes the checker of a cluster. The runner calls its methods with what happens:
//     observations and faults. [Checker.Look] checks what is due; [Checker.Broken] lists the
//     invariants that broke.
//   - [Checker.Whole] and [Checker.Quiet] check what has to be so once the faults are over.
//
// What should be follows from the cluster itself: from the layouts and deploy configs in
// ZooKeeper, the versions in the stores, the filters and the pods. The checker takes no virtual
// time and draws nothing, with one exception: Whole asks the agents over the network once all
// that costs nothing is as it should be.
//
// To change what is checked
//
//   - at any time: ghosts.go for registrations that outlive their server, owners.go for those of
//     another pod, order.go for the order of starts, loads.go for what was served when, late.go for
//     agents that do not follow what is registered, rough.go for locks of rough sort models
//   - once the faults are over: whole.go
//   - what a pod has to serve: v3.go and v1.go
//   - after that: quiet.go
//
// Cost: each Look goes over all registrations, for each agent, and Whole over all pods and models.
//
// Unstable: any commit may change it.
package agentcheck
