// Package zookeepertest is the test suite for an env.ZooKeeper: whether it behaves as kazoo does
// with a ZooKeeper server. It covers znodes and errors, the states of a session, and how calls,
// watches, locks and elections survive the loss of a connection and the end of a session. The
// simulated client and the client of a real server pass the same cases.
//
//   - [Run] runs the suite; the test of a client calls it.
//   - [World] is the small interface that this test implements: processes, a server, and the line
//     between them, which can be cut.
//
// The server must have a tick of [Tick]. All cases may share it, because each uses its own path.
//
// Unstable: any commit may change it.
package zookeepertest
