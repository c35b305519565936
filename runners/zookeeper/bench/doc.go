// Package bench measures a ZooKeeper server from outside, over TCP and with a client that costs
// nearly nothing (ZK-20, "hand-written jute"), and compares the real server with the simulated
// one.
//
// Three things to use first:
//
//   - [Load.Run] measures how fast a server does one operation.
//   - [Compare] runs all loads on several servers in turn, and measures their memory afterwards.
//   - [Hold] measures the memory that many sessions take.
//
// To change
//
//   - what is sent: load.go and sessions.go
//   - how servers are started: server.go
//   - the table and the aims: table.go
//
// Unstable: any commit may change it.
package bench
