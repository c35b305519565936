// Package wiretap reads what passes between clients and a server, so that it is known what was
// done, whatever the server is and whoever the clients are.
//
// Things to use first:
//
//   - [ZooKeeper] reads all connections to one ZooKeeper, or to an ensemble, and tells of sessions,
//     writes and reads.
//   - [ZooKeeper.Connect] begins one connection, whose frames a relay passes to [Conn.Request] and
//     [Conn.Answer].
//   - [GRPC] and [REST] read a connection to a model server, and tell of calls.
//
// Of an act it tells once the server has answered. What a server does without being asked is the
// end of a session. It shows in ephemerals that are no longer there, so whoever uses this package
// looks after those that [ZooKeeper.Born] gets, and says [ZooKeeper.Gone].
//
// To change
//
//   - what is told of a request: act.go
//   - how sessions begin and end: zookeeper.go
//   - how a part of the tree stands for the whole: chroot.go
//   - what is read of calls to a model server: calls.go
//
// Unstable: any commit may change it.
package wiretap
