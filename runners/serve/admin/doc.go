// Package admin is the small HTTP interface by which people and tests bring faults about
// in servers that run: a ZooKeeper, a model server, a cluster. JSON goes in and comes out,
// and GET / lists what there is to ask for.
//
// It has no passwords, so it listens on the loopback only, and refuses whoever does not
// call it by a loopback name, or comes from a page of another origin: a browser on this
// machine that looks at a foreign page is no friend.
//
// Two things to use first:
//
//   - [Listen] serves a list of [Action]s on an address.
//   - [ZooKeeper], [ModelServer] and [Consul] are the actions of the served twins.
//
// To change who is refused look in guard.go; how an action is asked and answered,
// action.go; what can be done to a ZooKeeper, zookeeper.go; to a model server,
// modelserver.go; to a Consul agent, consul.go.
package admin
