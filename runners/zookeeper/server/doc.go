// Package server runs a real ZooKeeper server, the one of Debian's package libzookeeper-java, on
// the loopback with a temporary directory.
//
// Three things to use first:
//
//   - [ForTest] starts a server for a test, and skips the test where none is installed.
//   - [NewEnsemble] starts several that elect a leader.
//   - [Server.Stop] stops it, and [Server.Start] starts it again with the data that it had
//     acknowledged.
//
// To change
//
//   - the server's settings: config.go
//   - how it starts and ends: server.go
//   - several of them: ensemble.go
//
// Unstable: any commit may change it.
package server
