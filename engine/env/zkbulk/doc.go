// Package zkbulk is what agents do to many znodes at a time: the data of all children of one
// is watched, or a fixed list of them is polled. A ZooKeeper client that can do so in less
// memory or time than by single calls says it by an optional interface; the requests are
// the same.
//
// Two things to use first:
//
//   - [NewDataWatches] watches the data of children, with one function for all.
//   - [NewReads] polls a list of znodes.
//
// To change what a client may offer look in datawatches.go and reads.go, which also have
// the plain ways of those that offer nothing.
package zkbulk
