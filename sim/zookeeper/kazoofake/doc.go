// Package kazoofake is the profile kazoo-fake: the reference's FakeKazooClient
// (mocked_zkclient.py), a client that has its own tree and no server.
//
// Two things to use first:
//
//   - [New] makes a client, which is an env.ZooKeeper once it is started.
//   - [Client.Znodes] lists its tree.
//
// All of it is in client.go, in the order of the reference. ZK-15 lists the differences from a
// server; a test of sim/zookeeper/node compares the two.
//
// Unstable: any commit may change it.
package kazoofake
