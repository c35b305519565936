// Package realrun runs the engine in the real world: the wall clock and real sockets. It has the
// network, model servers and ZooKeeper. Files, names and programs of the host are in
// engine/walltime/machine, and runners/test/realrun/surroundings puts all of it together for one
// process.
//
// Four things to use first:
//
//   - [NewNetwork] makes the env.Network of a process of engine/walltime, gRPC over TCP.
//   - [Options] says on which address its servers listen.
//   - [ModelServers] makes the model server clients of a process, over its network.
//   - [ZooKeepers] makes the ZooKeeper clients of a process.
//
// A client words its own failures as grpc-python's does, so that agents and observers see the same
// as in virtual time. Three suites hold both worlds to one behaviour:
// engine/runtimetest/networktest, modelservertest and zookeepertest. The last one also runs on a
// real server (runners/zookeeper/server) and on the simulated server behind sockets
// (sim/zookeeper/wire).
//
// # ZooKeeper
//
// The client is engine/recipes over a session, and the rules of the session's states are those of
// recipes.Keeper, as in virtual time. The library go-zookeeper/zk encodes requests, matches
// answers with them, and pings, on one connection at a time. Connecting, keeping a session over
// connections, and the fate of calls and watches follow kazoo. These differences from kazoo remain
// on the wire:
//
//   - Pings are sent at fixed intervals of a third of the session timeout, also on a busy
//     connection, where kazoo draws up to 0.4 s off and pings when idle. A silent server is
//     noticed after two thirds in both.
//   - The connect request has no readOnly byte, children are listed by getChildren2, and auth has
//     an ordinary xid.
//   - Paths that the server would refuse are refused here, as BadArguments; for reads, kazoo's
//     answer is NoNode.
//   - In a world with a speed the server is taken to be as fast: the requested and the granted
//     timeout count in the world's time. A real server cannot be made faster.
//   - Stop waits a second for the answer to its last request, kazoo until the connection is found
//     dead.
//
// To change
//
//   - how requests become tasks: server.go
//   - calls and connections: channel.go
//   - their starts: dial.go
//   - the words of failures: wording.go
//   - what gRPC itself answers: engine/grpccore
//   - a model server client: models.go
//   - a ZooKeeper client: zookeeper.go
//   - its connection task: zookeeper_loop.go
//   - its calls: zookeeper_call.go
//   - the use of the library: zookeeper_link.go
//
// Unstable: any commit may change it.
package realrun
