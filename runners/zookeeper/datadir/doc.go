// Package datadir reads and writes the data directory of an Apache ZooKeeper: its snapshots and
// its transaction logs.
//
// Three things to use first:
//
//   - [Load] returns what a server that is started on a directory has: znodes and sessions.
//   - [Transactions] lists the records of the logs.
//   - [Export] writes a state as a directory on which a real server starts.
//
// Nothing is changed in a directory that is read. The files say themselves whether they are sound:
// both kinds have checksums, and since 3.6 a digest of the whole tree stands in a snapshot and behind
// each transaction, which what is read is held to.
//
// To change:
//
//   - which files count, and from where a log is read: load.go
//   - the format of a snapshot: snapshot.go
//   - the format of a log: log.go
//   - the format of one transaction: txn.go
//   - what a transaction does to the tree, and twice: tree.go
//   - what is written: export.go
//
// Comments cite files of Apache ZooKeeper 3.8.0.
//
// Unstable: any commit may change it.
package datadir
