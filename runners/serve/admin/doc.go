// Package admin serves a small HTTP interface by which people and tests cause faults in
// running servers: a ZooKeeper, a model server, a cluster. Requests and answers are JSON,
// and GET / lists the actions.
//
// The interface listens on the loopback only, and every request has to carry a token, which
// other users of the host do not have. It refuses requests that do not name a loopback address
// or that come from a page of another origin: a foreign page in a browser on this host must
// not reach it.
//
// Two things to use first:
//
//   - [Listen] serves a list of [Action]s on an address.
//   - [ZooKeeper], [ModelServer] and [Consul] list the actions of the served twins.
//
// To change
//
//   - who is refused: guard.go
//   - what a token is, and where it stands: token.go
//   - how an action is requested and answered: action.go
//   - what can be done to a ZooKeeper: zookeeper.go
//   - what can be done to an ensemble: ensemble.go
//   - what can be done to a model server: modelserver.go
//   - what can be done to a Consul agent: consul.go
//
// Unstable: any commit may change it.
package admin
