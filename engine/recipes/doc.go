// Package recipes is kazoo's client above the protocol: paths, retries, watches
// that stay, lock and election, written once for simulated and real servers.
//
// Two things to use first:
//
//   - [New] makes the env.ZooKeeper of a process from an env.ZooKeeperSession.
//   - [Retry] is kazoo's retry policy by itself.
//
// What such sessions have in common is here too: [Life], how they start, connect
// and stop; [Keeper], the states and what follows from their changes; [Watches],
// who is told of an event.
//
// The behaviour is that of kazoo 2.8.0, which the reference pins; citations
// name its files. To change how a znode is created, deleted or read look in
// client.go; how a session connects and ends, life.go; what a lost connection does
// to calls, listeners and watchers, keeper.go and watches.go. The watches that stay
// are in datawatch.go and childrenwatch.go; lock and election have a file each.
package recipes
