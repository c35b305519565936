// Package consul is Consul's agents as monolith's training side uses them: services that are
// registered with a TTL check, passed by heartbeats and looked up by name, over HTTP. It is a pure
// state machine that owns neither clock nor socket.
//
// Two things to use first:
//
//   - [New] makes an [Agent] that knows nothing yet.
//   - [Agent.Handle] takes a request, and the time, and answers it.
//
// SPEC.md says what it does, and where that is from. sim/network carries requests to it in virtual
// time (sim/consul/node), and sim/consul/serve over TCP. To change a rule of services and checks
// look in agent.go; paths, statuses and texts, http.go; what can go wrong, faults.go.
package consul
