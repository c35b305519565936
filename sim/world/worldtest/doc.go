// Package worldtest runs code that is written against env.Env in tests: in virtual time, on
// simulated hosts, without any setup.
//
// Two things to use first:
//
//   - [Run] runs a function as the only process of a host. There is no ZooKeeper server: [ZooKeeper] is
//     the reference's fake client.
//   - [NewCluster] builds a world.World of pods and keeps a log of its observations; [RunInPod] is Run
//     with a ZooKeeper server.
//
// Tests of agents share more in engine/agent/agenttest; this package does not depend on agents. To
// change:
//
//   - the host of Run: case.go
//   - the fake client: zookeeper.go
//   - model servers: modelserver.go
//   - pods: cluster.go
//
// Unstable: any commit may change it.
package worldtest
