// Package bench measures agents that serve: how often an agent that watches many replicas answers
// HeartBeat over the loopback, how late, and how much memory it takes, beside the reference's own
// agent.
//
// Two things to use first:
//
//   - [Run] measures all of it, as a bench.Report of runners/tfserving/bench with the aims.
//   - [Options] sets the number of replicas, the length of a run, and the measured programs.
//
// Both agents watch the same replicas in the same served ZooKeeper, each with a model server that
// it has started. The client of runners/tfserving/bench asks them, which costs nearly nothing.
//
// To change:
//
//   - what is measured and the aims: bench.go
//   - how an agent is started: agent.go
//   - the replicas: replicas.go
//   - the request and the right answer: heartbeat.go
//
// Unstable: any commit may change it.
package bench
