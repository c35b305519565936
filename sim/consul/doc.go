// Package consul simulates Consul's agents as monolith's training uses them. Services register
// over HTTP with a TTL check, keep it passing by heartbeats, and are looked up by name. It is a
// pure state machine without clock and sockets.
//
// Two things to use first:
//
//   - [New] makes an [Agent] without services.
//   - [Agent.Handle] answers one request.
//
// SPEC.md is the specification with its sources. sim/consul/node serves it in virtual time, on
// sim/network, and sim/consul/serve serves it over TCP.
//
// To change:
//
//   - a rule of services and checks: agent.go
//   - paths, statuses and texts: http.go
//   - what can go wrong: faults.go
//
// Unstable: any commit may change it.
package consul
