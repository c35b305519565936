// Package machinetest is the test suite for machines, simulated and real: whether their files,
// hosts and processes behave as env says.
//
//   - [Run] runs all cases on a [World], which is one machine.
//   - [Programs] are the programs that the machine must have, because the cases start them.
//
// Unstable: any commit may change it.
package machinetest
