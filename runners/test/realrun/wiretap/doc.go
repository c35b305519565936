// Package wiretap decodes the traffic between clients and a server, and reports what the clients did.
// It works with any server and any clients.
//
// Things to use first:
//
//   - [ZooKeeper] reads all connections to one ZooKeeper, or to an ensemble, and tells of sessions,
//     writes and reads.
//   - [ZooKeeper.Connect] begins one connection, whose frames a relay passes to [Conn.Request] and
//     [Conn.Answer].
//   - [GRPC] and [REST] read a connection to a model server, and tell of calls.
//
// An act is reported once the server has answered. Two things show in no answer, so the caller has to
// look for them on the server. A session that expires shows in the deletion of its ephemerals: watch
// the ephemerals that [ZooKeeper.Born] gets, and call [ZooKeeper.Gone]. A create whose connection was
// lost may have happened: watch the paths that [ZooKeeper.Unanswered] gets, and call [ZooKeeper.Made].
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
