// Package kills ends simulated ZooKeeper servers while clients write, and checks that nothing that
// was acknowledged is lost: by kill -9 of a server with a data directory, and by servers of an
// ensemble that stop, are cut off or lose the lead.
//
// Two things to use first:
//
//	make nightly-zookeeper
//	go test ./runners/zookeeper/kills -args -kills 300 -faults 40 -seed 7
//
// To change
//
//   - what clients write, and what a writer expects to find: writer.go
//   - what is killed and how: kills_test.go
//
// Unstable: any commit may change it.
package kills
