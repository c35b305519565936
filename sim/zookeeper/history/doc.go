// Package history records what the clients of a simulated ZooKeeper see, and checks
// it against what ZooKeeper promises.
//
// Two things to use first:
//
//   - [History]: given to every client (node.Clients.History) and to the server
//     (zookeeper.Config.OnWrite, [History.Wrote]), it has all answers, events and writes
//     of a run.
//   - [History.Check]: whether that is what ZooKeeper promises, and if not, what the
//     first thing is that was seen against it.
//
// To change what is recorded look in history.go; what is checked of each answer and
// of the order of writes, check.go; what is checked of each client's view and watches,
// clients.go.
package history
