// Package bench measures agents that serve: how often an agent that watches many
// replicas answers HeartBeat over the loopback, how late, and what memory it takes,
// beside the reference's own agent.
//
// Two things to use first:
//
//   - [Run]: all of it, as a bench.Report of runners/tfserving/bench with the aims.
//   - [Options] say how many replicas there are, how long a run is, and which programs are
//     measured.
//
// Both agents watch the same replicas in the same served ZooKeeper, each with a model server
// that it has started, and are asked by the client of runners/tfserving/bench, which costs
// nearly nothing.
//
// To change:
//
//   - what is measured and the aims: bench.go
//   - how an agent is started: agent.go
//   - the replicas: replicas.go
//   - the request and which answer is right: heartbeat.go
package bench
