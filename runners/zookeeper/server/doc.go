// Package server runs a real ZooKeeper server, the one of Debian's package
// libzookeeper-java, on the loopback and a temporary directory.
//
// To use first:
//
//   - [ForTest] starts a server for a test, which is skipped where none is
//     installed.
//   - [NewEnsemble] starts several that elect a leader.
//   - [Server.Stop] and [Server.Start] take it away and bring it back with what it
//     had acknowledged.
//
// To change the server's settings look in config.go; how it starts and ends, in
// server.go; several of them, in ensemble.go.
package server
