// Package kazoofake is the profile kazoo-fake: the reference's FakeKazooClient
// (mocked_zkclient.py), a client with a tree of its own and no server.
//
// Two things to use first:
//
//   - [New]: a client, which is an env.ZooKeeper once it is started.
//   - [Client.Znodes]: what is in its tree.
//
// All of it is in client.go, in the order of the reference. What differs from a server
// is in ZK-15; sim/zookeeper/node has the test that puts the two side by side.
package kazoofake
