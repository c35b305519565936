// Package operator has the actions and questions of a cluster's operator. They are the same whether
// the cluster runs in virtual time (runners/test/simrun) or as processes
// (runners/test/realrun/loopback).
//
// Three things to use first:
//
//   - [Agents] asks agents for what they know, [Layouts] declares and publishes models. A
//     cluster embeds both, and gives each its way to the agents and to ZooKeeper.
//   - [Endings] holds the faults that end by themselves.
//   - [CallController] asks a training job's controller, [ReadTraining] its variables.
//
// To change
//
//   - what is asked of agents: agents.go
//   - what is asked of training jobs: training.go
//   - what is asked of their Consul: registry.go
//   - what is written to ZooKeeper: layouts.go
//   - how calls to model servers are worded: models.go
//   - when faults end: endings.go
//
// Unstable: any commit may change it.
package operator
