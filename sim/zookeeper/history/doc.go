// Package history records what the clients of a simulated ZooKeeper see, and checks it against
// ZooKeeper's guarantees.
//
// Two things to use first:
//
//   - [History] records all answers, events and writes of a run. Pass it to every client
//     (node.Clients.History) and to the server (zookeeper.Config.OnWrite, [History.Wrote]).
//   - [History.Check] returns an error for the first observation that the guarantees rule out.
//
// To change:
//
//   - what is recorded: history.go
//   - the checks of answers and of the order of writes: check.go
//   - the checks of each client's view and watches: clients.go
//
// Unstable: any commit may change it.
package history
