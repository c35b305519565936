// Package soak kills processes of a cluster at random moments, again and again, and wants
// the cluster whole after each: every pod registered, every model listed where it is
// served, no process and no port that should not be there.
//
// Two things to use first:
//
//   - [Run] does so for some number of cycles, on several clusters of processes at once.
//   - [Bounds] are how long a cluster may take, by what was killed: the longest that the
//     simulation takes with the same faults, over many seeds.
//
// To change the cluster and what is killed look in story.go; what is counted of processes
// and ports, in leaks.go.
package soak
