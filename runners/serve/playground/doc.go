// Package playground keeps a cluster of processes running on this machine, for people who
// develop against it: ZooKeeper, model servers and agents from a description in YAML,
// with an interface that shows them live and brings faults about.
//
// Two things to use first:
//
//   - [Read] reads a description, CLUSTER.yaml.
//   - [Start] builds and starts what it describes; [Playground.Run] keeps it until its
//     context ends.
//
// To change what a description may say look in description.go; how a cluster is started
// and looked at, in playground.go and view.go; what can be done to it while it runs, in
// actions.go; its page, in page.js and page.css.
package playground
