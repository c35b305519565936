// Package worldtest has the surroundings in which tests run code that is written
// against env.Env: in virtual time, on simulated hosts, without anything to set up.
//
// Two things to use first:
//
//   - [Run] runs a function as the only process of a host. There is no ZooKeeper
//     server: [ZooKeeper] is the reference's fake client.
//   - [NewCluster] builds a world.World of pods and keeps a log of what happens;
//     [RunInPod] is Run beside a ZooKeeper server.
//
// What tests of agents share is in engine/agent/agenttest: this package knows no
// agent. To change the host of Run look in case.go; the fake client is in
// zookeeper.go, model servers in modelserver.go, pods in cluster.go.
package worldtest
