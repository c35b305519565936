// Package wire puts the simulated ZooKeeper behind real sockets: the codec of
// the protocol's frames (ZK-1, ZK-2, ZK-10), a TCP server around one
// zookeeper.Machine with the four-letter words (ZK-11), and a data directory
// that survives kill -9. It lives in wall time; everything that ZooKeeper does
// is in package zookeeper, which knows neither clock nor socket.
//
// Two things to use first:
//
//   - [Listen]: a server on an address, which serves until Close.
//   - [Decoder] and the Append functions: frames to messages and back, for
//     servers and for clients.
//
// To change how a message looks look in request.go, reply.go, connect.go or
// multi.go; what a connection may do, limits.go, conn_read.go and conn_write.go;
// a four-letter word, words*.go; what is kept on disk, store.go, wal.go and
// records.go; the log of writes, writelog.go.
package wire
