// Package recipes does what kazoo's client does above the protocol of ZooKeeper: it
// normalises paths, retries calls, keeps watches alive, and has a lock and an
// election. It is written once, for simulated and for real servers.
//
// Two things to use first:
//
//   - [New] makes the env.ZooKeeper that a process uses from an env.ZooKeeperSession.
//   - [Retry] is kazoo's retry policy by itself.
//
// Whoever implements such a session builds it from [Life], which connects until it is
// stopped; [Keeper], which knows the state and what follows from each change; and [Watches],
// which calls watchers.
//
// The behaviour is that of kazoo 2.8.0, which the reference pins; citations name its
// files. To change
//
//   - how a znode is created, deleted or read: client.go;
//   - how children are read and watched one after the other: geteach.go, datawatches.go;
//   - how a session connects and ends: life.go;
//   - what a lost connection does to calls, listeners and watchers: keeper.go, watches.go;
//   - how the order of listeners and watchers is kept in little memory: refs.go;
//   - watches that set themselves again: datawatch.go, childrenwatch.go;
//   - lock and election: lock.go, election.go.
//
// Unstable: any commit may change it.
package recipes
