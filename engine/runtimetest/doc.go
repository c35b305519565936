// Package runtimetest is the test suite for a runtime of env: how tasks of a process take turns,
// wait, die and are reported, and how engine/pysem/threading works on them. Virtual time and the
// wall clock pass the same cases, so code that was explored in one may run in the other.
//
//   - [Run] runs the suite; the test of a runtime calls it.
//   - [Runtime] is the small interface that this test implements.
//
// Cases check orders and lower bounds of times, and exact times only if [Runtime.Exact] promises
// them, so that no case fails because a host is busy. Tasks write what they see into a log, which
// is compared after the last of them has ended.
//
// Unstable: any commit may change it.
package runtimetest
