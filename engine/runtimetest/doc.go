// Package runtimetest holds a runtime to the rules of env: how tasks of a process
// take turns, wait, die and are told about, and what engine/monitor makes of
// that. Virtual time and the wall clock pass the same cases, which is why code
// that was explored in one may run in the other.
//
// Two things to use first:
//
//   - [Run], to be called from a test of the runtime.
//   - [Runtime], the small interface that the test makes of it.
//
// Cases assert orders and lower bounds of time, and exact instants only where
// [Runtime.Exact] promises them, so that a busy host fails none. What tasks see
// they write into a log; it is compared after the last of them has ended.
//
// To add a case look in the file of its noun: sleep.go, tasks.go, cond.go,
// every.go, crash.go, stop.go, panics.go, and locks.go and hand.go for
// engine/monitor.
package runtimetest
