// Package zookeepertest holds an env.ZooKeeper to what kazoo does on a ZooKeeper
// server: znodes and errors, the states of a session, what a loss of connection and an
// expired session do to calls, watches, locks and elections. The simulated client and
// the client of a real server pass the same cases.
//
// Two things to use first:
//
//   - [Run] is called by a test of the client.
//   - [World] is the small interface that this test implements: processes, a server
//     and the line between them, which can be cut.
//
// The server is to have a tick of [Tick] and may be shared by all cases: each works
// below a path of its own.
//
// To add a case look in znodes.go, sessions.go, losses.go, watches.go and recipes.go.
package zookeepertest
