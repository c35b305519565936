// Package consul is Consul's agents as monolith's training side uses them: services register over
// HTTP with a TTL check, which heartbeats pass, and are looked up by name. It is a pure state
// machine that owns neither clock nor socket.
//
// Two things to use first:
//
//   - [New] makes an [Agent] that knows nothing yet.
//   - [Agent.Handle] answers a request at a time.
//
// SPEC.md says what it does and where that comes from. sim/consul/node serves it in virtual time,
// on sim/network, and sim/consul/serve serves it over TCP.
//
// To change:
//
//   - a rule of services and checks: agent.go
//   - paths, statuses and texts: http.go
//   - what can go wrong: faults.go
package consul
