// Package playground keeps a cluster of processes running on this host, for people who
// develop against it. A description in YAML says which ZooKeeper, model servers and agents;
// an interface shows them live and causes faults.
//
// Two things to use first:
//
//   - [Read] reads a description, CLUSTER.yaml.
//   - [Start] builds and starts what it describes; [Playground.Run] keeps it until its
//     context ends.
//
// To change
//
//   - what a description may say: description.go
//   - how a cluster is started: playground.go
//   - how it is observed: view.go
//   - what can be done to it while it runs: actions.go
//   - its page: page.js and page.css
//
// Unstable: any commit may change it.
package playground
