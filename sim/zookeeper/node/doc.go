// Package node puts ZooKeeper on the simulated network: servers around machines of
// sim/zookeeper, and kazoo's connection to them, in virtual time.
//
// Two things to use first:
//
//   - [NewServer]: an ensemble under one address, to be started, stopped, left without
//     a leader, and to have the clients of a host served by a follower that lags.
//   - [Clients]: the clients of one process, its env.ZooKeepers.
//
// To change
//
//   - what a server does with a request: server.go; what several servers do together:
//     ensemble.go, follower.go;
//   - what a client does from its first connection to the end of its session: client_loop.go;
//   - a single request: client_call.go; pings: client_ping.go;
//   - how pings pass without events: client_fast_forward.go; how reads of the same znodes
//     become cheap: client_reads.go. Both change the speed alone, and tests hold them to the
//     plain way.
//
// What a server answers is in sim/zookeeper, what kazoo does above the connection in
// engine/recipes.
package node
