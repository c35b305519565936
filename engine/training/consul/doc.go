// Package consul is the client of a Consul agent: the port of native_training/consul.py, and of
// those parts of Python's http.client that show after errors.
//
// Two things to use first:
//
//   - [New] makes the [Client] of a process, for training.NewConsulServiceDiscovery.
//   - [Client.RegisterService] registers a service with all options of the reference.
//
// Requests go out by env.Network, so the code is the same in virtual time and on real sockets.
// Errors are *pysem.Error with Python's exceptions.
//
// To change:
//
//   - which requests are sent: client.go
//   - what a connection does after an error: connection.go
//   - what the simulated agent answers: sim/consul
//
// Cost: a look-up grows with the elements of the service, all of which the agent lists. A registration
// sends a heartbeat every 30 s.
//
// Unstable: any commit may change it.
package consul
