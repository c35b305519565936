// Package loopback runs clusters as processes of the operating system on the loopback: a ZooKeeper
// server, model servers and agents, each a process, on the wall clock or several times faster.
//
// Two things to use first:
//
//   - [New] makes the runners.Runner to pass to steps and commands.
//   - [Options] describes the processes. The agent's is an [AgentProgram], so that agents in any
//     language can be held to the same scenarios.
//
// A pod has an address of its own, 127.x.y.z, and is a process group that ends with its first
// process. It reaches ZooKeeper through a relay of its own, which can cut or slow that connection. A
// tap decodes the traffic of the relays, so that observations are the same with any server.
// Directories of models and of pods lie below [Options.Dir]: a pod's /models/ctr is a directory
// there, and observations leave that prefix out. Every process ends with Close, and when this
// program dies.
//
// To change
//
//   - what a pod finds on its disk and in its environment: pod.go, disk.go
//   - a process of a training job: trainer.go
//   - an operator's calls to it: training.go
//   - its Consul: consul.go
//   - how processes start and end: process.go
//   - what ends them when this program is killed: guard.go
//   - the network between pods and ZooKeeper: relay.go
//   - how its connections begin or fail: door.go, cable_linux.go
//   - how its traffic is decoded: wiretap, beside this folder
//   - how ends of sessions are seen: expiries.go
//   - the servers: zookeeper.go with zookeeper_own.go and zookeeper_other.go, modelserver.go
//   - what an operator does: act.go, runners/test/operator
//   - what it observes: observe.go
//   - what can go wrong: faults.go
//   - how observations are collected: journal.go
//
// Unstable: any commit may change it.
package loopback
