// Package node puts ZooKeeper on the simulated network: servers around machines of
// sim/zookeeper, and kazoo's connection to them, in virtual time.
//
// Two things to use first:
//
//   - [NewServer]: an ensemble under one address, to be started, stopped, left without
//     a leader, and to have the clients of a host served by a follower that lags.
//   - [Clients]: the clients of one process, its env.ZooKeepers.
//
// To change what a server does with a request look in server.go; what several servers
// do that one does not, ensemble.go and follower.go; what a client does from the first
// connection to the end of its session, client_loop.go; a single request, client_call.go;
// when it pings, client_ping.go. What makes connections without events, client_fast_forward.go,
// and what makes reads of the same znodes cheap, client_reads.go, change nothing but the
// speed: tests hold them to the plain way. What a server answers is in sim/zookeeper; what
// kazoo does above the connection, in engine/recipes.
package node
