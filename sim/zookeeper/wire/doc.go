// Package wire puts the simulated ZooKeeper behind real sockets: the codec of the protocol's
// frames (ZK-1, ZK-2, ZK-10), a TCP server around one zookeeper.Machine with the four-letter words
// (ZK-11), and a data directory that survives kill -9. It runs in wall time. The rules of
// ZooKeeper are in package zookeeper, which has neither clock nor sockets.
//
// To use first:
//
//   - [Listen] serves on an address until Close; [ListenEnsemble] starts several servers,
//     one of which leads.
//   - [Decoder] and the Append functions turn frames into messages and back, for servers
//     and for clients.
//
// To change:
//
//   - the fields of a message: the table in sim/zookeeper/opcodes.go
//   - how a field looks on the wire: request.go, reply.go, connect.go, multi.go, jute.go
//   - what a connection may do: options.go and conn.go
//   - how its bytes are read and sent: incoming.go, socket.go, outgoing.go, buffers.go
//   - how one input is handled: turn.go
//   - a four-letter word: words.go, words_state.go
//   - what is kept on the disk: store.go, records.go, snapshotfile.go, package logfile
//   - which files are refused as damaged: damage.go
//   - when it is on the disk: commit.go
//   - the logs of writes: writelog.go, eventlog.go
//   - the faults that an operator asks for: faults.go
//   - several servers: ensemble.go, election.go, member.go
//
// Unstable: any commit may change it.
package wire
