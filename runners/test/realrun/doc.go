// Package realrun runs the engine on the real world: the wall clock and real
// sockets. It has the network, model servers and ZooKeeper; files, names and programs of
// the machine are engine/walltime/machine, and all of it together for one process is
// runners/test/realrun/surroundings.
//
// Four things to use first:
//
//   - [NewNetwork] makes the env.Network of a process of engine/walltime, gRPC
//     over TCP.
//   - [Options] say on which address its servers listen.
//   - [ModelServers] makes the model server clients of a process, over its network.
//   - [ZooKeepers] makes the ZooKeeper clients of a process.
//
// What a client says of its own troubles reads as grpc-python's, so that agents
// and observers see the same as in virtual time; engine/runtimetest/networktest
// holds both networks to one suite, engine/runtimetest/modelservertest both model
// server clients, and engine/runtimetest/zookeepertest both ZooKeeper clients, the
// real one on a real server (runners/zookeeper/server) and on the simulated server
// behind sockets (sim/zookeeper/wire).
//
// # ZooKeeper
//
// The client is engine/recipes over a session, as in virtual time, and the rules
// of the session's states are those of recipes.Keeper, as in virtual time. The
// library go-zookeeper/zk encodes, matches answers with requests and pings, on one
// connection at a time; connecting, going on with a session, and what becomes of
// calls and watches are kazoo's. What remains different from kazoo on the wire:
//
//   - Pings are sent at fixed intervals of a third of the session timeout, also on
//     a busy connection, where kazoo draws up to 0.4 s off and pings when idle. A
//     silent server is noticed after two thirds in both.
//   - The connect request has no readOnly byte, children are listed by getChildren2,
//     and auth has an ordinary xid.
//   - Paths that the server would refuse are refused here, as BadArguments; for
//     reads, kazoo's answer is NoNode.
//   - In a world with a speed the server is taken to be as fast: the timeout that is
//     asked for, and the one that is given, count in the world's time. A real server
//     cannot be made faster.
//   - Stop waits a second for the answer to its last request, kazoo until the
//     connection is found dead.
//
// To change how requests become tasks look in server.go; calls and connections,
// channel.go; the words of failures, wording.go; how bytes pass gRPC untouched,
// codec.go. A model server client is models.go. A ZooKeeper client is zookeeper.go;
// its connection task, zookeeper_loop.go; its calls, zookeeper_call.go; the use of
// the library, zookeeper_link.go.
package realrun
