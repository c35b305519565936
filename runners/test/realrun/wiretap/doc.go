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
// It tells of an act once the server has answered. Two things show in no answer, so whoever uses
// this package looks on the server for them. A session that ends by itself shows in an ephemeral
// that is gone: watch those that [ZooKeeper.Born] gets, and call [ZooKeeper.Gone]. A create whose
// connection was lost may have happened: watch what [ZooKeeper.Unanswered] gets, and call
// [ZooKeeper.Made].
//
// To change
//
//   - what is told of a request: act.go
//   - what znodes there are: tree.go
//   - how sessions begin and end: zookeeper.go
//   - what is told of requests without an answer: doubt.go
//   - how a part of the tree stands for the whole: chroot.go
//   - what is read of calls to a model server: calls.go
//
// Unstable: any commit may change it.
package wiretap
