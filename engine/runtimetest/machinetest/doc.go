// Package machinetest is the suite that holds machines, the simulated and the real, to
// env's contract of files, hosts and processes.
//
// Two things to use first:
//
//   - [Run] runs all cases on a [World], which is one machine.
//   - [Programs] are the programs that the machine must have, for the cases start them.
//
// To change:
//
//   - what is wanted of files: files.go
//   - what is wanted of names, variables and ports: host.go
//   - what is wanted of programs that are started and end: processes.go
//   - what is wanted of forks: forks.go
package machinetest
