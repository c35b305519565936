// Package wire puts the simulated ZooKeeper behind real sockets: the codec of
// the protocol's frames (ZK-1, ZK-2, ZK-10), a TCP server around one
// zookeeper.Machine with the four-letter words (ZK-11), and a data directory
// that survives kill -9. It lives in wall time; everything that ZooKeeper does
// is in package zookeeper, which knows neither clock nor socket.
//
// To use first:
//
//   - [Listen]: a server on an address, which serves until Close.
//   - [ListenEnsemble]: several, of which one leads.
//   - [Decoder] and the Append functions: frames to messages and back, for
//     servers and for clients.
//
// Which fields a body has says the machine's table, sim/zookeeper/opcodes.go. To change
// how a field or a message looks look in request.go, reply.go, connect.go or
// multi.go; what a connection may do, limits.go and conn.go; how its bytes come and
// go, incoming.go, socket.go, outgoing.go and buffers.go; a four-letter word, words*.go; what is kept on
// disk, store.go, logfile.go, recorder.go, records.go and snapshotfile.go, and when it is there,
// commit.go; the log of writes, writelog.go; what may go wrong when somebody asks for it,
// faults.go; several servers, ensemble.go, election.go and member.go.
package wire
