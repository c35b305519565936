// Package runtimetest holds a runtime to the rules of env: how tasks of a process take
// turns, wait, die and are reported, and what engine/pysem/threading makes of that. Virtual
// time and the wall clock pass the same cases, which is why code that was explored in
// one may run in the other.
//
// Two things to use first:
//
//   - [Run] is called by a test of the runtime.
//   - [Runtime] is the small interface that this test implements.
//
// Cases assert orders and lower bounds of time, and exact instants only where
// [Runtime.Exact] promises them, so that a busy host fails none. What tasks see they
// write into a log, which is compared after the last of them has ended.
//
// To add a case look in the file of its noun: sleep.go, tasks.go, cond.go, loop.go,
// crash.go, stop.go, panics.go, and locks.go and hand.go for engine/pysem/threading.
package runtimetest
