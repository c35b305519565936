// Package zkbulk is what agents do to many znodes at a time: the data of all children of one
// is watched, a fixed list of them is polled, or one is read for each name of a list. A ZooKeeper client that can do so in less
// memory or time than by single calls says it by an optional interface; the requests are
// the same.
//
// Things to use first:
//
//   - [NewDataWatches] watches the data of children, with one function for all.
//   - [NewReads] polls a list of znodes.
//   - [NamesWatch] follows a list of [Names], and [Survey.Make] reads a znode for each.
//
// To change what a client may offer look in datawatches.go, reads.go and survey.go, which
// also have the plain ways of those that offer nothing.
package zkbulk
