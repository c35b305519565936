// Package node puts ZooKeeper on the simulated network: servers around machines of
// sim/zookeeper, and kazoo's connection to them, in virtual time.
//
// Two things to use first:
//
//   - [NewServer] makes an ensemble under one address. It can be started, stopped and left
//     without a leader, and a follower that lags can serve the clients of a host.
//   - [Clients] makes the clients of one process: it is its env.ZooKeepers.
//
// To change
//
//   - what a server does with a request: server.go;
//   - what several servers do together: ensemble.go, follower.go;
//   - what a client does from its first connection to the end of its session: client_loop.go;
//   - a single request: client_call.go;
//   - pings: client_ping.go.
//
// The other files only make simulations faster, and tests compare them with the plain way. To change
// how
//
//   - pings pass without events: client_fast_forward.go;
//   - a loop repeats the reads of its last turn: client_ask.go, client_list.go;
//   - the children of a znode are read one after the other: client_survey.go;
//   - znodes are read after many watch events at once: client_feed.go.
//
// What a server answers is in sim/zookeeper, what kazoo does above the connection in
// engine/recipes.
//
// Unstable: any commit may change it.
package node
