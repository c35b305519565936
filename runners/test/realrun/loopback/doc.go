// Package loopback runs clusters as processes of the operating system on the loopback
// of this machine: a ZooKeeper server, model servers and agents, each a process, on the
// wall clock or some times faster.
//
// Two things to use first:
//
//   - [New] makes the runners.Runner to hand to steps and commands.
//   - [Options] say what the processes are; the agent's is an [AgentProgram], so that
//     agents in any language can be held to the same scenarios.
//
// A pod has an address of its own, 127.x.y.z, and is a process group that ends with its
// first process. It reaches ZooKeeper by a relay of its own, in which that network can
// be cut or slowed. Directories of models and of pods lie below [Options.Dir]; what pods
// call /models/ctr is a directory there, and what they say of it is told without that
// prefix. All that was started ends with Close, and when this program dies.
//
// To change what a pod finds on its disk and in its environment look in pod.go and
// disk.go; what a process of a training job is, in trainer.go, and what an operator asks of
// the job, in training.go, and of its Consul, in consul.go; how processes start and end, in process.go, and what
// ends them when this program is killed, in guard.go;
// the network between pods and ZooKeeper, in relay.go;
// the servers, in zookeeper.go and modelserver.go; what an operator does, in act.go and in
// runners/test/operator, and
// sees, in observe.go; what can go wrong, in faults.go; how what happened is put
// together, in journal.go.
package loopback
