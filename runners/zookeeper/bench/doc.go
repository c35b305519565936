// Package bench measures a ZooKeeper server from outside, over TCP and with a client that
// costs nearly nothing (ZK-20, "hand-written jute"), and puts the real server and the
// simulated one side by side.
//
// Three things to use first:
//
//   - [Load.Run]: how fast a server does one operation.
//   - [Compare]: all loads on several servers in turn, with the memory that each
//     has afterwards.
//   - [Hold]: the memory that many sessions take.
//
// To change
//
//   - what is sent: load.go and sessions.go;
//   - how servers are started: server.go;
//   - the table and the aims: table.go.
package bench
