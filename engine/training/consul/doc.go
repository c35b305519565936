// Package consul is the client of a Consul agent: the port of native_training/consul.py, and of
// so much of Python's http.client as shows in what it does after errors.
//
// Two things to use first:
//
//   - [New] makes the [Client] of a process, for training.NewConsulServiceDiscovery.
//   - [Client.RegisterService] registers with all that the reference can say.
//
// The requests go out by env.Network, so the code is one in virtual time and on real sockets. To
// change what is asked look in client.go; what a connection does after an error, connection.go;
// what the agent answers, sim/consul. Errors are a *pysem.Error of Python's exception.
package consul
