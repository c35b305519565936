// Package operator is what runners/test/simrun and runners/test/realrun/loopback have in common: what an
// operator beside a cluster does and asks in the same way, whether it runs in virtual time or
// as processes.
//
// Three things to use first:
//
//   - [Agents] asks agents for what they know, [Layouts] declares and publishes models. A
//     cluster embeds both, and gives each its way to the agents and to ZooKeeper.
//   - [Endings] holds the faults that end by themselves.
//   - [CallController] asks a training job's controller, [ReadTraining] its variables.
//
// To change what is asked of agents look in agents.go; of training jobs, in training.go,
// and of their Consul, in registry.go; how ZooKeeper is written to, in layouts.go; how calls to
// model servers are worded, in models.go; when faults end, in endings.go.
package operator
