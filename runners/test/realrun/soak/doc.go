// Package soak kills processes of a cluster at random moments, again and again. After each
// kill the cluster has to recover: every pod registered, every model listed where it is
// served, no stray process and no stray port.
//
// Two things to use first:
//
//   - [Run] runs a number of cycles, on several clusters of processes at once.
//   - [Bounds] returns how long a cluster may take, by what was killed: the longest time of
//     the simulation with the same faults, over many seeds.
//
// To change
//
//   - the cluster and what is killed: story.go
//   - how processes and ports are counted: leaks.go
//
// Unstable: any commit may change it.
package soak
