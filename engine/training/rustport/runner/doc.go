// Package runner runs a PS or a worker as the Rust port does: it registers, finds the others,
// works, and deregisters (TRN-4.5).
//
// Two things to use first:
//
//   - [Run] runs a process over any [Services].
//   - [NewMemory] makes [Services] in memory, which report changes to watchers.
//
// A worker's work is one exchange with the PS: a look-up, a barrier, a change.
//
// To change:
//
//   - how long it looks for PS: worker.go
//   - what is cleaned up after a failure: runner.go
//
// Unstable: any commit may change it.
package runner
